import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { makeOfferMaker } from "../../../api/premium/offers.ts"
import asked from "../../../api/premium/queries/feed-reliability-history.ts"
import { readReliability } from "../../../api/status/reliability.ts"
import { ViewStore } from "../../../api/views/store.ts"
import { openClickHouse } from "../../../infra/history/clickhouse.ts"
import { rebuildTables } from "../../../processors/history/rebuild.ts"
import { scoreOf } from "../../../processors/reliability/score.ts"
import creditEntries, { pseudonymOf } from "../../../processors/tables/credit_entries/table.ts"
import feedProbes from "../../../processors/tables/feed_probes/table.ts"
import purchases from "../../../processors/tables/purchases/table.ts"
import { isPremium } from "../../../schemas/contract/endpoint-kinds.ts"
import {
  FeedReliabilityHistory,
  proFeedReliabilityHistoryEndpoint,
} from "../../../schemas/endpoints/pro-feed-reliability-history.ts"
import type { History, Row } from "../../../schemas/ports/history.ts"
import { eventually } from "../../support/eventually.ts"
import { ledgerRecords } from "../../support/ledger-records.ts"
import { startEmbedded } from "./embedded.ts"
import { dropDatabase, type Engine, migrationsOf, openLine, openStage, type Stage } from "./harness.ts"
import { ledgerRun } from "./ledger-workload.ts"
import { events } from "./workload.ts"

const tables = [feedProbes, creditEntries, purchases]
const migrations = migrationsOf([...tables.map(({ name }) => name), "feed_reliability_daily"])
const DAY_MS = 86_400_000

