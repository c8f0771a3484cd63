import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { runCommand } from "../support/command.ts"
import { describeUnless } from "../support/describe-unless.ts"
import { dockerMissing, type KafkaBroker, startKafka } from "../support/docker.ts"
import { eventually } from "../support/eventually.ts"
import { asOf, freePort, removeDirectory, type Service, startService, temporaryDirectory } from "../support/service.ts"
import { startWorld, type WorldServer } from "../world/server.ts"

describeUnless(await dockerMissing(), "moving from the embedded log to Kafka", () => {
  const embedded = temporaryDirectory()
  const moved = temporaryDirectory()
  let world: WorldServer | undefined
  let broker: KafkaBroker | undefined
  let service: Service | undefined

  afterAll(async () => {
    await service?.end("SIGKILL")
    await Promise.all([world?.close(), broker?.stop()])
    removeDirectory(embedded)
    removeDirectory(moved)
  })

  /** All that a command says. */
  const command = async (
    environment: Readonly<Record<string, string>>,
    script: string,
    ...commandArguments: ReadonlyArray<string>
  ) => {
    const ports = { CLICKHOUSE_HTTP_PORT: String(await freePort()), CLICKHOUSE_TCP_PORT: String(await freePort()) }
    return eventually("the log answers", async () => {
      const { stdout, stderr } = await runCommand({ ...ports, ...environment }, script, ...commandArguments)
      const said = stdout + stderr
      // A broker that has just been started may take longer than a command waits.
      return said.startsWith("the log is unavailable") ? undefined : said
    })
  }

  it("folds to byte-identical views there, and goes on", async () => {
    world = await startWorld({ seed: "move" })
    broker = await startKafka()
    const environment = { UPSTREAMS: world.url, POLL_SECONDS_MAX: "1", LOG_LEVEL: "warn" }
    service = await startService({ dataDirectory: embedded, environment })
    const first = service
    await first.ready()
    // Each of the two is asked for below, and nothing says which of them is polled first.
    await eventually("the day's quakes are here", async () => {
      const { data } = await first.json("/api/climate/earthquakes?magnitude=all&period=day")
      return data !== null
    })
    await eventually("the feed that is watched is here", () => asOf(first))
    await first.end("SIGTERM")

    // What was committed last may not be folded yet; after this, the views are a fold of the whole log.
    expect(await command({ DATA_DIR: embedded }, "infra/rebuild-cli.ts")).toContain("is live")
    const file = join(moved, "log.ndjson")
    const there = { KAFKA_BROKERS: broker.brokers.join(","), DATA_DIR: moved }
    expect(await command({ DATA_DIR: embedded }, "infra/log/cli.ts", "export", file)).toMatch(
      /[1-9]\d* records exported/,
    )
    expect(await command(there, "infra/log/cli.ts", "import", file)).toMatch(/[1-9]\d* records imported/)
    // Offsets of one engine mean nothing to another: whatever folds says so instead of going on from a wrong place.
    expect(await command(there, "infra/rebuild-cli.ts", "--verify")).toContain("npm run rebuild")
    const rebuilt = await command(there, "infra/rebuild-cli.ts")
    expect(rebuilt).toMatch(/latest: generation \d+ of [1-9]\d* events is live; 0 view records changed/)
    expect(rebuilt).toMatch(/table earthquakes: generation \d+ of [1-9]\d* rows is live/)

    service = await startService({
      dataDirectory: moved,
      environment: { ...environment, KAFKA_BROKERS: there.KAFKA_BROKERS },
    })
    const second = service
    await second.ready()
    const before = await asOf(second)
    const goesOn = async () => (await asOf(second)) > before
    await eventually("it polls and folds on", goesOn).catch((cause) => {
      throw new Error(second.output(), { cause })
    })
    expect(await second.end("SIGTERM")).toBe(0)
    const verified = await command(there, "infra/rebuild-cli.ts", "--verify")
    expect(verified).toContain("the live views equal a fold of the whole log")
    expect(verified).not.toContain("DIFFERENT")
  })
})
