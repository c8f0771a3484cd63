import { Effect, Schedule, type Scope } from "effect"

/** How the parts of a process stand: ready, or why not. */
export interface Status {
  readonly set: (part: string, reason: string | null) => void
  /** Every part that is not ready, with its reason. */
  readonly problems: () => ReadonlyArray<string>
  readonly parts: () => Readonly<Record<string, string | null>>
}

/** A status that calls `changed` whenever a part's standing changes. */
export const makeStatus = (changed: () => void = () => {}): Status => {
  const parts = new Map<string, string | null>()
  return {
    set: (part, reason) => {
      if (parts.has(part) && parts.get(part) === reason) return
      parts.set(part, reason)
      changed()
    },
    problems: () => [...parts].flatMap(([part, reason]) => (reason === null ? [] : [`${part}: ${reason}`])),
    parts: () => Object.fromEntries(parts),
  }
}

const RESTART_MIN = "500 millis"
const RESTART_MAX = "20 seconds"

/** Whoever ran for so long after it was ready is begun again soon, however often it has stopped before. */
const STEADY_MS = 60_000

const restarts = Schedule.min([Schedule.exponential(RESTART_MIN), Schedule.spaced(RESTART_MAX)]).pipe(Schedule.jittered)

/**
 * Keeps a part of the process running: whatever typed error ends it, it is begun again after a growing pause, each time in
 * a scope of its own. Starting over from the claim is the one recovery there is: it replays what the log holds and so
 * needs no knowledge of what went wrong. A defect is a bug and ends the process instead.
 */
export const supervise = <E extends { readonly message: string; readonly cause?: unknown }>(
  part: string,
  status: Status,
  run: (ready: Effect.Effect<void>) => Effect.Effect<unknown, E, Scope.Scope>,
): Effect.Effect<never> => {
  let readyAtMs = Number.POSITIVE_INFINITY
  const steady = () => performance.now() - readyAtMs > STEADY_MS
  const ready = Effect.sync(() => {
    readyAtMs = performance.now()
    status.set(part, null)
  })
  const starting = Effect.sync(() => {
    readyAtMs = Number.POSITIVE_INFINITY
    status.set(part, "starting")
  })
  const once = starting.pipe(
    Effect.andThen(Effect.scoped(run(ready))),
    Effect.andThen(Effect.suspend(() => Effect.fail<E | Error>(new Error("it ended by itself")))),
    Effect.tapError((error) => {
      status.set(part, error.message)
      return Effect.logWarning(`${part} stopped and is begun again: ${error.message}`).pipe(
        Effect.annotateLogs(error.cause === undefined ? {} : { cause: String(error.cause) }),
      )
    }),
  )
  return once.pipe(
    Effect.retry({ schedule: restarts, while: () => !steady() }),
    Effect.catch(() => Effect.sleep(RESTART_MIN)),
    Effect.forever,
    Effect.annotateLogs({ part }),
  )
}

/** How long a process may take to end in order, in milliseconds. */
export const SHUTDOWN_MAX_MS = 4500
