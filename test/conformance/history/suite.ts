import { spawn } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect, Schema } from "effect"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { openClickHouse } from "../../../infra/history/clickhouse.ts"
import { type History, HistoryUnavailable } from "../../../infra/history/history.port.ts"
import { rebuildTables } from "../../../processors/history/rebuild.ts"
import { trimOnce } from "../../../processors/history/trimmer.ts"
import { eventually } from "../../support/eventually.ts"
import { temporaryDirectory } from "../../support/service.ts"
import { dropDatabase, type Engine, migrations, openLine, openStage, type Stage } from "./harness.ts"
import { events, tables } from "./workload.ts"

const ROUNDS = Number(process.env.ROUNDS ?? 4)
const ROUND_MS_MAX = 20_000

/** Pauses of the rounds, in milliseconds: spread over what a batch takes, the same in every run. */
const pauseOf = (round: number) => 150 + ((round * 7_919) % 600)
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** What every ClickHouse must keep to. */
export const historySuite = (name: string, start: () => Promise<Engine>): void => {
  describe(name, () => {
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

    const consumer = async (path: string, total: number) => {
      const { url, user, password } = engine.options
      const file = fileURLToPath(new URL("consumer-process.ts", import.meta.url))
      const child = spawn(process.execPath, [file, path, url, user, password, migrations.href, String(total)], {
        stdio: ["ignore", "pipe", "inherit"],
      })
      let done = false
      child.stdout.on("data", () => {
        done = true
      })
      const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
      return {
        done: () => done,
        kill: async () => {
          child.kill("SIGKILL")
          await ended
        },
      }
    }

    it("writes every event once, into its tables and into the archive", async () => {
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

    it("repeats a planned batch exactly when it was written and not noted, though the log has grown", async () => {
      await stage.append(events(0, 700))
      // Every insert reaches the tables; the one that notes it dies before it hears so.
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
      await eventually("some inserts are in", () => (inserts >= 3 ? true : undefined))
      await first.crash()
      await stage.append(events(700, 900))
      const second = stage.consume()
      await stage.caughtUp(900, 90)
      await stage.verify()
      expect(await stage.count("SELECT count() AS count FROM events")).toBe(990)
      await second.crash()
    })

    it("neither doubles nor loses rows when the answer to an insert is lost", async () => {
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

    it("catches up when ClickHouse was away, and a database that was never there is no obstacle", async () => {
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

    it("writes again what a table has lost, though its tokens are still remembered", async () => {
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

    it("stops a fenced consumer", async () => {
      const { ended } = stage.consume()
      await stage.append(events(0, 50))
      await stage.caughtUp(50, 5)
      await stage.run(stage.log.claim("history", ["checkpoints"]))
      await stage.append(events(50, 60))
      expect(String(await ended)).toContain("Fenced")
    })

    it("lets one table wait whose rows are refused, and the others go on", async () => {
      const refused: History = {
        ...stage.history,
        insert: (insert) =>
          stage.history.insert(insert.table === "feed_probes" ? { ...insert, rows: [{ nonsense: 1 }] } : insert),
      }
      const { crash } = stage.consume(refused)
      await stage.append(events(0, 200))
      await eventually("the other table is written", async () =>
        (await stage.count("SELECT count() AS count FROM earthquakes")) === 50 ? true : undefined,
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
      // Nine days on: the first events of `deltas` have been kept long enough. One of them is missing in the archive.
      const late = events(800_000, 800_050)
      await stage.append(late)
      const second = stage.consume()
      await stage.caughtUp(450, 45)
      await second.crash()
      await stage.run(stage.history.execute("ALTER TABLE events DELETE WHERE topic = 'deltas' AND log_offset = 300"))
      await stage.run(trimOnce({ log: stage.log, history: stage.history }))
      expect(await stage.run(stage.log.start("deltas"))).toBe(300)
      expect(await stage.run(stage.log.start("observations"))).toBe(0)

      const before = await stage.count("SELECT sum(sipHash64(*)) % 1000000007 AS count FROM feed_probes")
      await stage.run(stage.history.execute("ALTER TABLE feed_probes DELETE WHERE log_offset = 17"))
      const rebuilt = await stage.run(Effect.scoped(rebuildTables({ log: stage.log, history: stage.history, tables })))
      expect(rebuilt.map(({ table }) => table).sort()).toEqual(["earthquakes", "feed_probes"])
      expect(await stage.count("SELECT sum(sipHash64(*)) % 1000000007 AS count FROM feed_probes")).toBe(before)
      await stage.verify()
      const third = stage.consume()
      await stage.append(events(450, 500))
      await stage.caughtUp(500, 50)
      await stage.verify()
      await third.crash()
    })

    it("names the first event at which a table and a fresh fold part", async () => {
      await stage.append(events(0, 200))
      const { crash } = stage.consume()
      await stage.caughtUp(200, 20)
      await crash()
      await stage.run(stage.history.execute("ALTER TABLE feed_probes UPDATE verdict = 'ok' WHERE log_offset = 77"))
      await expect(stage.verify()).rejects.toThrow(/"offset":77,"eventId":"event-77"/)
    })

    it("refuses a second token's worth of rows under a used token, so that tokens must be exact", async () => {
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

    it("gives typed errors: rows that do not fit, a query that does not decode, nobody there", async () => {
      const bad = await stage.run(
        Effect.flip(stage.history.insert({ table: "feed_probes", rows: [{ feed: "a", verdict: null }], token: "x" })),
      )
      expect(bad._tag).toBe("HistoryRefused")
      const undecodable = await stage.run(
        Effect.flip(stage.history.query("SELECT 'a' AS n", Schema.Struct({ n: Schema.Finite }))),
      )
      expect(undecodable._tag).toBe("HistoryUndecodable")
      const nobody = await stage.run(openClickHouse({ ...engine.options, url: "http://127.0.0.1:9" }))
      expect((await stage.run(Effect.flip(nobody.ping)))._tag).toBe("HistoryUnavailable")
    })

    it(
      `loses and doubles nothing when the consumer's process is killed ${ROUNDS} times`,
      async () => {
        await stage.close()
        const directory = temporaryDirectory()
        const path = join(directory, "log")
        const total = 400 + ROUNDS * 150
        for (let round = 0; round < ROUNDS; round += 1) {
          const process = await consumer(path, total)
          await pause(pauseOf(round) + 500)
          await process.kill()
        }
        const last = await consumer(path, total)
        await eventually("all events are in the log", () => (last.done() ? true : undefined), 60_000)
        await pause(100)
        await last.kill()
        stage = await openStage(engine.options, directory)
        const { crash } = stage.consume()
        await stage.caughtUp(total, total / 10)
        await stage.verify()
        expect(await stage.count("SELECT count() AS count FROM events")).toBe(total + total / 10)
        await crash()
      },
      60_000 + ROUNDS * ROUND_MS_MAX,
    )

    it(
      `loses and doubles nothing when ClickHouse is killed ${ROUNDS} times`,
      async () => {
        const { crash } = stage.consume()
        const per = 150
        for (let round = 0; round < ROUNDS; round += 1) {
          const killed = pause(pauseOf(round) / 3).then(() => engine.kill())
          for (let part = 0; part < per; part += 10) {
            await stage.append(events(round * per + part, round * per + part + 10))
            await pause(10)
          }
          await killed
        }
        await stage.caughtUp(ROUNDS * per, (ROUNDS * per) / 10)
        await stage.verify()
        expect(await stage.count("SELECT count() AS count FROM events")).toBe(ROUNDS * per * 1.1)
        await crash()
      },
      60_000 + ROUNDS * ROUND_MS_MAX,
    )
  })
}
