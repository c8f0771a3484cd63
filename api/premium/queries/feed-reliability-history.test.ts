import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  FeedReliabilityHistory,
  proFeedReliabilityHistoryEndpoint,
} from "../../../schemas/endpoints/pro-feed-reliability-history.ts"
import { type History, HistoryUnavailable, type QueryParameters } from "../../../schemas/ports/history.ts"
import { makeParameterReader } from "../../http/parameters.ts"
import asked from "./feed-reliability-history.ts"

const DAY_MS = 86_400_000
const NOW_MS = Date.parse("2028-03-10T00:00:00.000Z")
const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const refused = (parameters: object, nowMs = NOW_MS) => asked.refuse({ feed: "earthquakes", ...parameters }, nowMs)

/** A history that answers every query with these rows, and notes what it was asked. */
const historyOf = (
  rows: ReadonlyArray<unknown>,
): { readonly history: History; readonly asked: Array<QueryParameters> } => {
  const seen: Array<QueryParameters> = []
  const query = (_: string, __: unknown, parameters: QueryParameters) => {
    seen.push(parameters)
    return Effect.succeed(rows)
  }
  return { history: { query } as unknown as History, asked: seen }
}
const run = (history: History, parameters: object, nowMs = NOW_MS) =>
  Effect.runPromise(asked.run(history, { feed: "earthquakes", ...parameters }, nowMs))
const row = (date: string) => ({
  date,
  composite: 88,
  uptime: 0.75,
  availability: 1,
  staleness_rate: 0.25,
  dark_rate: 0,
  checks: 4,
  ok: 3,
  stale: 1,
  dark: 0,
})

describe("the window of the reliability history", () => {
  it.each([
    ["ends today and is 30 days long", {}, ["2028-02-10", "2028-03-10"]],
    ["is 30 days long where only its end is told", { to: "2028-03-01" }, ["2028-02-01", "2028-03-01"]],
    ["ends today where only its beginning is told", { from: "2028-03-09" }, ["2028-03-09", "2028-03-10"]],
    ["may be a single day", { from: "2028-02-29", to: "2028-02-29" }, ["2028-02-29", "2028-02-29"]],
  ])("%s", async (_, parameters, [from, to]) => {
    const { history, asked: seen } = historyOf([])
    expect(refused(parameters)).toBeNull()
    expect((await run(history, parameters)).data).toMatchObject({ from, to, empty: true, series: [] })
    expect(seen).toMatchObject([{ feed: "earthquakes", instance: "earthquakes", from, to }])
  })

  it.each([
    ["365 days of a year", "2027-01-01", "2027-12-31", true],
    ["366 days of a leap year", "2028-01-01", "2028-12-31", false],
    ["365 days over a leap day", "2027-06-01", "2028-05-30", true],
    ["366 days over a leap day", "2027-06-01", "2028-05-31", false],
    ["its end before its beginning", "2028-03-02", "2028-03-01", false],
  ])("of %s: from %s to %s", (_, from, to, isTaken) => {
    const refusal = refused({ from, to })
    expect(refusal === null).toBe(isTaken)
    if (refusal !== null) expect(refusal.parameter).toBe("from")
  })

  it("is refused when it would begin after today", () => {
    expect(refused({ from: "2028-03-11" })).toMatchObject({
      parameter: "from",
      message: "The window begins on 2028-03-11, after its end on 2028-03-10.",
    })
  })

  it("is taken exactly when it has 1 to 365 days, wherever it lies", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40_000 }), fc.integer({ min: -400, max: 800 }), (begin, length) => {
        const from = dayAt(begin * DAY_MS)
        const to = dayAt((begin + length - 1) * DAY_MS)
        expect(refused({ from, to }) === null).toBe(length >= 1 && length <= 365)
      }),
    )
  })
})

