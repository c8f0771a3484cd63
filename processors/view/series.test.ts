import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { endpoint } from "../../schemas/contract/endpoint.ts"
import { choice } from "../../schemas/contract/parameters.ts"
import { type Feed, valueFeed } from "../../schemas/feed.ts"
import type { Json } from "../../schemas/json.ts"
import { eventReader } from "../../schemas/registry.ts"
import { makeLatest } from "../folds/latest.ts"
import { stateIn } from "../processor.ts"
import {
  declared,
  type FoldingBench,
  failed,
  foldedInPieces,
  foldingBench,
  type GivenEvent,
  observed,
  tick,
  unchangedPoll,
} from "../testing/folding.ts"
import { SERIES_POINTS_MAX, type SeriesPoint, withinWindow, withPoint } from "./memory.ts"
import { from, series, type View, view } from "./view.ts"

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const value = Schema.Struct({ value: Schema.NullOr(Schema.Finite) })
const gauge = valueFeed({ name: "gauge", description: "A number.", value, key: "gauge" })
const other = valueFeed({ name: "other", description: "A number.", value, key: "gauge" })
const feeds = new Map<string, Feed>([
  ["gauge", gauge as Feed],
  ["other", other as Feed],
])
const window = {
  windowMs: HOUR,
  everyMs: 5 * MINUTE,
  value: ({ value }: { readonly value: number | null }) => {
    if (value === 666) throw new Error("poisoned")
    return value
  },
}
const Points = Schema.Struct({ points: Schema.Array(Schema.Struct({ ts: Schema.Int, value: Schema.Finite })) })
const facts = { tier: "free", kind: "prepared", ttl: "1 minute", summary: "", description: "", parameters: {} } as const
const hourView = view({
  endpoint: endpoint({ ...facts, path: "/api/hour", name: "hour", data: Points, example: { points: [] } }),
  reads: { hour: series(gauge, window), other: { ...from(other), required: false } },
  build: ({ hour }) => ({ points: hour.map(([ts, value]) => ({ ts, value })) }),
}) as View
const latest = makeLatest([hourView], feeds)
const bench = (): FoldingBench => foldingBench(latest, eventReader)
const servedPoints = (made: FoldingBench) => {
  const body = made.view("/api/hour") as { readonly data: typeof Points.Type } | undefined
  return body?.data.points.map(({ ts, value }) => [ts / MINUTE, value])
}
const saw = (minute: number, value: Json): GivenEvent => observed(minute * MINUTE, "gauge", { value })

describe("a window over a feed", () => {
  it("keeps the first good observation of each stretch, at its own time", () => {
    const made = bench()
    made.fold(saw(1, 10), saw(2, 11), saw(5, 12), saw(6, 13), saw(14.5, 14))
    expect(servedPoints(made)).toEqual([
      [1, 10],
      [5, 12],
      [14.5, 14],
    ])
  })

  it("takes a poll that confirms the value as a point, and serves it at once", () => {
    const made = bench()
    made.fold(saw(1, 10))
    made.forgetWrites()
    made.fold(unchangedPoll(4 * MINUTE, "gauge"))
    expect(made.written()).not.toContain("/api/hour")
    made.fold(unchangedPoll(6 * MINUTE, "gauge"))
    expect(made.written()).toContain("/api/hour")
    expect(servedPoints(made)).toEqual([
      [1, 10],
      [6, 10],
    ])
  })

  it("given a payload that adds no point, then a view that reads the window alone is not built; a failed one is tried again", () => {
    let builds = 0
    const counted: View = {
      ...hourView,
      build: (inputs, context) => {
        builds += 1
        if (builds === 3) throw new Error("failed once")
        return hourView.build(inputs, context)
      },
    }
    const made = foldingBench(makeLatest([counted], feeds), eventReader)
    made.fold(saw(1, null), saw(2, 10), saw(3, 11), saw(4, 12))
    // Of the first payload, which has no number, and of the first point.
    expect(builds).toBe(2)
    made.fold(saw(6, 13), saw(7, 14), saw(8, 15))
    expect(builds).toBe(4)
    expect(servedPoints(made)).toEqual([
      [2, 10],
      [6, 13],
    ])
  })

  it("makes nothing up: no point from a failed poll, from a value that is none, nor for the time of a gap", () => {
    const made = bench()
    made.fold(failed(MINUTE, "gauge", "timeout", "slow"))
    expect(servedPoints(made)).toBeUndefined()
    made.fold(saw(2, 1), failed(7 * MINUTE, "gauge", "timeout", "slow"), saw(12, null), saw(31, 2))
    expect(servedPoints(made)).toEqual([
      [2, 1],
      [31, 2],
    ])
  })

  it("ends with event time: old points leave, also when only another feed is polled", () => {
    const made = bench()
    made.fold(saw(1, 10), saw(30, 11), saw(61, 12))
    expect(servedPoints(made)).toEqual([
      [30, 11],
      [61, 12],
    ])
    made.fold(observed(95 * MINUTE, "other", { value: 1 }))
    expect(servedPoints(made)).toEqual([[61, 12]])
  })

  it("does not go back for an observation that comes late", () => {
    const made = bench()
    made.fold(saw(11, 10), saw(3, 9), saw(16, 11))
    expect(servedPoints(made)).toEqual([
      [11, 10],
      [16, 11],
    ])
  })

  it("given a payload that its function fails on, then the point is missing, the problem is reported, and the fold goes on", () => {
    const made = bench()
    made.fold(saw(1, 10), saw(6, 666), saw(11, 12))
    expect(made.problems()).toEqual([{ subject: "/api/hour#hour", problem: "memory: Error: poisoned" }])
    expect(servedPoints(made)).toEqual([
      [1, 10],
      [11, 12],
    ])
  })

  it("is not kept by a view on demand, nor without bounds", () => {
    const demanded = endpoint({
      ...facts,
      kind: "on-demand",
      path: "/api/x",
      name: "x",
      parameters: { at: choice(["here"], { description: "Where" }) },
      data: Points,
      example: { points: [] },
    })
    expect(() =>
      view({ endpoint: demanded, reads: { hour: series(gauge, window) }, build: () => ({ points: [] }) }),
    ).toThrow("it can keep no memory")
    for (const everyMs of [0, -1, Number.NaN, 2 * HOUR, HOUR / SERIES_POINTS_MAX])
      expect(() => series(gauge, { ...window, everyMs })).toThrow(RangeError)
  })
})

