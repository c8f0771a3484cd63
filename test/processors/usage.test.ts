import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { newReport } from "../../processors/folds/ai-stats.ts"
import { stateIn } from "../../processors/processor.ts"
import { loadCheckpoint } from "../../processors/run/checkpoint.ts"
import { rebuildViews } from "../../processors/run/rebuild.ts"
import { verifyViews } from "../../processors/run/verify.ts"
import type { Json } from "../../schemas/json.ts"
import { counting, foldAll, some, views, withLog, write } from "../support/counting.ts"
import { appendUsage, tallying, usageReport } from "../support/tallying.ts"

const HOUR = 3_600_000
const refusal = (exit: Exit.Exit<unknown, unknown>) => (Exit.isFailure(exit) ? JSON.stringify(exit.cause) : "")

describe("a processor over another topic", () => {
  it("folds that topic alone, each report once, through restarts, and its views stand beside those of others", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, some(10))
        yield* appendUsage(log, [usageReport("a", 0, 1000), usageReport("b", 0, 2000), usageReport("a", 0, 1000)])
        yield* foldAll(log, counting())
        yield* foldAll(log, tallying())
        yield* appendUsage(log, [usageReport("a", 0, 1000), usageReport("a", 1, 3000)])
        yield* foldAll(log, tallying())
        expect(yield* views(log)).toMatchObject({ "/count": 8, "/tally": { quakes: 3 } })
        const { position } = yield* loadCheckpoint(log, tallying())
        // The time is that of its own topic: the observations go on to 9 seconds.
        expect(position).toMatchObject({ topic: "usage", next: 5, count: 5, nowMs: 3000 })
        expect(yield* verifyViews(log, { processors: [counting(), tallying()] })).toMatchObject({
          equal: true,
          comparisons: [{ events: 10 }, { events: 5 }],
        })
      }),
    ))

  it("is rebuilt from the archive where the log no longer holds the reports, and refused without it", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* appendUsage(
          log,
          Array.from({ length: 30 }, (_, sequence) => usageReport("a", sequence, sequence * 1000)),
        )
        yield* foldAll(log, tallying())
        const archive = yield* Stream.runCollect(log.read("usage", 0))
        yield* log.trim("usage", 20)
        expect(yield* Effect.flip(verifyViews(log, { processors: [tallying()] }))).toMatchObject({
          message: "tallying needs usage from 0; the log begins at 20: rebuild from the archive",
        })
        const opened: Array<string> = []
        const prefix = (topic: string, before: number) => {
          opened.push(topic)
          return Stream.map(Stream.fromIterable(archive), (batch) => ({
            ...batch,
            records: batch.records.filter(({ offset }) => offset < before),
            next: before,
          }))
        }
        expect(yield* verifyViews(log, { processors: [tallying()], prefix })).toMatchObject({ equal: true })
        yield* Effect.scoped(rebuildViews(log, { processors: [tallying()], prefix }))
        expect(yield* views(log)).toEqual({ "/tally": { quakes: 30 } })
        expect(opened).toEqual(["usage", "usage"])
      }),
    ))

  it("stops where reports that it needs were trimmed", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* appendUsage(log, [usageReport("a", 0, 0)])
        yield* foldAll(log, tallying())
        yield* appendUsage(log, [usageReport("a", 1, 0), usageReport("a", 2, 0)])
        yield* log.trim("usage", 2)
        expect(refusal(yield* Effect.exit(foldAll(log, tallying())))).toContain("EventsTrimmed")
      }),
    ))

  it("refuses a checkpoint that is of another topic, and a rebuild makes it one of its own", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, some(10))
        yield* appendUsage(log, [usageReport("a", 0, 1000)])
        yield* foldAll(log, tallying("turncoat", "observations"))
        expect(refusal(yield* Effect.exit(foldAll(log, tallying("turncoat"))))).toContain("CheckpointUnreadable")
        yield* Effect.scoped(rebuildViews(log, { processors: [tallying("turncoat")] }))
        yield* foldAll(log, tallying("turncoat"))
        expect(yield* views(log)).toEqual({ "/tally": { quakes: 1 } })
      }),
    ))
})

describe("reports of usage", () => {
  /** What is folded of the reports, in order, and the state that is left. */
  const folded = (reports: ReadonlyArray<ReturnType<typeof usageReport>>) => {
    const state = new Map<string, Json>()
    let nowMs = 0
    const taken = reports.flatMap((report) => {
      nowMs = Math.max(nowMs, Date.parse(report.time))
      const fresh = newReport(stateIn(state), report, nowMs)
      for (const [key, value] of fresh?.state ?? [])
        if (value === null) state.delete(key)
        else state.set(key, value)
      return fresh === null ? [] : [report.id]
    })
    return { taken, state }
  }

  it("are taken once each, in order, however often they are repeated", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ instance: fc.constantFrom("a", "b"), times: fc.integer({ min: 1, max: 3 }) })),
        fc.integer({ min: 0, max: 3 }),
        (batches, late) => {
          const counts = new Map<string, number>()
          const reports = batches.flatMap(({ instance, times }, index) => {
            const sequence = counts.get(instance) ?? 0
            counts.set(instance, sequence + 1)
            return Array.from({ length: times }, () => usageReport(instance, sequence, index * 1000))
          })
          // A repetition may also come after newer reports.
          const repeated = [...reports, ...reports.slice(0, late)]
          const { taken } = folded(repeated)
          expect(taken).toEqual([...new Set(reports.map(({ id }) => id))])
        },
      ),
    )
  })

  it("of a process that has reported nothing for a day leave no state behind", () => {
    const { state } = folded([usageReport("a", 0, 0), usageReport("b", 0, 23 * HOUR), usageReport("b", 1, 25 * HOUR)])
    expect([...state.keys()].sort()).toEqual(["reported/b", "swept"])
  })
})
