import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { FeedReliability } from "../../schemas/endpoints/feed-reliability.ts"
import {
  isStalled,
  ProFeedReliability,
  proFeedReliabilityEndpoint,
  STALLED_AFTER_MS,
} from "../../schemas/endpoints/pro-feed-reliability.ts"
import type { Verdict } from "../../schemas/events/deltas.ts"
import { type Feed, valueFeed } from "../../schemas/feed.ts"
import { eventReader } from "../../schemas/registry.ts"
import { freshnessKey } from "../../schemas/view-record.ts"
import { historyOf } from "../reliability/breakdown.ts"
import { type Checks, checksOf, countsOf, scoreOf, WINDOW_CHECKS, withCheck } from "../reliability/score.ts"
import {
  declared,
  type FoldingBench,
  failed,
  foldingBench,
  type GivenEvent,
  observed,
  tick,
} from "../testing/folding.ts"
import { makeReliability } from "./reliability.ts"

const plain = { description: "", value: Schema.Json, key: "x" }
const feeds = new Map<string, Feed>(
  [
    valueFeed({ ...plain, name: "things" }),
    valueFeed({ ...plain, name: "dated", contentAgeMax: "10 minutes" }),
    valueFeed({ ...plain, name: "windows", judgedAs: "one" }),
    valueFeed({ ...plain, name: "hosts" }),
    // Its monthly series may be ten times as old as its daily ones.
    valueFeed({
      ...plain,
      name: "figures",
      judgedAs: "one",
      contentAgeMax: ({ every }) => (every === "month" ? "100 minutes" : "10 minutes"),
    }),
  ].map((one) => [one.name, one as Feed]),
)
const bench = (): FoldingBench => foldingBench(makeReliability(feeds), eventReader)

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const KEY = "/api/feed-reliability"
const two = [
  { feed: "things", provider: "A.things" },
  { feed: "hosts", parameters: { host: "x" }, provider: "X.status" },
] as const
const good = (atMs: number, name: string, freshForMs = 120_000): GivenEvent =>
  observed(atMs, name, null, { freshForMs, parameters: name === "hosts" ? { host: "x" } : {} })
const probes = (made: FoldingBench) =>
  made.derived().map(({ time, data }) => {
    const { feed: name, verdict, probedAt } = data as Record<string, string>
    expect(Date.parse(probedAt ?? "")).toBeGreaterThanOrEqual(Date.parse(time))
    return `${name} ${verdict}`
  })
const table = (made: FoldingBench) =>
  Schema.decodeUnknownSync(FeedReliability)((made.view(KEY) as { readonly data: unknown }).data)

const detailed = (made: FoldingBench) =>
  Schema.decodeUnknownSync(ProFeedReliability, { onExcessProperty: "error" })(
    (made.view(proFeedReliabilityEndpoint.path) as { readonly data: unknown }).data,
  )

