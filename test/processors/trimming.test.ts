import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { describe, expect, it } from "vitest"
import { trimOnce } from "../../processors/history/trimmer.ts"
import { tick } from "../../processors/testing/folding.ts"
import { encodeEvent } from "../../schemas/event.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import { type Topic, topicNames } from "../../schemas/topics.ts"
import { withLog } from "../support/counting.ts"

// Without a history nothing holds what the log held: age alone decides, by event time.

const DAY_MS = 86_400_000
const NOW_MS = Date.parse("2026-11-20T00:00:00.000Z")
const DAYS = 40

/** Runs an effect with a log whose topics hold an event for each of the last 40 days, the newest of this moment. */
const withFortyDays = <A>(use: (log: EventLog) => Effect.Effect<A, { readonly message: string }>): Promise<A> =>
  withLog((log) =>
    Effect.gen(function* () {
      const writer = yield* log.claim("test", topicNames)
      for (let day = DAYS - 1; day >= 0; day -= 1) {
        const atMs = NOW_MS - day * DAY_MS
        const value = encodeEvent(tick(atMs)(`tick-${atMs}`))
        yield* writer.commit(topicNames.map((topic) => ({ topic, key: `day ${day}`, value })))
      }
      return yield* use(log)
    }),
  )

const kept = (log: EventLog, topic: Topic) =>
  log.read(topic, 0).pipe(
    Stream.runFold(
      () => 0,
      (sum, { records }) => sum + records.length,
    ),
  )

describe("a log without a history", () => {
  it("keeps each topic for its days, and the ledger and state for ever", () =>
    withFortyDays((log) =>
      Effect.gen(function* () {
        yield* trimOnce({ log, history: null })
        const counts = yield* Effect.forEach(topicNames, (topic) =>
          Effect.map(kept(log, topic), (count) => [topic, count] as const),
        )
        // An event of exactly the first moment that is kept stays.
        expect(Object.fromEntries(counts)).toEqual({
          ...{ observations: 31, deltas: 8, versions: 2, replies: 2, usage: 8, quarantine: 31 },
          ...{ views: DAYS, checkpoints: DAYS, digests: DAYS, imports: DAYS, purges: DAYS, ledger: DAYS },
        })
        yield* trimOnce({ log, history: null })
        expect(yield* kept(log, "observations")).toBe(31)
      }),
    ))

  it("keeps what a setting says, and never drops what a fold has not read", () =>
    withFortyDays((log) =>
      Effect.gen(function* () {
        const floors = Effect.succeed({ observations: 25 })
        yield* trimOnce({ log, history: null, floors, keptDays: { observations: 5, usage: 35 } })
        expect([yield* log.start("observations"), yield* kept(log, "observations")]).toEqual([25, 15])
        expect([yield* kept(log, "usage"), yield* kept(log, "deltas")]).toEqual([36, 8])
      }),
    ))
})
