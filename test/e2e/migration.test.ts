import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as References from "effect/References"
import { afterAll, expect, it } from "vitest"
import { openLmdbLog } from "../../infra/log/lmdb/event-log.ts"
import { existingTopics, openLog } from "../../infra/log/open.ts"
import { MARK_TOPICS } from "../../infra/log/transfer/import.ts"
import { loadProcessors } from "../../processors/registry.ts"
import { runProcessor } from "../../processors/run/runner.ts"
import type { Topic } from "../../schemas/topics.ts"
import { COMMANDS, runCommand } from "../support/command.ts"
import { describeUnless } from "../support/describe-unless.ts"
import {
  type ClickHouseServer,
  dockerMissing,
  type KafkaBroker,
  startClickHouse,
  startKafka,
} from "../support/docker.ts"
import { eventually } from "../support/eventually.ts"
import { readEverything, readViews, settingsOf } from "../support/everything-kept.ts"
import { expectRefused, expectResumed, exportFilledLog, killHalfImport } from "../support/half-import.ts"
import { grantNew } from "../support/ledger-command.ts"
import { asOf, freePort, removeDirectory, type Service, startService, temporaryDirectory } from "../support/service.ts"
import { itemTables, premiumViews, preparedPaths } from "../support/some-feed.ts"
import { startWorld, type WorldServer } from "../world/server.ts"

/** Drops the older half of some topics from an embedded log, as the trimmer does once the archive holds it. */
const trimHalf = (dataDirectory: string, topics: ReadonlyArray<Topic>): Promise<void> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const log = yield* openLmdbLog({ path: join(dataDirectory, "log") })
        for (const topic of topics) {
          const end = yield* log.end(topic)
          expect(end, topic).toBeGreaterThan(0)
          yield* log.trim(topic, Math.ceil(end / 2))
        }
      }),
    ),
  )

/** Folds what was appended last, which a service that ends may leave to its next start. */
const foldRest = (dataDirectory: string): Promise<void> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const log = yield* openLmdbLog({ path: join(dataDirectory, "log") })
        for (const processor of yield* Effect.promise(loadProcessors)) {
          const reached = yield* Deferred.make<void>()
          const ready = Effect.asVoid(Deferred.succeed(reached, undefined))
          const folding = yield* Effect.forkScoped(runProcessor({ log, processor, ready }))
          yield* Effect.raceFirst(Deferred.await(reached), Fiber.join(folding))
        }
      }),
    ).pipe(Effect.provideService(References.MinimumLogLevel, "None")),
  )

/** Whether a view counts requests: a rebuild goes as far as the live fold, which may not have folded the last ones. */
const isCount = (key: string): boolean => key.startsWith("/api/ai-stats")

/** The cursors of all changes behind one, page by page. */
const changesBehind = async (service: Service, after: string): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (let next = after; ; ) {
    const page = (await (await service.get(`/api/changes?after=${next}&limit=1000`)).json()) as {
      readonly changes: ReadonlyArray<{ readonly cursor: string }>
      readonly next: string
      readonly up_to_date: boolean
    }
    found.push(...page.changes.map(({ cursor }) => cursor))
    if (page.up_to_date) return found
    next = page.next
  }
}