describe("when the monitor judges", () => {
  it("first as soon as every configured feed has been tried, at that event's time", () => {
    const made = bench()
    made.fold(
      declared(0, [...two, { feed: "dated", provider: "D.keyed", rests: "not_configured" }]),
      good(1000, "things"),
    )
    expect(made.view(KEY)).toBeUndefined()
    expect(made.view(freshnessKey(KEY))).toMatchObject({ asOf: null, sources: [{ status: null }] })
    made.fold(failed(2000, "hosts", "timeout", "slow", { parameters: { host: "x" } }))
    expect(probes(made)).toEqual(["things ok", "hosts dark"])
    expect(table(made)).toMatchObject({
      captured_at: "1970-01-01T00:00:02.000Z",
      counts: { monitored: 2, ranked: 0, low_coverage: 2, not_configured: 1, ok: 1, stale: 0, dark: 1 },
      not_configured: [{ feed: "dated", name: "D.keyed", reason: "not_configured" }],
    })
    expect(made.view(freshnessKey(KEY))).toMatchObject({
      asOf: "1970-01-01T00:00:02.000Z",
      staleAfter: "1970-01-01T00:10:02.000Z",
    })
  })

  it("first after five minutes where a feed is never tried", () => {
    const made = bench()
    made.fold(declared(MINUTE, two), good(MINUTE, "things", HOUR), tick(5 * MINUTE + 50_000))
    expect(probes(made)).toEqual([])
    made.fold(tick(6 * MINUTE))
    expect(probes(made)).toEqual(["things ok", "hosts dark"])
  })

  it("then at the first tick past each five-minute boundary, once", () => {
    const made = bench()
    made.fold(declared(0, two.slice(0, 1)), good(1000, "things", HOUR))
    made.fold(tick(4 * MINUTE), tick(5 * MINUTE), tick(6 * MINUTE), tick(9 * MINUTE), tick(10 * MINUTE + 3000))
    expect(made.derived().map(({ data }) => (data as Record<string, string>).probedAt)).toEqual([
      "1970-01-01T00:00:01.000Z",
      "1970-01-01T00:05:00.000Z",
      "1970-01-01T00:10:03.000Z",
    ])
  })

  it("once after a gap in event time, and not in retrospect", () => {
    const made = bench()
    made.fold(declared(0, two.slice(0, 1)), good(1000, "things", HOUR), tick(10 * HOUR), tick(10 * HOUR + 10_000))
    expect(probes(made)).toEqual(["things ok", "things stale"])
    expect(table(made).low_coverage[0]).toMatchObject({ checks: 2, score: 75 })
  })

  it("not a feed that was declared a moment ago and not yet tried", () => {
    const made = bench()
    made.fold(declared(0, two.slice(0, 1)), good(1000, "things", HOUR), declared(4 * MINUTE + 50_000, two))
    made.fold(tick(5 * MINUTE))
    expect(probes(made)).toEqual(["things ok", "things ok"])
    made.fold(tick(10 * MINUTE))
    expect(probes(made).slice(2)).toEqual(["things ok", "hosts dark"])
  })

  it("not instances that are fetched on request", () => {
    const made = bench()
    made.fold(declared(0, two.slice(0, 1)), good(1000, "hosts"), good(1000, "things"))
    expect(probes(made)).toEqual(["things ok"])
  })
})

describe("the meaning of a verdict", () => {
  const verdictAt = (atMs: number, ...events: ReadonlyArray<GivenEvent>): string | undefined => {
    const made = bench()
    made.fold(declared(0, two.slice(0, 1)), ...events, tick(atMs))
    return probes(made).at(-1)
  }

  it.each([
    ["ok until the poll's promise has passed", 2 * MINUTE + 1000, 10 * MINUTE, "things ok"],
    ["stale when a good value exists, older", 24 * HOUR, 10 * MINUTE, "things stale"],
    ["dark when it is older than a day", 24 * HOUR + 5 * MINUTE, 10 * MINUTE, "things dark"],
  ])("%s", (_, atMs, freshForMs, expected) => {
    expect(verdictAt(atMs, good(1000, "things", freshForMs))).toBe(expected)
  })

  it("dark when there never was a value", () => {
    expect(verdictAt(5 * MINUTE, failed(1000, "things", "status", "500"))).toBe("things dark")
  })

  it("ok while polls fail within the promise of the last good one", () => {
    expect(verdictAt(5 * MINUTE, good(4 * MINUTE, "things"), failed(5 * MINUTE, "things", "status", "500"))).toBe(
      "things ok",
    )
  })

  it("stale when the content is older than the feed promises, however often it is confirmed", () => {
    const made = bench()
    made.fold(
      declared(0, [{ feed: "dated", provider: "D.dated" }]),
      observed(20 * MINUTE, "dated", null, { freshForMs: HOUR, contentAtMs: 9 * MINUTE }),
    )
    expect(probes(made)).toEqual(["dated stale"])
  })
})