describe("the history behind the premium endpoints, embedded", () => {
  let engine: Engine
  let stage: Stage
  beforeAll(async () => {
    engine = await startEmbedded()
  })
  afterAll(() => engine.stop())
  beforeEach(async () => {
    await dropDatabase(engine.options)
    stage = await openStage({ ...engine.options, migrations }, undefined, tables)
  })
  afterEach(() => stage.close())

  describe("the tables of the ledger", () => {
    const run = ledgerRun()
    const records = ledgerRecords(run.history)
    const sums = Schema.Struct({ account: Schema.String, credits: Schema.Int })
    const balances = async () =>
      new Map(
        (
          await stage.run(
            stage.history.query("SELECT account, sum(credits) AS credits FROM credit_entries GROUP BY account", sums),
          )
        ).map(({ account, credits }) => [account, credits]),
      )
    const expected = new Map(
      Array.from(
        run.state.accounts.entries(),
        ([id, { balance, shortfall, added }]) => [pseudonymOf(id), balance - shortfall - added] as const,
      ).filter(([, called]) => called !== 0),
    )
    const entries = records.filter(({ value }) =>
      creditEntries.types.some(({ type }) => new TextDecoder().decode(value).includes(`"type":"${type}"`)),
    ).length
    const filled = () =>
      eventually(
        "the entries are written",
        async () =>
          (await stage.count("SELECT count() AS count FROM credit_entries")) >= entries && (await stage.written()),
      )

    it("have every entry of the ledger once, and the archive has none", async () => {
      await stage.append(records.slice(0, 40))
      const first = stage.consume()
      await eventually(
        "some are written",
        async () => (await stage.count("SELECT count() AS count FROM credit_entries")) > 0,
      )
      await first.crash()
      await stage.append(records.slice(40))
      await stage.append(events(0, 50))
      const second = stage.consume()
      await filled()
      await eventually(
        "the archive is written",
        async () => (await stage.count("SELECT count() AS count FROM events")) >= 55,
      )
      await second.crash()
      await stage.verify()
      expect(await balances()).toEqual(expected)
      expect(await stage.count("SELECT count() AS count FROM credit_entries")).toBe(entries)
      expect(await stage.count("SELECT count() AS count FROM events WHERE topic = 'ledger'")).toBe(0)
      expect(await stage.count("SELECT count() AS count FROM events WHERE topic = 'deltas'")).toBe(50)
    })

    it("are rebuilt from the log's ledger alone", async () => {
      await stage.append(records)
      const first = stage.consume()
      await filled()
      await first.crash()
      const bought = "SELECT sum(sipHash64(*)) % 1000000007 AS count FROM purchases"
      const before = await stage.count(bought)
      await stage.run(stage.history.execute("ALTER TABLE credit_entries DELETE WHERE log_offset % 3 = 0"))
      await stage.run(stage.history.execute("TRUNCATE TABLE purchases"))
      await expect(stage.verify()).rejects.toThrow("differs from the log")
      const { log, history } = stage
      const rebuilt = await stage.run(Effect.scoped(rebuildTables({ log, history, tables })))
      expect(rebuilt.map(({ table }) => table)).toContain("purchases")
      expect(await balances()).toEqual(expected)
      expect(await stage.count(bought)).toBe(before)
      await stage.verify()
    })
  })

  describe("reliability by day", () => {
    const NOW_MS = Date.parse("2028-03-10T15:00:00.000Z")
    const BEGIN_MS = Date.parse("2027-02-20T00:00:00.000Z")
    const verdicts = ["ok", "stale", "dark"] as const
    const probe = (feed: string, instance: string, atMs: number, at: number): Row => ({
      feed,
      instance,
      provider: "P.x",
      probed_at: new Date(atMs).toISOString(),
      verdict: verdicts[(at * at + Math.floor(at / 7)) % 3] ?? "ok",
      age_ms: at,
      event_id: `e${at}`,
      log_offset: at,
    })
    // Five probes a day at irregular times, including both ends of the day; every eleventh day none.
    const probes = Array.from({ length: 385 }, (_, day) => day)
      .filter((day) => day % 11 !== 3)
      .flatMap((day) =>
        [0, 1, 40_000_000, 86_399_998, 86_399_999].map((within, index) => {
          const atMs = BEGIN_MS + day * DAY_MS + within
          return probe("earthquakes", "earthquakes", atMs, day * 5 + index)
        }),
      )
      .filter(({ probed_at }) => Date.parse(String(probed_at)) <= NOW_MS)
    const naive = (from: string, to: string) => {
      const days = new Map<string, { ok: number; stale: number; dark: number }>()
      for (const { probed_at, verdict } of probes) {
        const date = String(probed_at).slice(0, 10)
        if (date < from || date > to) continue
        const counts = days.get(date) ?? { ok: 0, stale: 0, dark: 0 }
        counts[verdict as (typeof verdicts)[number]] += 1
        days.set(date, counts)
      }
      return [...days].map(([date, counts]) => {
        const { score, trust, low_coverage, ...scores } = scoreOf(counts)
        return { date, composite: score, ...scores, ...counts, complete: date < "2028-03-10" }
      })
    }
    const ask = async (parameters: object, nowMs = NOW_MS) => {
      const { data, empty } = await stage.run(asked.run(stage.history, { feed: "earthquakes", ...parameters }, nowMs))
      const decoded = Schema.decodeUnknownSync(FeedReliabilityHistory, { onExcessProperty: "error" })(data)
      expect(empty).toBe(decoded.empty)
      return decoded
    }
    beforeEach(async () => {
      const byMonth = Map.groupBy(probes, (row) => feedProbes.partitions.of(row))
      for (const [month, rows] of byMonth)
        await stage.run(stage.history.insert({ table: "feed_probes", rows, token: month }))
      const others = [
        probe("earthquakes", "earthquakes?x=1", NOW_MS, 1),
        probe("humans-in-space", "humans-in-space", NOW_MS, 2),
      ]
      await stage.run(stage.history.insert({ table: "feed_probes", rows: others, token: "others" }))
    })

    it("summarises the checks of each day, with the members and the rounding of the score", async () => {
      for (const [from, to] of [
        ["2027-03-12", "2028-03-10"],
        ["2028-02-28", "2028-03-01"],
        ["2028-02-29", "2028-02-29"],
      ] as const) {
        const { series, ...rest } = await ask({ from, to })
        expect(series).toEqual(naive(from, to))
        expect(series.length).toBeGreaterThan(0)
        expect(rest).toMatchObject({ feed: "earthquakes", from, to, empty: false })
        expect(rest.sample_size.checks).toBe(series.reduce((sum, { checks }) => sum + checks, 0))
      }
    })

    it("has the last thirty days by default, and the current day is not complete", async () => {
      const { from, to, series, sample_size } = await ask({})
      expect([from, to, sample_size.days_asked]).toEqual(["2028-02-10", "2028-03-10", 30])
      expect(series.at(-1)).toMatchObject({ date: "2028-03-10", complete: false })
      expect(series.at(-2)).toMatchObject({ complete: true })
    })

    it("rounds halves up, as the score of the free table does", async () => {
      const letters = ["ok", "ok", "stale", "dark"]
      const rows = letters.map((verdict, at) => ({ ...probe("tech-news", "tech-news", NOW_MS + at, at), verdict }))
      await stage.run(stage.history.insert({ table: "feed_probes", rows, token: "halves" }))
      const { series } = await ask({ feed: "tech-news" })
      expect(series).toMatchObject([{ composite: 63, uptime: 0.5, availability: 0.75, staleness_rate: 0.25 }])
      expect(scoreOf({ ok: 2, stale: 1, dark: 1 }).score).toBe(63)
    })

    it("keeps instances apart", async () => {
      expect((await ask({ feed: "earthquakes?x=1" })).sample_size.checks).toBe(1)
      expect((await ask({ feed: "humans-in-space" })).sample_size.checks).toBe(1)
    })

    it("gives the status page the days of all feeds, and their outages with their times", async () => {
      const at = (text: string) => Date.parse(`2028-03-${text}:00.000Z`)
      const unwell = [
        { from: at("08T10:00"), to: at("08T10:25"), verdict: "stale" },
        { from: at("09T00:00"), to: at("09T15:55"), verdict: "dark" },
        { from: at("10T14:50"), to: at("10T15:00"), verdict: "stale" },
      ]
      const slots = Array.from(
        { length: (NOW_MS - at("07T00:00")) / 300_000 + 1 },
        (_, slot) => at("07T00:00") + slot * 300_000,
      )
      const rows = slots.map((atMs, slot) => ({
        ...probe("forex", "forex", atMs, slot),
        verdict: unwell.find(({ from, to }) => atMs >= from && atMs <= to)?.verdict ?? "ok",
      }))
      await stage.run(stage.history.insert({ table: "feed_probes", rows, token: "forex" }))
      const { firstDay, feeds, outages } = await stage.run(readReliability(stage.history, NOW_MS))
      expect(firstDay).toBe("2027-12-12")
      // 7 March good; 8 March 6 of 288 stale; 9 March 192 of 288 dark; 10 March 3 of 181 stale.
      expect(feeds.get("forex")).toEqual({
        days: `${"n".repeat(86)}gdxd`,
        uptime: Math.floor(((rows.length - 201) / rows.length) * 10_000) / 10_000,
      })
      expect([...feeds.keys()].sort()).toEqual(["earthquakes", "earthquakes?x=1", "forex", "humans-in-space"])
      expect(outages.filter(({ feed }) => feed === "forex")).toEqual(
        unwell
          .map(({ from, to, verdict }) => ({
            feed: "forex",
            fromMs: from,
            lastMs: to,
            checks: (to - from) / 300_000 + 1,
            isDark: verdict === "dark",
          }))
          .reverse(),
      )
    })

    it("is empty, and marked so, if there were no checks", async () => {
      for (const parameters of [
        { from: "2026-01-01", to: "2026-12-31" },
        { from: "2027-02-23", to: "2027-02-23" },
        { feed: "wildfires" },
        { from: "2099-01-01", to: "2099-12-31" },
      ])
        expect(await ask(parameters)).toMatchObject({ empty: true, series: [], sample_size: { days: 0, checks: 0 } })
    })

    it("reads only the checks of the feed and the days", async () => {
      const plan = await stage.run(
        stage.history.query(
          `EXPLAIN indexes = 1 SELECT * FROM feed_reliability_daily
           WHERE feed = 'humans-in-space' AND instance = 'humans-in-space' AND date >= '2028-03-01' AND date <= '2028-03-10'`,
          Schema.Struct({ explain: Schema.String }),
        ),
      )
      const text = plan.map(({ explain }) => explain).join("\n")
      const [, kept, of] = /Min-?Max[\s\S]*?Parts: (\d+)\/(\d+)/.exec(text) ?? []
      expect(Number(kept)).toBeLessThanOrEqual(2)
      expect(Number(of)).toBeGreaterThan(10)
      const keys = /PrimaryKey\s+Keys:\s+([\s\S]*?)\s+Condition/.exec(text)?.[1]?.split(/\s+/)
      expect(keys).toEqual(["feed", "instance", "probed_at"])
    })

    it("is exact during and after a rebuild of its probes", async () => {
      const { log, history } = stage
      await stage.append(events(0, 60))
      const built = await stage.run(Effect.scoped(rebuildTables({ log, history, tables, only: ["feed_probes"] })))
      expect(built).toMatchObject([{ table: "feed_probes", rows: 45 }])
      expect(await stage.count("SELECT sum(checks) AS count FROM feed_reliability_daily")).toBe(45)
    })

    it("is a failure, and never empty, if the history is down or has no such table yet", async () => {
      const line = await openLine(() => engine.options.url)
      line.cut()
      const away = await stage.run(openClickHouse({ ...engine.options, migrations, url: line.url }))
      const failure = await stage.run(Effect.flip(asked.run(away, { feed: "earthquakes" }, NOW_MS)))
      expect(failure._tag).toBe("HistoryUnavailable")
      await line.close()
      await stage.run(stage.history.execute("DROP VIEW feed_reliability_daily"))
      const refused = await stage.run(Effect.flip(asked.run(stage.history, { feed: "earthquakes" }, NOW_MS)))
      expect(refused._tag).toBe("HistoryRefused")
    })

    it("is a call that is answered 503 and not 500, until the history has its database and its tables", async () => {
      const { endpoint } = asked
      if (!isPremium(endpoint)) throw new Error("the endpoint is not premium")
      const store = new ViewStore({ endpoints: [endpoint], nowMs: () => NOW_MS })
      const failure = (history: History) => {
        const offer = makeOfferMaker(endpoint, { store, queries: [asked], history })?.({ feed: "earthquakes" }, NOW_MS)
        if (offer === undefined || !("content" in offer) || !Effect.isEffect(offer.content))
          throw new Error("the query was not accepted")
        return stage.run(Effect.flip(offer.content))
      }
      await stage.run(stage.history.execute("DROP VIEW feed_reliability_daily"))
      expect((await failure(stage.history))._tag).toBe("ContentUnavailable")
      await dropDatabase(engine.options)
      expect((await failure(stage.history))._tag).toBe("ContentUnavailable")
    })

    it("answers for the endpoint of the contract", () => {
      expect(asked.endpoint).toBe(proFeedReliabilityHistoryEndpoint)
    })
  })
})
