import { Effect, Schedule, type Scope } from "effect"
import type { PartStatus } from "./status.ts"

const RESTART_MIN = "500 millis"
const RESTART_MAX = "20 seconds"

/** A part that ran for so long after it was ready is begun again soon, however often it has stopped before. */
const STEADY_MS = 60_000

const restarts = Schedule.min([Schedule.exponential(RESTART_MIN), Schedule.spaced(RESTART_MAX)]).pipe(Schedule.jittered)

/**
 * Keeps a part of the process running: whatever typed error ends it, it is begun again after a growing pause, each time in
 * a scope of its own. Starting over from the claim is the one recovery there is: it replays what the log holds and so
 * needs no knowledge of what went wrong. A defect is a bug and ends the process instead. `name` stands in log lines.
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
  // While it begins again, the part reports why it stopped, until it has come further.
  const begin = Effect.sync(() => {
    readyAtMs = Number.POSITIVE_INFINITY
  })
  const once = begin.pipe(
    Effect.andThen(Effect.scoped(run(ready))),
    Effect.andThen(Effect.suspend(() => Effect.fail<E | Error>(new Error("it ended by itself")))),
    Effect.tapError((error) => {
      part.set({ state: "stopped", reason: error.message })
      return Effect.logWarning(`${name} stopped and is begun again: ${error.message}`).pipe(
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

/** How long a process may take to end in order, in milliseconds. */
export const SHUTDOWN_MAX_MS = 4500