describe("a feed", () => {
  it("may be an instance, and is then asked for by both of its names", async () => {
    const feed = "service-status?service=github"
    expect(refused({ feed })).toBeNull()
    const { history, asked: seen } = historyOf([])
    expect((await run(history, { feed })).data).toMatchObject({ feed })
    expect(seen).toMatchObject([{ feed: "service-status", instance: feed }])
  })
})

describe("a call without a feed", () => {
  it("is answered with the feeds that there are, without the history", async () => {
    const { history, asked: seen } = historyOf([row("2028-03-09")])
    const parameters = { feed: undefined, from: "2028-03-01" }
    const nothing = asked.withoutHistory(parameters, NOW_MS)
    const expected = Schema.decodeUnknownSync(FeedReliabilityHistory, { onExcessProperty: "error" })(nothing)
    expect(expected).toMatchObject({
      feed: null,
      from: "2028-03-01",
      to: "2028-03-10",
      empty: true,
      series: [],
      sample_size: { days: 0, days_asked: 10, checks: 0 },
    })
    expect(expected.notes.feed).toContain("named no feed")
    for (const feed of expected.feeds ?? []) expect(asked.withoutHistory({ feed }, NOW_MS)).toBeNull()
    expect(expected.feeds).toEqual(expect.arrayContaining(["earthquakes", "service-status?service=github"]))
    expect(await run(history, parameters)).toEqual({ empty: true, data: nothing })
    expect(seen).toEqual([])
  })

  it("is refused for a window that no feed could have", () => {
    expect(refused({ feed: undefined, from: "2028-03-11" })).toMatchObject({ parameter: "from" })
  })
})

describe("the answer", () => {
  it("says of each day whether it is over, and counts what it was made of", async () => {
    const { history } = historyOf([row("2028-02-29"), row("2028-03-09"), row("2028-03-10")])
    const { data, empty } = await run(history, {})
    expect(empty).toBe(false)
    expect(data).toMatchObject({
      empty: false,
      series: [{ complete: true }, { complete: true }, { complete: false }],
      sample_size: { days: 3, days_asked: 30, checks: 12 },
    })
  })

  it("is a failure when the history cannot be read, never an empty answer", async () => {
    const gone = new HistoryUnavailable({ problem: "nobody there" })
    const history = { query: () => Effect.fail(gone) } as unknown as History
    expect(await Effect.runPromise(Effect.flip(asked.run(history, { feed: "earthquakes" }, NOW_MS)))).toBe(gone)
  })
})

describe("its parameters", () => {
  const read = makeParameterReader(proFeedReliabilityHistoryEndpoint)

  it.each(["2028-02-29", "2026-12-31", "1999-01-01"])("take the day %s", (from) => {
    expect(read({ feed: "earthquakes", from })).toMatchObject({ _tag: "Accepted", parameters: { from } })
  })

  it.each([
    "2027-02-29",
    "2028-02-30",
    "2028-13-01",
    "2028-1-1",
    "20280101",
    "2028-01-01T00:00:00Z",
    "today",
    "",
    "+002028-01-01",
    "1969-12-31",
    "2100-01-01",
  ])("refuse %j as a day", (to) => {
    expect(read({ feed: "earthquakes", to })).toMatchObject({ _tag: "Refused", parameter: "to" })
  })

  it.each([
    ...["", "Earthquakes", "a b", "earthquakes?", "x".repeat(201), "é", "feed\n", "earthquake", "constructor"],
    // Judged by their instances, each by itself.
    ...["wildfires", "fires?satellite=none", "service-status", "weather?lat=1&lon=1"],
    // Its instances overlap: it is judged as a whole.
    "earthquakes?magnitude=2.5&period=day",
  ])("refuse %j as a feed, and say which there are", (feed) => {
    const refused = read({ feed })
    expect(refused).toMatchObject({ _tag: "Refused", parameter: "feed" })
    if (refused._tag === "Refused")
      expect(refused.allowed).toEqual(expect.arrayContaining(["earthquakes", "humans-in-space"]))
  })

  it("want no feed", () => {
    expect(read({})).toMatchObject({ _tag: "Accepted", parameters: {} })
  })
})