describe("the table", () => {
  it("shows a feed that is judged as one as one row, as good as the weakest instance, and instances of others apart", () => {
    const made = bench()
    made.fold(
      declared(0, [
        { feed: "windows", parameters: { of: "all" }, provider: "W.windows" },
        { feed: "windows", parameters: { of: "some" }, provider: "W.windows" },
        { feed: "hosts", parameters: { host: "x" }, provider: "X.status" },
        { feed: "hosts", parameters: { host: "y" }, provider: "Y.status" },
      ]),
      observed(1000, "windows", null, { parameters: { of: "all" } }),
      failed(1000, "windows", "status", "500", { parameters: { of: "some" } }),
      observed(1000, "hosts", null, { parameters: { host: "x" } }),
      observed(1000, "hosts", null, { parameters: { host: "y" } }),
    )
    expect(table(made).low_coverage.map(({ feed: name, name: provider, status }) => [name, provider, status])).toEqual([
      ["hosts?host=x", "X.status", "ok"],
      ["hosts?host=y", "Y.status", "ok"],
      ["windows", "W.windows", "dark"],
    ])
  })

  it.each([
    ["of several sources", "hosts", ["hosts?host=x X.status ok", "hosts?host=y Y.status dark"]],
    ["of several sources, judged as one", "windows", ["windows X.status dark"]],
  ])("gives each instance of a feed %s the row that the feed declares", (_, feed, rows) => {
    const made = bench()
    const [x, y] = [{ host: "x" }, { host: "y" }]
    made.fold(
      declared(0, [
        { feed, parameters: x, provider: "X.status" },
        { feed, parameters: y, provider: "Y.status" },
      ]),
      observed(1000, feed, null, { parameters: x, provider: "X.status" }),
      failed(1000, feed, "status", "451", { parameters: y, provider: "Y.status" }),
    )
    const { low_coverage } = table(made)
    expect(low_coverage.map(({ feed: id, name, status }) => `${id} ${name} ${status}`)).toEqual(rows)
  })

  it.each([
    ["month", 15 * MINUTE, "ok"],
    ["month", 101 * MINUTE, "stale"],
    ["day", 15 * MINUTE, "stale"],
    ["day", 9 * MINUTE, "ok"],
  ])("holds a series of every %s to its own promise: content of %s ms is %s", (every, ageMs, status) => {
    const made = bench()
    const atMs = 24 * HOUR
    made.fold(
      declared(0, [{ feed: "figures", parameters: { every }, provider: "F.figures" }]),
      observed(atMs, "figures", null, { parameters: { every }, contentAtMs: atMs - ageMs }),
    )
    expect(table(made).low_coverage).toMatchObject([{ feed: "figures", status }])
    expect(detailed(made).low_coverage).toMatchObject([{ content_age_max_seconds: every === "month" ? 6000 : 600 }])
  })

  it("lists what rests with its reason, never dark; of a row of several, only where all of them rest", () => {
    const made = bench()
    const windows = (of: string, rests?: "not_configured" | "not_licensed") => ({
      feed: "windows",
      parameters: { of },
      provider: "W.windows",
      ...(rests === undefined ? {} : { rests }),
    })
    made.fold(
      declared(0, [
        { feed: "things", provider: "A.things" },
        windows("all", "not_licensed"),
        windows("some", "not_licensed"),
        { feed: "hosts", parameters: { host: "x" }, provider: "X.status", rests: "not_configured" },
        { feed: "hosts", parameters: { host: "y" }, provider: "Y.status" },
      ]),
      good(1000, "things"),
      observed(1000, "hosts", null, { parameters: { host: "y" } }),
      tick(25 * HOUR),
    )
    expect(table(made).low_coverage.map(({ feed: id }) => id)).toEqual(["hosts?host=y", "things"])
    expect(table(made).not_configured).toEqual([
      { feed: "hosts?host=x", name: "X.status", reason: "not_configured" },
      { feed: "windows", name: "W.windows", reason: "not_licensed" },
    ])
    made.fold(
      declared(25 * HOUR, [windows("all"), windows("some", "not_licensed")]),
      observed(25 * HOUR, "windows", null, { parameters: { of: "all" }, freshForMs: HOUR }),
      tick(25 * HOUR + 5 * MINUTE),
    )
    expect(table(made)).toMatchObject({ low_coverage: [{ feed: "windows", status: "ok" }], not_configured: [] })
  })

  it("ranks from twelve checks on, best first", () => {
    const made = bench()
    made.fold(declared(0, two), good(1000, "things", 40 * MINUTE), good(1000, "hosts", HOUR))
    for (let check = 1; check < 12; check += 1) made.fold(tick(check * 5 * MINUTE))
    expect(table(made).feeds.map(({ rank, feed: name, score, trust }) => [rank, name, score, trust])).toEqual([
      [1, "hosts?host=x", 100, "medium"],
      [2, "things", 88, "medium"],
    ])
  })
})

