import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { describe, expect } from "vitest"
import { observed } from "../../../processors/testing/folding.ts"
import { BODY_MAX_UNITS } from "../../../processors/view/build-view.ts"
import type { EventLog } from "../../../schemas/ports/event-log.ts"
import { makePatchedValues } from "../../../schemas/value-patch.ts"
import { bulky, FILL, foldedTexts, foldThrough, REMOVE, SHORTEN, storedTexts } from "../../support/bulky.ts"
import { write } from "../../support/counting.ts"
import { type MakeHarness, openAdapter, until } from "./harness.ts"

const BEGIN_MS = Date.parse("2026-11-20T10:00:00.000Z")
const changes = (numbers: ReadonlyArray<number>) =>
  numbers.map((number, index) => observed(BEGIN_MS + index * 1000, "things", number))
const some = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index * 7)

/** Follows the views as a reader does that was there from the beginning: the latest value of each key, and how many came. */
const following = (log: EventLog) =>
  Effect.gen(function* () {
    const patched = makePatchedValues()
    const latest = new Map<string, string>()
    let next = 0
    yield* Effect.forkScoped(
      Stream.runForEach(log.follow("views", 0), (batch) =>
        Effect.sync(() => {
          for (const record of batch.records) patched.apply(record)
          for (const { key, value } of patched.changed())
            if (value === null) latest.delete(key)
            else latest.set(key, Buffer.from(value).toString())
          next = batch.next
        }),
      ),
    )
    return { patched, latest, reached: (end: number) => Effect.sync(() => next >= end) }
  })

/** Large values of `views` and `checkpoints`, which change by patches: the same bytes on every engine. */
export const valueTests = (makeHarness: MakeHarness): void => {
  describe("large values", () => {
    const opened = Effect.flatMap(makeHarness, ({ adapter }) => openAdapter(adapter))

    it.live("are what a fold in memory makes, through restarts, for readers and followers", () =>
      Effect.gen(function* () {
        const log = yield* opened
        const follower = yield* following(log)
        for (const numbers of [some(30), [...some(5, 3), REMOVE], some(20, 5), [SHORTEN], some(12, 11)]) {
          yield* write(log, changes(numbers))
          yield* foldThrough(log, bulky)
          const texts = yield* storedTexts(log)
          expect(texts).toEqual(yield* foldedTexts(log, bulky))
          const end = yield* log.end("views")
          yield* until("the last view", follower.reached(end))
          expect([follower.latest.get("/bulky"), follower.patched.broken.size]).toEqual([texts["/bulky"], 0])
        }
      }),
    )

    it.live("are whole for those who read while they change", () =>
      Effect.gen(function* () {
        const log = yield* opened
        yield* write(log, changes(some(3)))
        yield* foldThrough(log, bulky)
        const writing = yield* Effect.forkScoped(
          Effect.forEach(some(25), (number) => Effect.andThen(write(log, changes([number])), foldThrough(log, bulky))),
        )
        let reads = 0
        while (writing.pollUnsafe() === undefined) {
          expect(Object.keys(yield* storedTexts(log)).length).toBeLessThanOrEqual(2)
          reads += 1
        }
        yield* Fiber.join(writing)
        expect(reads).toBeGreaterThan(1)
        expect(yield* storedTexts(log)).toEqual(yield* foldedTexts(log, bulky))
      }),
    )

    it.live("may be as large as a view can be", () =>
      Effect.gen(function* () {
        const log = yield* opened
        yield* write(log, changes([1, FILL]))
        yield* foldThrough(log, bulky)
        const texts = yield* storedTexts(log)
        expect(texts["/bulky"]?.length).toBeGreaterThan(BODY_MAX_UNITS)
        expect(texts).toEqual(yield* foldedTexts(log, bulky))
      }),
    )
  })
}
