import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest"
import { openClickHouse } from "../../../infra/history/clickhouse.ts"
import { ANALYST_LIMITS } from "../../../infra/history/users.ts"
import { rebuildTables } from "../../../processors/history/rebuild.ts"
import { readStates } from "../../../processors/history/state.ts"
import { trimOnce } from "../../../processors/history/trimmer.ts"
import { type History, HistoryRefused, HistoryUnavailable } from "../../../schemas/ports/history.ts"
import { describeUnless } from "../../support/describe-unless.ts"
import { eventually } from "../../support/eventually.ts"
import { dropDatabase, type Engine, migrations, openLine, openStage, type Stage } from "./harness.ts"
import { changesTests } from "./suite-changes.ts"
import { itemHistoryTests } from "./suite-item-history.ts"
import { keepTests } from "./suite-keep.ts"
import { pastTests } from "./suite-past.ts"
import { progressTests } from "./suite-progress.ts"
import { purgeTests } from "./suite-purge.ts"
import { tlsTests } from "./suite-tls.ts"
import { usageTests } from "./suite-usage.ts"
import { events, tables } from "./workload.ts"

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** The guarantees on every ClickHouse. `missing`: the reason to skip the suite. */
export const historySuite = (name: string, start: () => Promise<Engine>, missing?: string): void => {
  describeUnless(missing, name, () => {
    let engine: Engine
    let stage: Stage
    beforeAll(async () => {
      engine = await start()
    })
    afterAll(() => engine.stop())
    beforeEach(async () => {
      await dropDatabase(engine.options)
      stage = await openStage(engine.options)
    })
    afterEach(() => stage.close())

    it("writes every event once, to its tables and to the archive", async () => {
      await stage.append(events(0, 1_000))
      const { crash } = stage.consume()
      await stage.caughtUp(1_000, 100)
      await stage.append(events(1_000, 1_250))
      await stage.caughtUp(1_250, 125)
      await stage.verify()
      expect(await stage.count("SELECT count() AS count FROM events")).toBe(1_375)
      expect(await stage.count("SELECT uniqExact(event_id) AS count FROM earthquakes")).toBe(312)
      await crash()
    })

    it("is compared up to where it stands, in a log that goes on far beyond in the same batch", async () => {
      await stage.append(events(0, 200))
      const { crash } = stage.consume()
      await stage.caughtUp(200, 20)
      await crash()
      const large = new Uint8Array(1_400_000)
      await stage.append(["a", "b", "c"].map((key) => ({ topic: "deltas", key, value: large })))
      await stage.verify()
    })

    it("repeats a planned batch exactly if its checkpoint is missing, even if the log has grown", async () => {
      await stage.append(events(0, 700))
      // Every insert reaches the tables; the consumer dies before the reply.
      let inserts = 0
      const deaf: History = {
        ...stage.history,
        insert: (insert) =>
          stage.history.insert(insert).pipe(
            Effect.tap(() => Effect.sync(() => (inserts += 1))),
            Effect.andThen(Effect.never),
          ),
      }
      const first = stage.consume(deaf)
      await eventually("some inserts are in", () => inserts >= 3)
      await first.crash()
      await stage.append(events(700, 900))
      const second = stage.consume()
      await stage.caughtUp(900, 90)
      await stage.verify()
      expect(await stage.count("SELECT count() AS count FROM events")).toBe(990)
      await second.crash()
    })

    it("neither duplicates nor loses rows if the reply to an insert is lost", async () => {
      await stage.append(events(0, 400))
      let inserts = 0
      const lossy: History = {
        ...stage.history,
        insert: (insert) =>
          stage.history.insert(insert).pipe(
            Effect.andThen(
              Effect.suspend(() => {
                inserts += 1
                return inserts % 2 === 1
                  ? Effect.fail(new HistoryUnavailable({ problem: "the answer was lost" }))
                  : Effect.void
              }),
            ),
          ),
      }
      const { crash } = stage.consume(lossy)
      await stage.caughtUp(400, 40)
      await stage.append(events(400, 500))
      await stage.caughtUp(500, 50)
      await stage.verify()
      await crash()
    })

    it("catches up after an outage of ClickHouse, even if the database did not exist before", async () => {
      await dropDatabase(engine.options)
      const line = await openLine(() => engine.options.url)
      line.cut()
      const history = await stage.run(openClickHouse({ ...engine.options, migrations, url: line.url }))
      await stage.append(events(0, 300))
      const { crash } = stage.consume(history)
      await pause(300)
      line.mend()
      await stage.caughtUp(300, 30)
      line.cut()
      await stage.append(events(300, 600))
      await pause(300)
      line.mend()
      await stage.caughtUp(600, 60)
      await stage.verify()
      await crash()
      await line.close()
    })

    it("writes lost rows of a table again, although ClickHouse still knows their tokens", async () => {
      await stage.append(events(0, 600))
      const first = stage.consume()
      await stage.caughtUp(600, 60)
      await stage.append(events(600, 800))
      await stage.caughtUp(800, 80)
      await first.crash()
      await stage.run(stage.history.execute("ALTER TABLE feed_probes DELETE WHERE log_offset >= 700"))
      await stage.run(stage.history.execute("ALTER TABLE events DELETE WHERE topic = 'deltas' AND log_offset = 650"))
      await stage.run(stage.history.execute("TRUNCATE TABLE earthquakes"))
      await expect(stage.verify()).rejects.toThrow("differs from the log")
      const second = stage.consume()
      await stage.caughtUp(800, 80)
      await stage.verify()
      await second.crash()
    })

    it("makes a table that is gone again, from its migrations, the archive and the log", async () => {
      await stage.append(events(0, 600))
      const first = stage.consume()
      await stage.caughtUp(600, 60)
      await first.crash()
      await stage.run(stage.history.execute("DROP TABLE feed_probes SYNC"))
      const second = stage.consume()
      await stage.caughtUp(600, 60)
      await stage.verify()
      await second.crash()
    })

    it("stops a fenced consumer", async () => {
      const { ended } = stage.consume()
      await stage.append(events(0, 50))
      await stage.caughtUp(50, 5)
      await stage.run(stage.log.claim("history", ["checkpoints"]))
      await stage.append(events(50, 60))
      expect(String(await ended)).toContain("Fenced")
    })

    it("lets a table wait if its rows are refused, while the others continue", async () => {
      const refused: History = {
        ...stage.history,
        insert: (insert) =>
          stage.history.insert(insert.table === "feed_probes" ? { ...insert, rows: [{ nonsense: 1 }] } : insert),
      }
      const { crash } = stage.consume(refused)
      await stage.append(events(0, 200))
      await eventually(
        "the other table is written",
        async () => (await stage.count("SELECT count() AS count FROM earthquakes")) === 50,
      )
      expect(await stage.count("SELECT count() AS count FROM feed_probes")).toBe(0)
      await crash()
      const healed = stage.consume()
      await stage.caughtUp(200, 20)
      await stage.verify()
      await healed.crash()
    })

    it("trims the log only behind the archive, and rebuilds the tables from the archive and the log", async () => {
      await stage.append(events(0, 400))
      const first = stage.consume()
      await stage.caughtUp(400, 40)
      await first.crash()
      // Nine days later: the retention of the first events of `deltas` is over. One of them is missing in the archive.
      const late = events(800_000, 800_050)
      await stage.append(late)
      const second = stage.consume()
      await stage.caughtUp(450, 45)
      await second.crash()
      await stage.run(stage.history.execute("ALTER TABLE events DELETE WHERE topic = 'deltas' AND log_offset = 300"))
      await stage.run(trimOnce({ log: stage.log, history: stage.history, keptDays: { deltas: 10 } }))
      expect(await stage.run(stage.log.start("deltas"))).toBe(0)
      await stage.run(trimOnce({ log: stage.log, history: stage.history }))
      expect(await stage.run(stage.log.start("deltas"))).toBe(300)
      // However short the retention is, events that the archive lacks stay.
      await stage.run(trimOnce({ log: stage.log, history: stage.history, keptDays: { deltas: 1 } }))
      expect(await stage.run(stage.log.start("deltas"))).toBe(300)
      expect(await stage.run(stage.log.start("observations"))).toBe(0)

      const before = await stage.count("SELECT sum(sipHash64(*)) % 1000000007 AS count FROM feed_probes")
      await stage.run(stage.history.execute("ALTER TABLE feed_probes DELETE WHERE log_offset = 17"))
      const rebuilt = await stage.run(Effect.scoped(rebuildTables({ log: stage.log, history: stage.history, tables })))
      expect(rebuilt.map(({ table }) => table).sort()).toEqual([
        "earthquakes",
        "feed_probes",
        "item_changes",
        "view_versions",
      ])
      expect(await stage.count("SELECT sum(sipHash64(*)) % 1000000007 AS count FROM feed_probes")).toBe(before)
      await stage.verify()
      const third = stage.consume()
      await stage.append(events(450, 500))
      await stage.caughtUp(500, 50)
      await stage.verify()
      await third.crash()
    })

    it("keeps every table whole when several have to read the archive and it cannot be read", async () => {
      await stage.append(events(0, 400))
      const first = stage.consume()
      await stage.caughtUp(400, 40)
      await first.crash()
      // Nine days later: the log of `deltas` begins behind these events, so that their tables can be written from the archive alone.
      await stage.append(events(800_000, 800_050))
      const second = stage.consume()
      await stage.caughtUp(450, 45)
      await second.crash()
      await stage.run(trimOnce({ log: stage.log, history: stage.history }))
      expect(await stage.run(stage.log.start("deltas"))).toBe(400)
      for (const table of ["feed_probes", "earthquakes"])
        await stage.run(stage.history.execute(`TRUNCATE TABLE ${table}`))

      let refusals = 0
      const refused: History = {
        ...stage.history,
        query: (sql, row, parameters) =>
          sql.includes("any(length(data))")
            ? Effect.suspend(() => {
                refusals += 1
                return Effect.fail(new HistoryRefused({ code: 241, problem: "memory limit exceeded" }))
              })
            : stage.history.query(sql, row, parameters),
      }
      const third = stage.consume(refused)
      await eventually("the archive was asked", () => refusals > 0)
      await stage.append(events(450, 500))
      await eventually(
        "the archive itself, which has to read nothing, goes on",
        async () => (await stage.count("SELECT count() AS count FROM events WHERE topic = 'deltas'")) === 500,
      )
      await third.crash()
      // Neither table is marked as written beyond the events that it lacks.
      const states = await stage.run(readStates(stage.log))
      expect(["feed_probes", "earthquakes"].map((name) => states.get(name)?.next)).toEqual([0, 0])

      const healed = stage.consume()
      await stage.caughtUp(500, 50)
      await stage.verify()
      await healed.crash()
      // A gap in the middle of a table is found by the verification.
      await stage.run(
        stage.history.execute("ALTER TABLE feed_probes DELETE WHERE log_offset >= 100 AND log_offset < 300"),
      )
      await expect(stage.verify()).rejects.toThrow('"table":"feed_probes","offset":100')
    })

    it.for(["before", "after"] as const)(
      "loses and doubles nothing when a rebuild dies %s its exchange",
      async (when) => {
        await stage.append(events(0, 200))
        const first = stage.consume()
        await stage.caughtUp(200, 20)
        await first.crash()
        const gone = new HistoryUnavailable({ problem: "the rebuild died" })
        const dying: History = {
          ...stage.history,
          exchangeGeneration: (table, generation) =>
            (when === "after" ? stage.history.exchangeGeneration(table, generation) : Effect.void).pipe(
              Effect.andThen(Effect.fail(gone)),
            ),
        }
        const failure = await stage.run(
          Effect.flip(Effect.scoped(rebuildTables({ log: stage.log, history: dying, tables, only: ["feed_probes"] }))),
        )
        expect(failure).toBe(gone)
        await stage.append(events(200, 260))
        const second = stage.consume()
        await stage.caughtUp(260, 26)
        await stage.verify()
        await second.crash()
        expect(
          await stage.count(
            "SELECT count() AS count FROM system.tables WHERE startsWith(database, 'tidewire') AND name LIKE '%\\\\_\\\\_%'",
          ),
        ).toBe(0)
      },
    )

    it("leaves no table behind if a rebuild is interrupted", async () => {
      await stage.append(events(0, 200))
      const first = stage.consume()
      await stage.caughtUp(200, 20)
      await first.crash()
      let inserting = () => {}
      const begun = new Promise<void>((resolve) => {
        inserting = resolve
      })
      const stuck: History = {
        ...stage.history,
        insert: (insert) =>
          Effect.andThen(stage.history.insert(insert), Effect.andThen(Effect.sync(inserting), Effect.never)),
      }
      const rebuild = Effect.runFork(Effect.scoped(rebuildTables({ log: stage.log, history: stuck, tables })))
      await begun
      await Effect.runPromise(Fiber.interrupt(rebuild))
      const generations = "FROM system.tables WHERE name LIKE '%\\\\_\\\\_1'"
      expect(await stage.count(`SELECT count() AS count ${generations}`)).toBe(0)
      await stage.verify()
    })

    it("names the first event at which a table and a fresh fold differ", async () => {
      await stage.append(events(0, 200))
      const { crash } = stage.consume()
      await stage.caughtUp(200, 20)
      await crash()
      await stage.run(stage.history.execute("ALTER TABLE feed_probes UPDATE verdict = 'ok' WHERE log_offset = 77"))
      await expect(stage.verify()).rejects.toThrow(/"offset":77,"eventId":"event-77"/)
    })

    it("drops other rows under a used token, so tokens must be exact", async () => {
      const row = (offset: number) => ({
        feed: "a",
        instance: "a",
        provider: "P",
        probed_at: "2026-01-01T00:00:00.000Z",
        verdict: "ok",
        age_ms: null,
        event_id: String(offset),
        log_offset: offset,
      })
      const { insert } = stage.history
      await stage.run(insert({ table: "feed_probes", rows: [row(1)], token: "t" }))
      await stage.run(insert({ table: "feed_probes", rows: [row(1)], token: "t" }))
      await stage.run(insert({ table: "feed_probes", rows: [row(2)], token: "t" }))
      await stage.run(insert({ table: "feed_probes", rows: [row(3)], token: "u" }))
      expect(await stage.count("SELECT sum(log_offset) AS count FROM feed_probes")).toBe(4)
    })

    it("writes an insert of many rows as one block", async () => {
      const rows = Array.from({ length: 20_000 }, (_, index) => ({
        topic: "deltas",
        log_offset: index,
        key: "k",
        event_id: `e${index}`,
        type: "x",
        v: 1,
        source: "s",
        subject: "t",
        time: "2026-01-01T00:00:00.000Z",
        rest: "",
        data: JSON.stringify({ text: "x".repeat(600), index }),
      }))
      await stage.run(stage.history.execute("SYSTEM STOP MERGES tidewire.events"))
      await stage.run(stage.history.insert({ table: "events", rows, token: "many" }))
      expect(
        await stage.count(
          "SELECT count() AS count FROM system.parts WHERE database = 'tidewire' AND table = 'events' AND active",
        ),
      ).toBe(1)
      await stage.run(stage.history.insert({ table: "events", rows, token: "many" }))
      expect(await stage.count("SELECT count() AS count FROM events")).toBe(20_000)
      await stage.run(stage.history.execute("SYSTEM START MERGES tidewire.events"))
    })

    progressTests(
      () => engine,
      () => stage,
    )

    changesTests(
      () => engine,
      () => stage,
    )
    itemHistoryTests(
      () => engine,
      () => stage,
    )
    usageTests(() => stage)
    keepTests(() => stage)
    pastTests(() => stage)
    purgeTests(() => stage)

    it("creates the analysts' user if ClickHouse allows it, and continues if it does not", async () => {
      const analyst = { user: "analyst", password: "a password", limits: { ...ANALYST_LIMITS, resultRows: 7 } }
      const history = await stage.run(openClickHouse({ ...engine.options, migrations, analyst }))
      const lines: Array<string> = []
      const noting = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
      await stage.run(Effect.provide(history.prepare, noting))
      await stage.run(Effect.provide(history.prepare, noting))
      expect(await stage.count("SELECT count() AS count FROM events")).toBe(0)
      const asAnalyst = { url: engine.options.url, user: analyst.user, password: analyst.password }
      const theirs = await stage.run(openClickHouse({ ...asAnalyst, migrations }))
      const rows = (count: number) =>
        stage.run(Effect.result(theirs.query(`SELECT number FROM numbers(${count})`, Schema.Unknown)))
      const said = lines.filter((line) => line.includes("refuses to create the analysts' user"))
      if (said.length > 0 || name.includes("embedded")) {
        expect(said).toHaveLength(2)
        expect(said[0]).toMatch(/\nCREATE USER IF NOT EXISTS analyst .*max_result_rows = 7 MIN 1 MAX 7.*;\n/)
        expect(said[0]).toContain("GRANT SELECT ON tidewire.* TO analyst;")
        expect(said[0]).not.toContain(createHash("sha256").update(analyst.password).digest("hex"))
        return
      }
      expect(lines.filter((line) => line.includes("analysts"))).toEqual([])
      expect((await rows(7))._tag).toBe("Success")
      expect((await rows(8))._tag).toBe("Failure")
    })

    tlsTests(
      () => engine,
      () => stage,
    )

    it("gives typed errors for rows that do not fit, a result that does not decode, and no connection", async () => {
      const bad = await stage.run(
        Effect.flip(stage.history.insert({ table: "feed_probes", rows: [{ feed: "a", verdict: null }], token: "x" })),
      )
      expect(bad._tag).toBe("HistoryRefused")
      const undecodable = await stage.run(
        Effect.flip(stage.history.query("SELECT 'a' AS n", Schema.Struct({ n: Schema.Finite }))),
      )
      expect(undecodable._tag).toBe("HistoryUndecodable")
      const unreachable = await stage.run(openClickHouse({ ...engine.options, url: "http://127.0.0.1:9" }))
      expect((await stage.run(Effect.flip(unreachable.ping)))._tag).toBe("HistoryUnavailable")
    })
  })
}