describe("a window and its checkpoints", () => {
  it("begins empty on a checkpoint of a release without it, reports that, and fills from then on", () => {
    const older = foldingBench(makeLatest([], feeds), eventReader)
    older.fold(saw(1, 10))
    const kept = older.checkpoint()
    const newer = foldingBench(latest, eventReader, kept)
    const state = () =>
      stateIn(
        new Map(
          [...newer.checkpoint().checkpoints]
            .filter(([key]) => key.startsWith("latest/1/"))
            .map(([key, text]) => [key.slice("latest/1/".length), JSON.parse(text) as Json]),
        ),
      )
    expect(latest.missingState(state())).toEqual(["the memory /api/hour#hour begins empty"])
    newer.fold(unchangedPoll(7 * MINUTE, "gauge"))
    expect(servedPoints(newer)).toEqual([[7, 10]])
    expect(latest.missingState(state())).toEqual([])
  })

  it("reports no gap where the feed has never answered", () => {
    expect(latest.missingState(stateIn(new Map()))).toEqual([])
  })

  it("is dropped with the view that kept it", () => {
    const made = bench()
    made.fold(saw(1, 10))
    expect(made.stateKeys()).toContain("memory//api/hour#hour")
    const without = foldingBench(makeLatest([], feeds), eventReader, made.checkpoint())
    without.fold(declared(2 * MINUTE, []))
    expect(without.stateKeys().filter((key) => key.startsWith("memory/"))).toEqual([])
  })

  const happening = fc.record({
    kind: fc.constantFrom("observed", "unchanged", "failed", "other", "tick"),
    value: fc.integer({ min: 0, max: 3 }),
    gapMs: fc.constantFrom(0, 1, 20_000, 5 * MINUTE, 17 * MINUTE, -3 * MINUTE, 3 * HOUR),
  })

  it("gives identical bytes however the events are cut and wherever the process is begun again", () => {
    fc.assert(
      fc.property(
        fc.array(happening, { minLength: 1, maxLength: 40 }),
        fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }),
        (history, cuts) => {
          let atMs = HOUR
          const events = history.map(({ kind, value, gapMs }): GivenEvent => {
            atMs += gapMs
            if (kind === "observed") return observed(atMs, "gauge", { value })
            if (kind === "unchanged") return unchangedPoll(atMs, "gauge")
            if (kind === "failed") return failed(atMs, "gauge", "status", "503")
            if (kind === "other") return observed(atMs, "other", { value })
            return tick(atMs)
          })
          const whole = bench()
          whole.fold(...events)
          expect(foldedInPieces(latest, eventReader, events, cuts)).toEqual(whole.everything())
        },
      ),
      { numRuns: 100 },
    )
  })
})

describe("the points of a window", () => {
  it("are, of what was seen in order, the first of each stretch within the window, and never more than it holds", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 20 * MINUTE }), fc.option(fc.double())), { maxLength: 200 }),
        (steps) => {
          let atMs = 0
          let points: ReadonlyArray<SeriesPoint> = []
          const firsts = new Map<number, SeriesPoint>()
          for (const [gapMs, value] of steps) {
            atMs += gapMs
            points = withPoint(points, window, atMs, value)
            const stretch = Math.floor(atMs / window.everyMs)
            if (value !== null && Number.isFinite(value) && !firsts.has(stretch)) firsts.set(stretch, [atMs, value])
            expect(withinWindow(points, window, atMs)).toEqual(
              [...firsts.values()].filter(([at]) => at > atMs - window.windowMs),
            )
            expect(points.length).toBeLessThanOrEqual(window.windowMs / window.everyMs + 1)
          }
        },
      ),
    )
  })
})
