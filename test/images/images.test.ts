import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import * as Schema from "effect/Schema"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import packageJson from "../../package.json" with { type: "json" }
import { CONTRACT_VERSION } from "../../schemas/printers/catalog.ts"
import { describeUnless } from "../support/describe-unless.ts"
import { eventually } from "../support/eventually.ts"
import { freePort, quickStartArguments, startArguments } from "../support/service.ts"
import { buildTargets, docker, imagesMissing, type Target, tagOf, targets } from "./build.ts"
import { compressedSizes } from "./sizes.ts"

// The images as strangers run them: from what the repository holds, with nothing of this machine but a volume and a port.

/** What a package of tests is called in an image: none but the chain of the demo is there. */
const CHAIN = "@foundry-rs/anvil"
const STOP_MAX_MS = 10_000
/** Compressed sizes, in MB, above those of the image with Node, as that is another one here than where images are published. */
const SIZES_MAX: Readonly<Record<Target, number>> = { slim: 100, tidewire: 370, demo: 470 }
/** What every container is run with: no writable files but the volume's and those in memory, and no rights. */
const CONFINED = ["--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"]

const label = `tidewire.test=${randomUUID()}`
const run = (target: Target, options: ReadonlyArray<string>, ...words: ReadonlyArray<string>): Promise<string> =>
  docker("run", "--detach", "--label", label, ...CONFINED, ...options, tagOf(target), ...words)
const inspect = async (name: string, format: string): Promise<unknown> =>
  JSON.parse(await docker("inspect", "--format", `{{json ${format}}}`, name))
const inside = (container: string, ...words: ReadonlyArray<string>): Promise<string> =>
  docker("exec", container, ...words)
/** What a request from inside the container answers. */
const fetchInside = async (container: string, url: string): Promise<unknown> =>
  JSON.parse(
    await inside(container, "node", "-e", `fetch(${JSON.stringify(url)}).then((r) => r.text()).then(console.log)`),
  )

const healthy = (container: string): Promise<boolean> =>
  eventually(`${container} is healthy`, async () => {
    const { Status, Health } = (await inspect(container, ".State")) as {
      readonly Status: string
      readonly Health: { readonly Status: string }
    }
    if (Status !== "running" || Health.Status !== "healthy")
      throw new Error(`${Status}, ${Health.Status}: ${await docker("logs", "--tail", "20", container)}`)
    return true
  })

/** Stops a container, as `docker stop` does, and gives its exit code. It must not be killed for being too slow. */
const stop = async (container: string): Promise<unknown> => {
  const begunMs = performance.now()
  await docker("stop", "--time", String(2 * (STOP_MAX_MS / 1_000)), container)
  expect(performance.now() - begunMs).toBeLessThan(STOP_MAX_MS)
  return inspect(container, ".State.ExitCode")
}

const Bom = Schema.Struct({
  bomFormat: Schema.Literal("CycloneDX"),
  components: Schema.Array(Schema.Struct({ name: Schema.String })),
})

it("code is compiled by the flags that it is started with, else a start would compile it anew", () => {
  const dockerfile = readFileSync(new URL("../../infra/deploy/Dockerfile", import.meta.url), "utf8")
  const flags = (words: ReadonlyArray<string>) => words.filter((one) => one.startsWith("--")).join(" ")
  expect(dockerfile).toContain(`ARG NODE_FLAGS="${flags(startArguments)}"\n`)
  expect(dockerfile).toContain(`ARG DEMO_FLAGS="${flags(quickStartArguments)}"\n`)
})

