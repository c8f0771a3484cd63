import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { ProFeedReliability, proFeedReliabilityEndpoint } from "../../schemas/endpoints/pro-feed-reliability.ts"
import { type Feed, valueFeed } from "../../schemas/feed.ts"
import { eventReader } from "../../schemas/registry.ts"
import {
  declared,
  type FoldingBench,
  failed,
  foldingBench,
  type GivenEvent,
  observed,
  tick,
} from "../testing/folding.ts"
import { monitoredWeek, WEEK_BEGINS_MS, weekExpected } from "../testing/monitored-week.ts"
import { makeReliability } from "./reliability.ts"

const plain = { description: "", value: Schema.Json, key: "x" }
const feeds = new Map<string, Feed>(
  [
    valueFeed({ ...plain, name: "things" }),
    valueFeed({ ...plain, name: "dated", contentAgeMax: "10 minutes" }),
    valueFeed({ ...plain, name: "windows", judgedAs: "one" }),
  ].map((one) => [one.name, one as Feed]),
)
const monitor = makeReliability(feeds)

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const things = [{ feed: "things", provider: "A.things" }] as const
const good = (atMs: number, freshForMs = 2 * MINUTE): GivenEvent => observed(atMs, "things", null, { freshForMs })
const start = (atMs: number): GivenEvent => declared(atMs, things)

const bench = (...events: ReadonlyArray<GivenEvent>): FoldingBench => {
  const made = foldingBench(monitor, eventReader)
  made.fold(...events)
  return made
}
const verdicts = (made: FoldingBench) => made.derived().map(({ data }) => (data as Record<string, string>).verdict)
const detailed = (made: FoldingBench) =>
  Schema.decodeUnknownSync(ProFeedReliability, { onExcessProperty: "error" })(
    (made.view(proFeedReliabilityEndpoint.path) as { readonly data: unknown }).data,
  )
/** Polled and judged ok at 1 s and at 5 minutes, with a poll at 5:30 that is fresh until 7:30; the last tick at 6 minutes. */
const before = [start(0), good(1000), good(4.5 * MINUTE), tick(5 * MINUTE), good(5.5 * MINUTE), tick(6 * MINUTE)]

