import { describe, expect, it } from "vitest"
import { freshnessKey } from "../../schemas/view-record.ts"
import { declared, type FoldingBench, failed, type GivenEvent, observed, tick } from "../testing/folding.ts"
import { bench, detailed, good, HOUR, KEY, MINUTE, table, two } from "../testing/monitor.ts"

const probes = (made: FoldingBench) =>
  made.derived().map(({ time, data }) => {
    const { feed: name, verdict, probedAt } = data as Record<string, string>
    expect(Date.parse(probedAt ?? "")).toBeGreaterThanOrEqual(Date.parse(time))
    return `${name} ${verdict}`
  })

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

  it("says that what it judges is simulated, where any of it is", () => {
    const made = bench()
    const isSimulated = () => (made.view(freshnessKey(KEY)) as { simulated?: true }).simulated
    const x = { host: "x" }
    made.fold(
      declared(0, two),
      observed(1000, "things", null, { simulated: true }),
      observed(1000, "hosts", null, { parameters: x }),
    )
    expect(isSimulated()).toBe(true)
    made.fold(observed(2000, "things", null), tick(5 * MINUTE))
    expect(isSimulated()).toBeUndefined()
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
