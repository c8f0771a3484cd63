import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type {
  HistoryFailed,
  HistoryRefused,
  HistoryUnavailable,
  HistoryUndecodable,
  MigrationRefused,
} from "../../schemas/ports/history.ts"
import { metrics } from "./metrics.ts"

const DELAY_MIN_MS = 250
const DELAY_MAX_MS = 3_000
/** A failure is logged after so many attempts: an engine that starts together with the service answers within seconds. */
const LOGGED_AFTER_ATTEMPTS = 3
/** Afterwards it is logged once in so many attempts. */
const LOGGED_EVERY_ATTEMPTS = 100

/** The failures that remain when a call is retried until ClickHouse answers. */
export type HistoryAnswered = HistoryRefused | HistoryUndecodable

/** Retries transient failures (ClickHouse is down or overloaded) for ever, with growing pauses. */
export interface Availability {
  readonly persistently: <A, E extends HistoryFailed | HistoryUndecodable | MigrationRefused>(
    effect: Effect.Effect<A, E>,
  ) => Effect.Effect<A, Exclude<E, HistoryUnavailable>>
  /** The number of recoveries of ClickHouse. */
  readonly returns: () => number
}

/**
 * Makes the retries of one run of the history; its calls share the knowledge of whether ClickHouse answers. `unavailable` is
 * called with the problem when it does not, and with null when it does again.
 */
export const makeAvailability = (unavailable: (problem: string | null) => void = () => {}): Availability => {
  let returns = 0
  return {
    persistently: <A, E extends HistoryFailed | HistoryUndecodable | MigrationRefused>(effect: Effect.Effect<A, E>) =>
      Effect.gen(function* () {
        let failures = 0
        while (true) {
          const result = yield* Effect.result(effect)
          if (Result.isSuccess(result)) {
            if (failures > 0) returns += 1
            unavailable(null)
            if (failures > LOGGED_AFTER_ATTEMPTS) yield* Effect.logInfo("the history answers again")
            return result.success
          }
          const failure: HistoryFailed | HistoryUndecodable | MigrationRefused = result.failure
          if (failure._tag !== "HistoryUnavailable")
            return yield* Effect.fail(result.failure as Exclude<E, HistoryUnavailable>)
          if (failures % LOGGED_EVERY_ATTEMPTS === LOGGED_AFTER_ATTEMPTS)
            yield* Effect.logWarning("the history does not answer; the call is retried").pipe(
              Effect.annotateLogs({ problem: failure.problem }),
            )
          if (failures >= LOGGED_AFTER_ATTEMPTS) unavailable(failure.problem)
          metrics.retries.inc()
          yield* Effect.sleep(Math.min(DELAY_MAX_MS, DELAY_MIN_MS * 2 ** Math.min(failures, 10)))
          failures += 1
        }
      }),
    returns: () => returns,
  }
}
