import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { register } from "prom-client"
import { expect, it } from "vitest"
import { openClickHouse } from "../../../infra/history/clickhouse.ts"
import { weekExpected } from "../../../processors/testing/monitored-week.ts"
import { type History, HistoryUnavailable } from "../../../schemas/ports/history.ts"
import { eventually } from "../../support/eventually.ts"
import { foldWeek } from "../../support/fold-week.ts"
import { type Engine, migrationsOf, type Stage } from "./harness.ts"
import { events, tables } from "./workload.ts"

/** The lag of the history, queries of one subject, and the days of a week. */
export const progressTests = (engine: () => Engine, stage: () => Stage): void => {
  it("reports its lag from the events that are not written yet, at all times", async () => {
    const gauge = async (name: string, topic?: string) =>
      (await register.getSingleMetric(name)?.get())?.values.find(({ labels }) => labels.topic === topic)?.value
    const lag = () => gauge("tidewire_history_lag_seconds", "deltas")
    const alarm = () => gauge("tidewire_history_lag_alarm")
    await stage().append(events(0, 100))
    const first = stage().consume()
    await stage().caughtUp(100, 10)
    await eventually("nothing waits", async () => (await lag()) === 0 && (await alarm()) === 0)
    await first.crash()
    // The events of the workload are older than a month.
    await stage().append(events(100, 300))
    let isAway = true
    const seen: Array<number | undefined> = []
    const away = new HistoryUnavailable({ problem: "it is away" })
    const returning: History = {
      ...stage().history,
      prepare: Effect.suspend(() => (isAway ? Effect.fail(away) : stage().history.prepare)),
      insert: (insert) =>
        Effect.promise(async () => {
          // The archive has other topics, which are written at the same time.
          if (insert.table !== "events") seen.push(await lag(), await alarm())
        }).pipe(Effect.andThen(stage().history.insert(insert))),
    }
    const second = stage().consume(returning)
    await eventually("it is behind, and says so", async () => (await alarm()) === 1)
    isAway = false
    await stage().caughtUp(300, 30)
    await eventually("nothing waits again", async () => (await lag()) === 0 && (await alarm()) === 0)
    await second.crash()
    expect(await lag()).toBeUndefined()
    expect(seen.length).toBeGreaterThan(2)
    expect(Math.min(...seen.filter((_, index) => index % 2 === 0).map(Number))).toBeGreaterThan(86_400)
    expect(new Set(seen.filter((_, index) => index % 2 === 1))).toEqual(new Set([1]))
  })

  it("reads the events of one subject without a full scan", async () => {
    const rows = (from: number) =>
      Array.from({ length: 20_000 }, (_, index) => ({
        topic: "deltas",
        log_offset: from + index,
        key: "k",
        event_id: `e${from + index}`,
        type: "x",
        v: 1,
        source: "s",
        subject: `thing ${Math.floor((from + index) / 10)}`,
        time: "2026-01-01T00:00:00.000Z",
        rest: "",
        data: "{}",
      }))
    for (const from of [0, 20_000, 40_000])
      await stage().run(stage().history.insert({ table: "events", rows: rows(from), token: `many-${from}` }))
    const explained = await stage().run(
      stage().history.query(
        "EXPLAIN indexes = 1 SELECT * FROM events WHERE subject = 'thing 17'",
        Schema.Struct({ explain: Schema.String }),
      ),
    )
    const lines = explained.map(({ explain }) => explain.trim())
    const [, read, all] =
      /^Granules: (\d+)\/(\d+)$/.exec(
        lines.slice(lines.indexOf("Name: subjects")).find((line) => line.startsWith("Granules")) ?? "",
      ) ?? []
    expect(lines).toContain("Name: subjects")
    expect(Number(all)).toBeGreaterThan(5)
    expect(Number(read)).toBeLessThanOrEqual(2)
  })

  it("stores the monitor's verdicts of a week with restarts", async () => {
    const withDays = migrationsOf([...tables.map(({ name }) => name), "feed_reliability_daily"])
    const history = await stage().run(openClickHouse({ ...engine().options, migrations: withDays }))
    await stage().run(history.prepare)
    await stage().run(Effect.scoped(foldWeek(stage().log)))
    const { crash } = stage().consume(history)
    await eventually(
      "the week is written",
      async () => (await stage().count("SELECT count() AS count FROM feed_probes")) >= weekExpected.checks,
    )
    const Day = Schema.Struct({ date: Schema.String, ok: Schema.Int, stale: Schema.Int, dark: Schema.Int })
    for (const [feed, expected] of Object.entries(weekExpected.daily)) {
      const sql = "SELECT date, ok, stale, dark FROM feed_reliability_daily WHERE feed = {feed:String} ORDER BY date"
      expect(await stage().run(history.query(sql, Day, { feed }))).toEqual(expected)
    }
    await crash()
  })
}
