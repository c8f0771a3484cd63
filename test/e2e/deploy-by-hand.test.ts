import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, it } from "vitest"
import { describeUnless } from "../support/describe-unless.ts"
import {
  type ClickHouseServer,
  dockerMissing,
  type KafkaBroker,
  startClickHouse,
  startKafka,
} from "../support/docker.ts"
import { freePort, removeDirectory, temporaryDirectory } from "../support/service.ts"
import { allEndpointsBut } from "../support/some-feed.ts"
import { startWorld, type WorldServer } from "../world/server.ts"

const home = fileURLToPath(new URL("../..", import.meta.url))
const guide = readFileSync(new URL("../../infra/deploy/README.md", import.meta.url), "utf8")
/** The shell blocks of the section, in their order. */
const blocks = [...(guide.split("## By hand")[1]?.split("\n## ")[0] ?? "").matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
  ([, block = ""]) => block,
)

describeUnless(await dockerMissing(), "the roles by hand, as the guide's blocks start them", () => {
  const directory = temporaryDirectory()
  let world: WorldServer
  let broker: KafkaBroker
  let clickhouse: ClickHouseServer

  beforeAll(async () => {
    ;[world, broker, clickhouse] = await Promise.all([startWorld({ seed: "by hand" }), startKafka(), startClickHouse()])
  })
  afterAll(async () => {
    await Promise.all([world?.close(), broker?.stop(), clickhouse?.stop()])
    removeDirectory(directory)
  })

  it("are pasted, serve, and end", async () => {
    expect(blocks).toHaveLength(2)
    // Free ports, as the machine may use those of the guide; and the folder of the files that the blocks write.
    let script = `cd ${directory} && ln -s ${home}/* . && set -e\n${blocks.join("\n")}`
    for (const port of ["9788", "9789", "9790", "9791", "8787"])
      script = script.replaceAll(port, String(await freePort()))
    const port = /127\.0\.0\.1:(\d+)\/api/.exec(script)?.[1] ?? ""
    const child = spawn("bash", ["-c", script], {
      cwd: directory,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        PORT: port,
        DATA_DIR: `${directory}/kept`,
        KAFKA_BROKERS: broker.brokers.join(","),
        CLICKHOUSE_URL: clickhouse.url,
        CLICKHOUSE_USER: clickhouse.username,
        CLICKHOUSE_PASSWORD: clickhouse.password,
        UPSTREAMS: world.url,
        ENDPOINTS_OFF: allEndpointsBut(["/api/briefing"]),
      },
      stdio: ["ignore", "pipe", "pipe"],
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
    expect(output).toContain('"ready":true')
    expect(output).toContain('"source":"tidewire"')
    expect(code, output).toBe(0)
    // Ending what `npm start` runs ends the service.
    await expect(fetch(`http://127.0.0.1:${port}/livez`)).rejects.toThrow()
  })
})