describe("the premium table", () => {
  it("serves the same ranks and scores as the free one, with the counts behind them", () => {
    const made = bench()
    made.fold(declared(0, [...two, { feed: "dated", provider: "D.keyed", rests: "not_configured" }]))
    expect(made.view(freshnessKey(proFeedReliabilityEndpoint.path))).toMatchObject({ asOf: null })
    made.fold(good(1000, "things", 40 * MINUTE), good(1000, "hosts", HOUR))
    for (let check = 1; check < 12; check += 1) made.fold(tick(check * 5 * MINUTE))
    const free = table(made)
    const full = detailed(made)
    expect(full.feeds.map(({ rank, feed: name, composite }) => [rank, name, composite])).toEqual(
      free.feeds.map(({ rank, feed: name, score }) => [rank, name, score]),
    )
    for (const key of ["captured_at", "window", "counts", "not_configured"] as const)
      expect(full[key]).toEqual(free[key])
    expect(full.feeds[1]).toEqual({
      rank: 2,
      feed: "things",
      name: "A.things",
      composite: 88,
      subscores: { uptime: 0.75, availability: 1, staleness_rate: 0.25, dark_rate: 0 },
      trust: "medium",
      low_coverage: false,
      checks: 12,
      counts: { ok: 9, stale: 3, dark: 0, missed: 0 },
      last_24_hours: { composite: 88, uptime: 0.75, checks: 12 },
      status: "stale",
      status_since: "1970-01-01T00:45:00.000Z",
      interruptions: 1,
      longest_outage: {
        from: "1970-01-01T00:45:00.000Z",
        until: "1970-01-01T00:55:00.000Z",
        seconds: 600,
        checks: 3,
        dark_checks: 0,
        ongoing: true,
      },
      last_success_at: "1970-01-01T00:00:01.000Z",
      content_at: null,
      fresh_until: "1970-01-01T00:40:01.000Z",
      content_age_max_seconds: null,
    })
    expect(full.sample_size).toEqual({ feeds: 2, checks: 24 })
    expect(made.view(freshnessKey(proFeedReliabilityEndpoint.path))).toEqual(made.view(freshnessKey(KEY)))
  })

  it("lists feeds with few checks apart, with the oldest success of overlapping instances and the feed's promise", () => {
    const made = bench()
    made.fold(
      declared(0, [
        { feed: "windows", parameters: { of: "all" }, provider: "W.windows" },
        { feed: "windows", parameters: { of: "some" }, provider: "W.windows" },
        { feed: "dated", provider: "D.dated" },
        { feed: "hosts", parameters: { host: "x" }, provider: "X.status" },
      ]),
      observed(2000, "windows", null, { parameters: { of: "all" } }),
      observed(1000, "windows", null, { parameters: { of: "some" } }),
      observed(3000, "dated", null, { contentAtMs: 500 }),
      failed(3000, "hosts", "status", "500", { parameters: { host: "x" } }),
    )
    expect(detailed(made).feeds).toEqual([])
    const rows = Object.fromEntries(detailed(made).low_coverage.map((one) => [one.feed, one]))
    expect(rows.windows).toMatchObject({ last_success_at: "1970-01-01T00:00:01.000Z", content_age_max_seconds: null })
    expect(rows.dated).toMatchObject({ content_at: "1970-01-01T00:00:00.500Z", content_age_max_seconds: 600 })
    expect(rows["hosts?host=x"]).toMatchObject({
      low_coverage: true,
      trust: "low",
      last_success_at: null,
      fresh_until: null,
      counts: { ok: 0, stale: 0, dark: 1 },
      longest_outage: { checks: 1, dark_checks: 1, ongoing: true },
    })
  })

  it.each<[string, string, object]>([
    [
      "no outage",
      "ooo",
      { counts: { ok: 3, stale: 0, dark: 0, missed: 0 }, interruptions: 0, longest_outage: null, status_since: 0 },
    ],
    [
      "the longest outage by time, of equals the latest",
      "osodosdo",
      { interruptions: 3, longest_outage: { from: 5, until: 7, checks: 2, dark_checks: 1, ongoing: false } },
    ],
    [
      "an outage over slots without a check, which do not count",
      "..os..do.s",
      {
        counts: { ok: 2, stale: 2, dark: 1, missed: 3 },
        interruptions: 2,
        status_since: 9,
        longest_outage: { from: 3, until: 7, checks: 2, dark_checks: 1, ongoing: false },
      },
    ],
    [
      "a status over a gap",
      "os..ss",
      { status_since: 1, longest_outage: { from: 1, until: 6, checks: 3, ongoing: true } },
    ],
    ["never an ok", "dd", { interruptions: 0, status_since: 0, longest_outage: { from: 0, until: 2, ongoing: true } }],
  ])("reports %s", (_, letters, expected) => {
    const at = (text: string) => Date.parse(text) / (5 * MINUTE)
    const { longest_outage: outage, status_since, ...rest } = historyOf({ first: 0, letters })
    expect({
      ...rest,
      status_since: at(status_since),
      longest_outage: outage === null ? null : { ...outage, from: at(outage.from), until: at(outage.until) },
    }).toMatchObject(expected)
  })

  it("scores the last 24 hours alone, and nothing where there was no check in them", () => {
    const day = (letter: string) => letter.repeat(288)
    expect(historyOf({ first: 0, letters: `${day("d")}${day("o")}` }).last_24_hours).toEqual({
      composite: 100,
      uptime: 1,
      checks: 288,
    })
    expect(historyOf({ first: 0, letters: `o${day(".")}` }).last_24_hours).toBeNull()
  })

  it("agrees with a naive reading of any checks", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("o", "s", "d", "."), minLength: 1, maxLength: 60 }), (text) => {
        const letters = `${text}o`
        const checks: Checks = { first: 7, letters }
        const history = historyOf(checks)
        const { ok, stale, dark, missed } = history.counts
        expect(ok + stale + dark).toBe(checksOf(checks).length)
        expect(missed).toBe([...letters.replace(/^\.+/, "")].filter((one) => one === ".").length)
        const plain = letters.replaceAll(".", "")
        expect(history.interruptions).toBe([...plain.matchAll(/o(?=[sd])/g)].length)
        const runs = [...letters.matchAll(/[sd](?:[sd.]*[sd])?/g)].map(([run]) => run.replaceAll(".", "").length * 300)
        expect(history.longest_outage?.seconds ?? 0).toBe(Math.max(0, ...runs))
      }),
    )
  })

  it("is free of charge from the first millisecond past 48 hours", () => {
    const captured = { captured_at: "2026-08-17T20:35:00.000Z" }
    const atMs = Date.parse(captured.captured_at) + STALLED_AFTER_MS
    expect(isStalled(captured, atMs)).toBe(false)
    expect(isStalled(captured, atMs + 1)).toBe(true)
    // A clock behind the monitor's does not make a call free of charge.
    expect(isStalled(captured, atMs - 2 * STALLED_AFTER_MS)).toBe(false)
    const condition = proFeedReliabilityEndpoint.noCharge.find(({ reason }) => reason === "stalled_monitor")
    expect(condition?.decided).toBe("before")
    expect(condition?.when?.(proFeedReliabilityEndpoint.example, atMs + 1)).toBe(true)
    expect(condition?.when?.(proFeedReliabilityEndpoint.example, atMs)).toBe(false)
  })
})

