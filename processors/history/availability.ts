import { Effect, Result } from "effect"
import type {
  HistoryFailed,
  HistoryRefused,
  HistoryUnavailable,
  HistoryUndecodable,
  MigrationRefused,
} from "../../schemas/ports/history.ts"
import { metrics } from "./metrics.ts"

const DELAY_MS_MIN = 250
const DELAY_MS_MAX = 3_000
/** After so many attempts a failure is told, as an engine that starts beside us answers within seconds. */
const TOLD_AFTER = 3
/** And then once in so many attempts. */
const TOLD_EVERY = 100

/** What a call of the history can come to when it is tried until ClickHouse answers. */
export type HistoryAnswered = HistoryRefused | HistoryUndecodable

/** Tries again, with growing pauses and for ever, what may pass: ClickHouse being down or overloaded. */
export interface Availability {
  readonly persistently: <A, E extends HistoryFailed | HistoryUndecodable | MigrationRefused>(
    effect: Effect.Effect<A, E>,
  ) => Effect.Effect<A, Exclude<E, HistoryUnavailable>>
  /** How often ClickHouse has come back after it had not answered. */
  readonly returns: () => number
}

/**
 * Makes the retries of one run of the history; its calls share one view of whether ClickHouse is there. `unavailable` is
 * called with the problem when it does not answer, and with null when it does.
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
            if (failures > TOLD_AFTER) yield* Effect.logInfo("the history answers again")
            return result.success
          }
          const failure: HistoryFailed | HistoryUndecodable | MigrationRefused = result.failure
          if (failure._tag !== "HistoryUnavailable")
            return yield* Effect.fail(result.failure as Exclude<E, HistoryUnavailable>)
          if (failures % TOLD_EVERY === TOLD_AFTER)
            yield* Effect.logWarning("the history does not answer; it is tried again").pipe(
              Effect.annotateLogs({ problem: failure.problem }),
            )
          if (failures >= TOLD_AFTER) unavailable(failure.problem)
          metrics.retries.inc()
          yield* Effect.sleep(Math.min(DELAY_MS_MAX, DELAY_MS_MIN * 2 ** Math.min(failures, 10)))
          failures += 1
        }
      }),
    returns: () => returns,
  }
}