describeUnless(await imagesMissing(), "the images", () => {
  let sizes: ReturnType<typeof compressedSizes>
  const volumes: Array<string> = []
  const volume = async () => {
    const name = await docker("volume", "create", "--label", label)
    volumes.push(name)
    return `${name}:/data`
  }

  beforeAll(async () => {
    const base = await buildTargets()
    // Meanwhile the containers start.
    sizes = compressedSizes(base)
    sizes.catch(() => undefined)
  })
  afterAll(async () => {
    const left = (await docker("ps", "--all", "--quiet", "--filter", `label=${label}`)).split("\n").filter(Boolean)
    if (left.length > 0) await docker("rm", "--force", ...left)
    if (volumes.length > 0) await docker("volume", "rm", ...volumes)
  })

  describe.each(targets)("%s", (target) => {
    it("says what it is: versions, licence, user and start", async () => {
      const image = (await inspect(tagOf(target), ".Config")) as {
        readonly Labels: Readonly<Record<string, string>>
        readonly User: string
        readonly Entrypoint: ReadonlyArray<string>
      }
      expect(image.Labels).toMatchObject({
        "org.opencontainers.image.version": packageJson.version,
        "org.opencontainers.image.licenses": packageJson.license,
        "io.tidewire.contract.version": CONTRACT_VERSION,
      })
      expect(image.User).toBe("node")
      expect(image.Entrypoint).toEqual(target === "demo" ? ["node", "test/world/demo.js"] : ["node", ...startArguments])
    })

    it("holds no package of tests, and a list of those that it holds", async () => {
      const show = `const { existsSync, readFileSync } = require("node:fs")
        const named = (name) => existsSync("node_modules/" + name)
        console.log(JSON.stringify({ held: process.argv.slice(1).filter(named), bom: JSON.parse(readFileSync("sbom.json", "utf8")) }))`
      const names = Object.keys(packageJson.devDependencies)
      const printed = await docker("run", "--rm", "--entrypoint", "node", tagOf(target), "-e", show, ...names)
      const { held, bom } = JSON.parse(printed)
      expect(held).toEqual(target === "demo" ? [CHAIN] : [])
      const components = Schema.decodeUnknownSync(Bom)(bom).components.map(({ name }) => name)
      expect(components).toEqual(expect.arrayContaining(Object.keys(packageJson.dependencies)))
      expect(components.filter((name) => names.includes(name))).toEqual(held)
      expect(components.some((name) => name.startsWith("@chdb/"))).toBe(target !== "slim")
    })
  })

  it("tidewire serves alone, keeps its data, and cannot write elsewhere", async () => {
    const data = await volume()
    const port = await freePort()
    // No upstream is asked for: a start is ready before the first answer.
    const options = ["--volume", data, "--publish", `127.0.0.1:${port}:8787`, "--env", "UPSTREAMS=http://127.0.0.1:9"]
    const container = await run("tidewire", options)
    await healthy(container)
    const reply = await fetch(`http://127.0.0.1:${port}/api/health`)
    expect([reply.status, await reply.json()]).toEqual([200, expect.objectContaining({ status: "ok" })])
    expect(await inside(container, "id", "-u")).not.toBe("0")
    await expect(inside(container, "sh", "-c", "echo x > /app/x")).rejects.toThrow(/Read-only file system/)
    const sql = ["node", "infra/commands/main.js", "sql", "SELECT count() > 0 AS filled FROM events"]
    await eventually("the history is written", async () => / 1\n/.test(`${await inside(container, ...sql)}\n`))
    expect(await stop(container)).toBe(0)
    await docker("start", container)
    await healthy(container)
    expect(await stop(container)).toBe(0)
  })

  it("demo answers without any network, with a chain, a world and a sister", async () => {
    const container = await run("demo", ["--network", "none", "--volume", await volume()])
    await healthy(container)
    const api = "http://127.0.0.1:8787"
    await eventually("the world was read", async () => {
      const quakes = (await fetchInside(container, `${api}/api/earthquake`)) as { readonly data: unknown }
      return quakes.data !== null
    })
    const info = (await fetchInside(container, `${api}/api/payment/info`)) as { readonly wallet: string }
    expect(info.wallet).toMatch(/^0x[0-9a-f]{40}$/i)
    const printed = await docker("logs", container)
    expect(printed).toMatch(/the chain {3}http:.* id 8453/)
    expect(printed).toMatch(/a sister {4}http:/)
    expect(await stop(container)).toBe(0)
  })

  it("slim runs a role that waits for its brokers, alive", async () => {
    expect(await docker("run", "--rm", ...CONFINED, tagOf("slim"))).toContain("npm start -- --role=ROLE")
    const container = await run("slim", ["--env", "KAFKA_BROKERS=127.0.0.1:9", "--env", "HOST=0.0.0.0"], "--role=api")
    await healthy(container)
    expect(await fetchInside(container, "http://127.0.0.1:9787/readyz")).toMatchObject({ ready: false })
    expect(await fetchInside(container, "http://127.0.0.1:8787/api/earthquake")).toMatchObject({ data: null })
    expect(await stop(container)).toBe(0)
  })

  it.each(targets)("%s is small", async (target) => {
    const { whole, above } = (await sizes)[target]
    process.stdout.write(`${target}: ${whole.toFixed()} MB compressed, ${above.toFixed()} MB above Node's\n`)
    expect(above).toBeLessThan(SIZES_MAX[target])
  })
})