describeUnless(await dockerMissing(), "moving a trimmed log to Kafka and a ClickHouse server", () => {
  const embedded = temporaryDirectory()
  const moved = temporaryDirectory()
  let world: WorldServer | undefined
  let broker: KafkaBroker | undefined
  let clickhouse: ClickHouseServer | undefined
  let service: Service | undefined

  afterAll(async () => {
    await service?.end("SIGKILL")
    await Promise.all([world?.close(), broker?.stop(), clickhouse?.stop()])
    removeDirectory(embedded)
    removeDirectory(moved)
  })

  /** The whole output of a command. */
  const command = async (
    environment: Readonly<Record<string, string>>,
    name: string,
    ...commandArguments: ReadonlyArray<string>
  ) =>
    eventually("the log answers", async () => {
      const { stdout, stderr } = await runCommand(environment, name, ...commandArguments)
      const output = stdout + stderr
      // A broker that has just been started may take longer than a command waits.
      return output.startsWith("the log is unavailable") ? undefined : output
    })

  it("a backup brings every view, every table and the ledger there, and the service goes on", async () => {
    world = await startWorld({ seed: "move" })
    ;[broker, clickhouse] = await Promise.all([startKafka(), startClickHouse()])
    const keys = { TOKEN_KEYS: `k1:${"0f".repeat(32)}` }
    const polling = { UPSTREAMS: world.url, POLL_SECONDS_MAX: "10", LOG_LEVEL: "warn", ...keys }
    // A grant before the first start needs a log that exists, and the keys that the service will have.
    await Effect.runPromise(Effect.scoped(openLmdbLog({ path: join(embedded, "log") })))
    const { token } = await grantNew({ DATA_DIR: embedded, ...keys }, 50)
    service = await startService({ dataDirectory: embedded, environment: polling })
    const first = service
    await first.ready()
    // The order of their polls is not fixed.
    for (const path of preparedPaths)
      await eventually(`${path} is here`, async () => (await first.json(path)).data !== null)
    await eventually("the feed that is watched is here", () => asOf(first))
    for (const { name, path } of premiumViews)
      await eventually(`${path} is here`, async () => {
        const metrics = await (await fetch(`${first.adminUrl}/metrics`)).text()
        return new RegExp(`^tidewire_api_view_age_seconds\\{[^}]*endpoint="${name}"`, "m").test(metrics)
      })
    expect((await first.get("/api/pro/briefing", { headers: { authorization: `Bearer ${token}` } })).status).toBe(200)
    const known = await changesBehind(first, "start")
    expect(known.length).toBeGreaterThan(20)
    await first.end("SIGTERM")
    // A rebuild goes as far as the folds of before, a replay to the end of the log.
    await foldRest(embedded)

    const here = {
      DATA_DIR: embedded,
      CLICKHOUSE_HTTP_PORT: String(await freePort()),
      CLICKHOUSE_TCP_PORT: String(await freePort()),
    }
    const there = {
      DATA_DIR: moved,
      KAFKA_BROKERS: broker.brokers.join(","),
      CLICKHOUSE_URL: clickhouse.url,
      CLICKHOUSE_USER: clickhouse.username,
      CLICKHOUSE_PASSWORD: clickhouse.password,
      CLICKHOUSE_ANALYST_PASSWORD: "a-password-for-analysts",
    }
    // After this, the views are a fold of the whole log.
    expect(await command(here, "rebuild")).toContain("is live")
    await trimHalf(embedded, ["observations", "deltas", "usage"])
    const before = await readEverything(settingsOf(here))
    expect(premiumViews.length).toBeGreaterThan(5)
    expect(Object.keys(before.views)).toEqual(expect.arrayContaining(premiumViews.map(({ path }) => path)))
    for (const table of ["events", "credit_entries"]) expect(before.tables[table]?.rows, table).toBeGreaterThan(0)
    expect(itemTables.filter((table) => (before.tables[table]?.rows ?? 0) > 0).length).toBeGreaterThan(1)

    const file = join(moved, "backup.ndjson")
    const saved = await command(here, "backup", file)
    expect(saved).toMatch(/[1-9]\d* records saved, the oldest ones from the archive/)
    expect(saved).toContain("save them separately: the secrets")
    // An export alone is not enough, and the command reports that; nor does a restore accept it.
    const exported = join(moved, "export.ndjson")
    expect(await command(here, "log", "export", exported)).toMatch(
      /observations, deltas, usage were trimmed .* in the archive only/,
    )
    expect(await command(there, "restore", exported)).toContain("not a backup")

    expect(await command(there, "restore", file)).toContain("restored")
    expect(await readEverything(settingsOf(there))).toEqual(before)
    expect(await command(there, "restore", file)).toContain("the log is not empty")
    // The same views follow from the trimmed log and its archive, from the backup, and from the log on Kafka.
    for (const [from, environment, words] of [
      ["the embedded log", here, []],
      ["the backup", here, ["--source", file]],
      ["Kafka", there, []],
    ] as const) {
      const directory = join(moved, `replay of ${from}`)
      expect(await command(environment, "replay", "--into", directory, ...words), from).toContain("npm start")
      const views = await readViews(settingsOf({ DATA_DIR: directory }))
      expect(
        Object.keys(views).filter((key) => before.views[key] === undefined && !isCount(key)),
        from,
      ).toEqual([])
      for (const [key, value] of Object.entries(before.views)) if (!isCount(key)) expect(views[key], from).toBe(value)
    }
    const other = { ...there, KAFKA_TOPIC_PREFIX: "other." }
    expect(await command(other, "restore", file)).toContain("the history is not empty")
    // Nothing was imported: no mark stays.
    expect(await command(other, "log", "export", join(moved, "empty.ndjson"))).toContain("0 records exported")
    const proofs = [await command(here, "ledger", "verify"), await command(there, "ledger", "verify")]
    expect(proofs[0]).toContain("the ledger holds: 4 entries, 1 accounts, 0 purchases; balances 49")
    // The log is the same there; only the folder here has a cached state beside it.
    expect(proofs[0]).toContain("the cached state holds")
    expect(proofs[0]).toContain(proofs[1])

    service = await startService({ dataDirectory: moved, environment: { ...polling, ...there } })
    const second = service
    await second.ready()
    // The cursors of before are good there: nothing is lost, nothing comes twice, and what is new follows under the same name.
    expect((await changesBehind(second, "start")).slice(0, known.length)).toEqual(known)
    const middle = known[Math.floor(known.length / 2)] ?? ""
    expect((await changesBehind(second, middle)).slice(0, known.length - known.indexOf(middle) - 1)).toEqual(
      known.slice(known.indexOf(middle) + 1),
    )
    await eventually("new changes follow", async () => (await changesBehind(second, known.at(-1) ?? "")).length > 0)
    const everything = await changesBehind(second, "start")
    expect(new Set(everything).size).toBe(everything.length)
    expect(everything).toEqual(everything.toSorted())
    const reached = await asOf(second)
    const goesOn = async () => (await asOf(second)) > reached
    await eventually("it polls and folds on", goesOn).catch((cause) => {
      throw new Error(second.output(), { cause })
    })
    expect(await second.end("SIGTERM")).toBe(0)
    const verified = await command(there, "rebuild", "--verify")
    expect(verified).toContain("the live views equal a fold of the whole log")
    expect(verified).not.toContain("DIFFERENT")
  })

  it.each(["SIGINT", "SIGKILL"] as const)(
    "a restore to Kafka that ends as the topics are made is refused by name and can be continued, after %s",
    async (signal) => {
      broker ??= await startKafka()
      const origin = { DATA_DIR: join(embedded, "origin") }
      const prefix = `early-${signal}.`
      const there = {
        DATA_DIR: join(moved, prefix),
        KAFKA_BROKERS: broker.brokers.join(","),
        KAFKA_TOPIC_PREFIX: prefix,
        CLICKHOUSE_URL: "http://127.0.0.1:1",
        CLICKHOUSE_ANALYST_PASSWORD: "a-password-for-analysts",
      }
      const file = join(moved, "filled.ndjson")
      if (!existsSync(file)) await exportFilledLog(origin, openLog(settingsOf(origin)), file)
      const child = spawn(process.execPath, [COMMANDS, "restore", file], {
        cwd: new URL("../..", import.meta.url),
        env: { PATH: process.env.PATH, ...there },
        stdio: "ignore",
      })
      const ended = new Promise((resolve) => child.once("exit", resolve))
      try {
        await eventually("another topic is there", async () =>
          (await Effect.runPromise(existingTopics(settingsOf(there)))).some((topic) => !MARK_TOPICS.includes(topic)),
        )
      } finally {
        child.kill(signal)
        await ended
      }
      await expectRefused(there, file, "0")
      expect(await runCommand(there, "log", "import", file)).toMatchObject({ code: 0 })
    },
  )

  it("an import that was killed half-way is refused on Kafka too, and taken up again", async () => {
    broker ??= await startKafka()
    const origin = { DATA_DIR: join(embedded, "origin") }
    const there = {
      DATA_DIR: join(moved, "half"),
      KAFKA_BROKERS: broker.brokers.join(","),
      KAFKA_TOPIC_PREFIX: "half.",
      // The refusal needs no ClickHouse.
      CLICKHOUSE_URL: "http://127.0.0.1:1",
    }
    const file = join(moved, "filled.ndjson")
    if (!existsSync(file)) await exportFilledLog(origin, openLog(settingsOf(origin)), file)
    await killHalfImport(there, openLog(settingsOf(there)), file)
    await expectRefused(there, file)
    await expectResumed(there, file)
  })
})
