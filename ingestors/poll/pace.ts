import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** When the ingest role does what is due: its polls, and its ticks. */
export interface Pace {
  /**
   * Runs an effect once its time has come, in milliseconds since the epoch. `name` stands for what is repeated: it never waits
   * or runs twice at once.
   */
  readonly at: <A, E>(name: string, dueMs: number, effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/** Everything at its own time. What waits is not delayed by a clock that is set back. */
export const ownPace: Pace = {
  at: (_, dueMs, effect) =>
    Clock.currentTimeMillis.pipe(
      Effect.flatMap((nowMs) => Effect.sleep(Math.max(0, dueMs - nowMs))),
      Effect.andThen(effect),
    ),
}