describe("scores", () => {
  it.each([
    [
      { ok: 0, stale: 0, dark: 0 },
      { score: 0, uptime: 0, checks: 0, trust: "low", low_coverage: true },
    ],
    [
      { ok: 11, stale: 0, dark: 0 },
      { score: 100, uptime: 1, checks: 11, trust: "low", low_coverage: true },
    ],
    [
      { ok: 6, stale: 3, dark: 3 },
      { score: 63, uptime: 0.5, availability: 0.75, staleness_rate: 0.25, dark_rate: 0.25 },
    ],
    [
      { ok: 287, stale: 0, dark: 0 },
      { trust: "medium", low_coverage: false },
    ],
    [
      { ok: 288, stale: 0, dark: 0 },
      { trust: "high", low_coverage: false },
    ],
  ])("of %j", (counts, expected) => {
    expect(scoreOf(counts)).toMatchObject(expected)
  })

  it("count exactly the verdicts of the last seven days, whatever gaps there are", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1000, max: 5000 })),
            fc.constantFrom<Verdict>("ok", "stale", "dark"),
          ),
          { minLength: 1, maxLength: 60 },
        ),
        (steps) => {
          let slot = 100
          let checks: ReturnType<typeof withCheck> | undefined
          const all: Array<readonly [number, Verdict]> = []
          for (const [gap, verdict] of steps) {
            slot += gap
            checks = withCheck(checks, slot, verdict)
            all.push([slot, verdict])
            const within = all.filter(([at]) => at > slot - WINDOW_CHECKS)
            const having = (kind: Verdict) => within.filter(([, one]) => one === kind).length
            expect(countsOf(checks)).toEqual({ ok: having("ok"), stale: having("stale"), dark: having("dark") })
            expect(checks.letters.length).toBeLessThanOrEqual(WINDOW_CHECKS)
          }
        },
      ),
      { numRuns: 100 },
    )
  })
})
