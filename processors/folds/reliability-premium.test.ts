import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  isStalled,
  proFeedReliabilityEndpoint,
  STALLED_AFTER_MS,
} from "../../schemas/endpoints/pro-feed-reliability.ts"
import { freshnessKey } from "../../schemas/view-record.ts"
import { type Checks, checksOf } from "../reliability/score.ts"
import { historyOf } from "../reliability/table.ts"
import { declared, failed, observed, tick } from "../testing/folding.ts"
import { bench, detailed, good, HOUR, KEY, MINUTE, table, two } from "../testing/monitor.ts"

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
      throttled_until: null,
      announced: [],
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
