import { createHash } from "node:crypto"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { dayOf } from "../../schemas/day.ts"
import { correlationAssets, correlationPairs, pairName } from "../../schemas/endpoints/pro-correlation-matrix.ts"
import { instant, makeEvent } from "../../schemas/event.ts"
import { feedPatched } from "../../schemas/events/observations.ts"
import { canonicalJson, type Json } from "../../schemas/json.ts"
import { itemIndex, partsOf } from "../../schemas/list-patch.ts"
import { eventReader } from "../../schemas/registry.ts"
import { correlate } from "../correlations/correlation.ts"
import { failed, foldedInPieces, foldingBench, type GivenEvent, observed, tick } from "../testing/folding.ts"
import correlations from "./correlations.ts"

const DAY_MS = 86_400_000
const BEGIN_MS = Date.parse("2026-11-20T12:00:00.000Z")
const [TEN, TWO, DOLLAR, OIL] = correlationAssets.map(({ series }) => series)

/** The payload of a series: the numbers of as many days, the newest first. */
const payload = (values: ReadonlyArray<number>) => ({
  items: values.map((value, at) => ({ date: dayOf(BEGIN_MS - at * DAY_MS), value })),
  facts: {},
})
type Payload = ReturnType<typeof payload>
const RISING = payload(Array.from({ length: 15 }, (_, at) => 1 + ((at * 7) % 5)))
const OTHER = payload(Array.from({ length: 15 }, (_, at) => 1 + ((at * 3) % 7)))

const saw = (atMs: number, series: string | undefined, of: Payload): GivenEvent =>
  observed(atMs, "economic-series", of as unknown as Json, { parameters: { series: series ?? "" } })
const hashOf = (of: Payload): string => createHash("sha256").update(canonicalJson(of)).digest("hex")
const patched = (atMs: number, series: string | undefined, before: Payload, after: Payload): GivenEvent => {
  const { parts } = partsOf(itemIndex(before.items), after.items)
  const data = {
    feed: "economic-series",
    parameters: { series: series ?? "" },
    provider: "FRED.test",
    latencyMs: 7,
    hash: hashOf(after),
    contentAt: null,
    freshUntil: instant(atMs + DAY_MS),
    standsInFor: null,
    base: hashOf(before),
    parts,
  }
  return (id) => makeEvent(feedPatched, { id, source: "test/ingest", subject: "test", time: instant(atMs), data })
}
const folded = (...events: ReadonlyArray<GivenEvent>) => {
  const bench = foldingBench(correlations, eventReader)
  bench.fold(...events)
  expect(bench.problems()).toEqual([])
  return bench
}
const subjects = (bench: ReturnType<typeof folded>) => bench.derived().map(({ subject }) => subject)

describe("the history of correlations", () => {
  it("given two series, has an event of their pair, with what it is of", () => {
    const bench = folded(saw(BEGIN_MS, TEN, RISING), saw(BEGIN_MS + 1, OIL, OTHER))
    const { r, returns } = correlate(RISING.items, OTHER.items)
    expect(r).not.toBeNull()
    expect(bench.derived()).toMatchObject([
      {
        type: "correlation.computed",
        v: 1,
        id: "e1/correlations/0",
        subject: "TREASURY_10Y/OIL_WTI",
        time: instant(BEGIN_MS + 1),
        data: {
          a: "TREASURY_10Y",
          b: "OIL_WTI",
          pearsonR: r,
          returns,
          firstDay: "2026-11-06",
          lastDay: "2026-11-20",
          observedAt: instant(BEGIN_MS + 1),
        },
      },
    ])
  })

  it("given a new number of one series, has an event of each of its pairs and of no other", () => {
    const all = [TEN, TWO, DOLLAR, OIL].map((series, at) => saw(BEGIN_MS, series, at % 2 === 0 ? RISING : OTHER))
    expect(subjects(folded(...all)).sort()).toEqual(correlationPairs.map(([a, b]) => pairName(a, b)).sort())
    const revised = payload([3.5, ...OTHER.items.slice(1).map(({ value }) => value)])
    expect(subjects(folded(...all, patched(BEGIN_MS + 1, TWO, OTHER, revised))).slice(correlationPairs.length)).toEqual(
      ["TREASURY_10Y/TREASURY_2Y", "TREASURY_2Y/USD_INDEX", "TREASURY_2Y/OIL_WTI"],
    )
  })

  it("has the pairs without a correlation too, as null", () => {
    const still = payload(Array(15).fill(4.25))
    const bench = folded(saw(BEGIN_MS, TEN, RISING), saw(BEGIN_MS, TWO, still), saw(BEGIN_MS, OIL, payload([1, 2])))
    expect(bench.derived().map(({ data }) => data)).toMatchObject([
      { b: "TREASURY_2Y", pearsonR: null, returns: 14 },
      { a: "TREASURY_10Y", b: "OIL_WTI", pearsonR: null, returns: 1, firstDay: "2026-11-19" },
      { a: "TREASURY_2Y", b: "OIL_WTI", pearsonR: null, returns: 1 },
    ])
  })

  it("has nothing of what changes no correlation", () => {
    const two = [saw(BEGIN_MS, TEN, RISING), saw(BEGIN_MS, OIL, OTHER)]
    const same = folded(
      ...two,
      saw(BEGIN_MS + 1, TEN, RISING),
      failed(BEGIN_MS + 2, "economic-series", "timeout", "slow", { parameters: { series: TEN ?? "" } }),
      // In view of no premium endpoint.
      saw(BEGIN_MS + 3, "MORTGAGE30US", OTHER),
      saw(BEGIN_MS + 3, "FEDFUNDS", OTHER),
      observed(BEGIN_MS + 4, "forex", { items: [], facts: {} }),
      tick(BEGIN_MS + 5),
      // A patch of a list that the log no longer holds.
      patched(BEGIN_MS + 6, TEN, OTHER, payload([9, 8, 7])),
      // Twice the number of each day: the same returns.
      saw(BEGIN_MS + 7, OIL, payload(OTHER.items.map(({ value }) => 2 * value))),
    )
    expect(subjects(same)).toHaveLength(1)
    expect(same.stateKeys().toSorted()).toEqual(["pair/TREASURY_10Y/OIL_WTI", `series/${OIL}`, `series/${TEN}`].sort())
  })

  it("is the same to the byte with a restart after any event", () => {
    const events = [
      saw(BEGIN_MS, TEN, RISING),
      saw(BEGIN_MS, DOLLAR, OTHER),
      saw(BEGIN_MS + 1, OIL, OTHER),
      patched(BEGIN_MS + 2, DOLLAR, OTHER, RISING),
      tick(BEGIN_MS + 3),
      patched(BEGIN_MS + 4, TEN, RISING, payload([1, 2, 3])),
      saw(BEGIN_MS + 5, TEN, OTHER),
    ]
    const whole = foldedInPieces(correlations, eventReader, events, [])
    expect(JSON.stringify(whole)).toContain("correlation.computed")
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: events.length, maxLength: events.length }), (cuts) => {
        expect(foldedInPieces(correlations, eventReader, events, cuts)).toEqual(whole)
      }),
      { numRuns: 50 },
    )
  })
})
