import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { verifyViews } from "../../processors/run/verify.ts"
import { demanded, observed, tick } from "../../processors/testing/folding.ts"
import { items, latest } from "../../processors/testing/latest-views.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import { encodePatch, patchKey } from "../../schemas/value-patch.ts"
import { freshnessKey } from "../../schemas/view-record.ts"
import { storedTexts } from "../support/bulky.ts"
import { foldAll, withLog, write } from "../support/counting.ts"

const at = (place: string) => ({ parameters: { at: place } })
const KEYS = ["/api/count", "/api/minute", "/api/places", "/api/place?at=here"]

/** Leaves a patch without its base behind each of the values, as a commit that was written twice would. */
const breakChains = (log: EventLog, keys: ReadonlyArray<string>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const writer = yield* log.claim("test", ["views"])
      const value = encodePatch({ before: "of another", after: "of another", parts: [] })
      yield* writer.commit(keys.map((key) => ({ topic: "views" as const, key: patchKey(key, 7), value })))
    }),
  )

describe("a start of the fold over views that the log holds damaged", () => {
  it("writes each of them anew, byte for byte, though no event changes them", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, [
          observed(1_000, "things", items(["a", 1])),
          observed(2_000, "places", { value: 3 }, at("here")),
          demanded(3_000, "/api/place", { at: "here" }),
          observed(4_000, "places", { value: 5 }, at("north")),
          tick(61_000),
          observed(70_000, "things", items(["a", 1], ["b", 1])),
          tick(80_000),
        ])
        yield* foldAll(log, latest)
        const whole = yield* storedTexts(log)
        const keys = KEYS.flatMap((key) => [key, freshnessKey(key)])
        expect(Object.keys(whole)).toEqual(expect.arrayContaining(keys))
        yield* breakChains(log, keys)
        yield* foldAll(log, latest)
        expect(yield* storedTexts(log)).toEqual(whole)
        expect(yield* verifyViews(log, { processors: [latest] })).toMatchObject({ equal: true })
      }),
    ))

  it("leaves those that do not follow from its state as they are, and folds on", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, [
          observed(1_000, "things", items(["a", 1])),
          // The view's function fails: its last body is of a payload that has gone.
          observed(2_000, "things", items(["poison", 1])),
        ])
        yield* foldAll(log, latest)
        yield* breakChains(log, ["/api/count", "/of/another-processor"])
        yield* foldAll(log, latest)
        expect(yield* Effect.flip(storedTexts(log).pipe(Effect.catchDefect(Effect.fail)))).toMatchObject({
          message: expect.stringMatching(/damaged: .*\/api\/count/),
        })
        yield* write(log, [observed(3_000, "things", items(["a", 1], ["b", 2]))])
        yield* foldAll(log, latest)
        expect((yield* Effect.flip(storedTexts(log).pipe(Effect.catchDefect(Effect.fail)))) as Error).toMatchObject({
          message: "damaged: /of/another-processor",
        })
      }),
    ))
})