describe("after our own downtime", () => {
  it("a row whose freshness ran out meanwhile is missed until it is tried, and no outage is made of it", () => {
    const made = bench(...before, start(10 * MINUTE), tick(10 * MINUTE))
    expect(verdicts(made)).toEqual(["ok", "ok"])
    expect(detailed(made).low_coverage[0]).toMatchObject({
      status: "ok",
      counts: { ok: 2, stale: 0, dark: 0, missed: 1 },
      longest_outage: null,
      interruptions: 0,
    })
    made.fold(good(10 * MINUTE + 5000, 10 * MINUTE), tick(15 * MINUTE))
    expect(verdicts(made)).toEqual(["ok", "ok", "ok"])
  })

  it("it is missed for at most five minutes after the start", () => {
    const made = bench(...before, start(9 * MINUTE), tick(10 * MINUTE), tick(13 * MINUTE + 59_999))
    expect(verdicts(made)).toEqual(["ok", "ok"])
    made.fold(tick(15 * MINUTE))
    expect(verdicts(made)).toEqual(["ok", "ok", "stale"])
  })

  it("it is judged as soon as a try after the start has failed", () => {
    const made = bench(...before, start(9 * MINUTE), failed(9.2 * MINUTE, "things", "status", "500"), tick(10 * MINUTE))
    expect(verdicts(made)).toEqual(["ok", "ok", "stale"])
  })

  it("a row that was stale before is judged, and its outage does not grow by what was missed", () => {
    const made = bench(...before, tick(9 * MINUTE), tick(10 * MINUTE), start(3 * HOUR), tick(3 * HOUR))
    expect(verdicts(made)).toEqual(["ok", "ok", "stale", "stale"])
    expect(detailed(made).low_coverage[0]?.longest_outage).toEqual({
      from: "1970-01-01T00:10:00.000Z",
      until: "1970-01-01T03:00:00.000Z",
      seconds: 300,
      checks: 2,
      dark_checks: 0,
      ongoing: true,
    })
  })

  it("a row that was stale before is not called dark for the hours in which it could not be tried", () => {
    const made = bench(...before, tick(10 * MINUTE), start(25 * HOUR), tick(25 * HOUR))
    expect(verdicts(made)).toEqual(["ok", "ok", "stale"])
    made.fold(tick(25 * HOUR + 5 * MINUTE))
    expect(verdicts(made)).toEqual(["ok", "ok", "stale", "dark"])
  })

  it("a row that is still fresh is judged at once", () => {
    const made = bench(start(0), good(1000, HOUR), tick(MINUTE), start(30 * MINUTE), tick(30 * MINUTE))
    expect(verdicts(made)).toEqual(["ok", "ok"])
  })

  it("a second start shortly after the first forgets nothing, and one after a judged absence begins anew", () => {
    const crashing = bench(...before, start(9 * MINUTE), tick(10 * MINUTE), start(13 * MINUTE), tick(15 * MINUTE))
    expect(verdicts(crashing)).toEqual(["ok", "ok"])
    const judged = bench(...before, start(9 * MINUTE), tick(15 * MINUTE), start(18 * MINUTE), tick(20 * MINUTE))
    expect(verdicts(judged)).toEqual(["ok", "ok", "stale", "stale"])
  })

  it("content that grew too old meanwhile is missed as well", () => {
    const dated = [{ feed: "dated", provider: "D.dated" }] as const
    const poll = (atMs: number) => observed(atMs, "dated", null, { freshForMs: 2 * HOUR, contentAtMs: atMs })
    const made = bench(declared(0, dated), poll(1000), tick(MINUTE), declared(HOUR, dated), tick(HOUR))
    expect(verdicts(made)).toEqual(["ok"])
  })

  it("a feed that was never tried has five minutes from the start, not from its declaration", () => {
    const two = [...things, { feed: "dated", provider: "D.dated" }]
    const made = bench(declared(0, two), tick(MINUTE), declared(HOUR, two), tick(HOUR), tick(HOUR + 4 * MINUTE))
    expect(verdicts(made)).toEqual([])
    made.fold(tick(HOUR + 5 * MINUTE))
    expect(verdicts(made)).toEqual(["dark", "dark"])
  })

  it("a row of several instances is missed only where none of them is certain to be worse", () => {
    const windows = ["all", "some"].map((of) => ({ feed: "windows", parameters: { of }, provider: "W.windows" }))
    const poll = (atMs: number, of: string) => observed(atMs, "windows", null, { parameters: { of } })
    const fine = [declared(0, windows), poll(1000, "all"), poll(1000, "some"), tick(MINUTE), declared(HOUR, windows)]
    expect(verdicts(bench(...fine, poll(HOUR + 1000, "all"), tick(HOUR + 2000)))).toEqual(["ok"])
    const failing = failed(HOUR + 1000, "windows", "status", "500", { parameters: { of: "all" } })
    expect(verdicts(bench(...fine, failing, tick(HOUR + 2000)))).toEqual(["ok", "stale"])
  })

  it("an outage that goes on ends now, and never in the future", () => {
    const made = bench(...before, tick(10 * MINUTE + 7000))
    expect(detailed(made)).toMatchObject({
      captured_at: "1970-01-01T00:10:07.000Z",
      low_coverage: [{ longest_outage: { until: "1970-01-01T00:10:07.000Z", seconds: 7, checks: 1, ongoing: true } }],
    })
  })
})

describe("a week with restarts", () => {
  it("shows what the upstreams did, and calls the rest missed", () => {
    const made = bench(...monitoredWeek())
    const rows = Object.fromEntries(detailed(made).feeds.map((row) => [row.feed, row]))
    expect(rows).toMatchObject(weekExpected.breakdown)
    const perDay = (wanted: string) => {
      const counts = new Map<string, Record<string, number>>()
      for (const { data } of made.derived()) {
        const { feed: name, verdict, probedAt } = data as { feed: string; verdict: string; probedAt: string }
        const date = probedAt.slice(0, 10)
        const day = counts.get(date) ?? { ok: 0, stale: 0, dark: 0 }
        if (name === wanted) counts.set(date, { ...day, [verdict]: (day[verdict] ?? 0) + 1 })
      }
      return [...counts].map(([date, day]) => ({ date, ...day }))
    }
    expect(perDay("shaky")).toEqual(weekExpected.daily.shaky)
    expect(perDay("steady")).toEqual(weekExpected.daily.steady)
    expect(detailed(made).captured_at).toBe(new Date(WEEK_BEGINS_MS + 7 * 24 * HOUR - 4 * MINUTE).toISOString())
  })
})
