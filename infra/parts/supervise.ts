import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { PartStatus } from "./status.ts"

const RESTART_MIN = "500 millis"
const RESTART_MAX = "20 seconds"

/** A part that was ready for this long is restarted with the shortest pause again. */
const STEADY_MS = 60_000

const restarts = Schedule.min([Schedule.exponential(RESTART_MIN), Schedule.spaced(RESTART_MAX)]).pipe(Schedule.jittered)

/**
 * Keeps a part of the process running: after any typed error it is restarted with a growing pause, each time in a new
 * scope. A restart from the claim is the only recovery: it replays the log, and so does not depend on the error. A defect is
 * a bug and ends the process. `name` appears in log lines.
 */
export const supervise = <E extends { readonly message: string; readonly cause?: unknown }>(
  name: string,
  part: PartStatus,
  run: (ready: Effect.Effect<void>) => Effect.Effect<unknown, E, Scope.Scope>,
): Effect.Effect<never> => {
  let readyAtMs = Number.POSITIVE_INFINITY
  const steady = () => performance.now() - readyAtMs > STEADY_MS
  const ready = Effect.sync(() => {
    readyAtMs = performance.now()
    part.set({ state: "active" })
  })
  // During a restart the part still reports why it stopped.
  const begin = Effect.sync(() => {
    readyAtMs = Number.POSITIVE_INFINITY
  })
  const once = begin.pipe(
    Effect.andThen(Effect.scoped(run(ready))),
    Effect.andThen(Effect.suspend(() => Effect.fail<E | Error>(new Error("it ended by itself")))),
    Effect.tapError((error) => {
      part.set({ state: "stopped", reason: error.message })
      return Effect.logWarning(`${name} stopped and is restarted: ${error.message}`).pipe(
        Effect.annotateLogs(error.cause === undefined ? {} : { cause: String(error.cause) }),
      )
    }),
  )
  return once.pipe(
    Effect.retry({ schedule: restarts, while: () => !steady() }),
    Effect.catch(() => Effect.sleep(RESTART_MIN)),
    Effect.forever,
    Effect.annotateLogs({ part: name }),
  )
}
