import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { describe, expect, it } from "vitest"
import type { Processor } from "../../processors/processor.ts"
import { loadCheckpoint, positionKey } from "../../processors/run/checkpoint.ts"
import { rebuildViews } from "../../processors/run/rebuild.ts"
import { writerOf, writerTopics } from "../../processors/run/runner.ts"
import { verifyViews } from "../../processors/run/verify.ts"
import { type Cursor, sequenceOf } from "../../schemas/change.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import { counting, foldAll, some, withLog, write } from "../support/counting.ts"

/** Derives an event of each observation: four of five events of `some`. */
const numbering = (from = 0): Processor => ({ ...counting(from), numbersChanges: true })

const cursors = (log: EventLog) =>
  Effect.map(Stream.runCollect(log.read("deltas", 0)), (batches) =>
    batches
      .flatMap(({ records }) => records)
      .map(({ value }) => sequenceOf(new TextDecoder().decode(value ?? new Uint8Array()))),
  )

/** Changes what the log holds as the last change of the position; undefined: removes the position. */
const setLastChange = (log: EventLog, change: ((last: Cursor) => Cursor) | undefined) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { position } = yield* loadCheckpoint(log, counting())
      if (position.lastChange === null) return yield* Effect.die("no change was numbered")
      const text = change && JSON.stringify({ ...position, lastChange: change(position.lastChange) })
      const writer = yield* log.claim(writerOf("counting"), writerTopics)
      const value = text === undefined ? null : new TextEncoder().encode(text)
      yield* writer.commit([{ topic: "checkpoints", key: positionKey("counting"), value }])
    }),
  )

const dense = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe("the numbers of changes", () => {
  it("are dense over restarts, and of one log", () =>
    withLog((log) =>
      Effect.gen(function* () {
        for (const from of [0, 1, 2]) {
          yield* write(log, some(25, from * 100_000))
          yield* foldAll(log, numbering())
          // Nothing new: the next start must not count from anything but the log.
          yield* foldAll(log, numbering())
        }
        const found = yield* cursors(log)
        expect(found.map((cursor) => cursor?.ordinal)).toEqual(dense(60))
        expect(new Set(found.map((cursor) => cursor?.log)).size).toBe(1)
      }),
    ))

  it("go on after a rebuild, whatever the rebuilt code derives", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, some(25))
        yield* foldAll(log, numbering())
        expect(yield* verifyViews(log, { processors: [numbering()] })).toMatchObject({ equal: true })
        const other = numbering()
        const silent: Processor = {
          ...other,
          step: (state, event, nowMs) =>
            nowMs < 10_000 ? { ...other.step(state, event, nowMs), events: [] } : other.step(state, event, nowMs),
        }
        yield* Effect.scoped(rebuildViews(log, { processors: [silent] }))
        yield* write(log, some(5, 100_000))
        yield* foldAll(log, silent)
        expect((yield* cursors(log)).map((cursor) => cursor?.ordinal)).toEqual(dense(24))
      }),
    ))

  it("go on from the last one in the log where the position is lost", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, some(5))
        yield* foldAll(log, numbering())
        yield* setLastChange(log, undefined)
        yield* foldAll(log, numbering())
        const found = yield* cursors(log)
        // The events are folded again without their position, and their changes logged again: as other changes.
        expect(found.map((cursor) => cursor?.ordinal)).toEqual(dense(8))
        expect(new Set(found.map((cursor) => cursor?.log)).size).toBe(1)
      }),
    ))

  it("have another log's name where the log lost its tail, so that no number is given twice under one", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, some(5))
        yield* foldAll(log, numbering())
        yield* setLastChange(log, ({ log: name, ordinal }) => ({ log: name, ordinal: ordinal + 3 }))
        yield* write(log, some(5, 100_000))
        yield* foldAll(log, numbering())
        const found = yield* cursors(log)
        expect(found.map((cursor) => cursor?.ordinal)).toEqual([1, 2, 3, 4, 1, 2, 3, 4])
        expect(new Set(found.slice(0, 4).map((cursor) => cursor?.log)).size).toBe(1)
        expect(found[4]?.log).not.toBe(found[0]?.log)
      }),
    ))

  it("are of one processor: the others number nothing", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, some(5))
        yield* foldAll(log, counting())
        expect(yield* cursors(log)).toEqual([null, null, null, null])
        expect((yield* loadCheckpoint(log, counting())).position.lastChange).toBeNull()
      }),
    ))
})
