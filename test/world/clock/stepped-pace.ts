import * as Effect from "effect/Effect"
import type { Pace } from "../../../ingestors/poll/pace.ts"

/** What waits for its time. */
interface Waiter {
  readonly name: string
  readonly dueMs: number
  readonly begin: () => void
}

/** A pace that follows a clock which may stand, and be set forward. */
export interface SteppedPace extends Pace {
  /** To be called when the clock was set. */
  readonly wake: () => void
  /** What is due or under way, in words; null where nothing is. */
  readonly behind: () => string | null
}

/** How long after its start a pipeline may take to say all that it will ever wait for. */
const FIRST_MS = 100
const TIMER_MAX_MS = 60_000

/**
 * While the clock stands, what is due is done one after the other, in the order in which each waited first: the log of two
 * services with one clock then has the same order. While it runs, everything is done at its own time.
 */
export const makeSteppedPace = (clock: {
  readonly isFrozen: () => boolean
  readonly nowMs: () => number
}): SteppedPace => {
  const waiters = new Set<Waiter>()
  const places = new Map<string, number>()
  const underWay = new Set<Waiter>()
  let firstMs: number | null = null
  let timer: NodeJS.Timeout | undefined

  const inOrder = (one: Waiter, other: Waiter): number => (places.get(one.name) ?? 0) - (places.get(other.name) ?? 0)
  const due = (): ReadonlyArray<Waiter> => {
    const nowMs = clock.nowMs()
    return [...waiters].filter(({ dueMs }) => dueMs <= nowMs).sort(inOrder)
  }
  const begin = (waiter: Waiter): void => {
    waiters.delete(waiter)
    underWay.add(waiter)
    waiter.begin()
  }

  const pump = (): void => {
    clearTimeout(timer)
    if (clock.isFrozen()) {
      const [next] = due()
      if (underWay.size === 0 && next !== undefined) begin(next)
      return
    }
    for (const waiter of due()) begin(waiter)
    const nextMs = Math.min(...[...waiters].map(({ dueMs }) => dueMs))
    if (Number.isFinite(nextMs)) timer = setTimeout(pump, Math.min(TIMER_MAX_MS, Math.max(1, nextMs - clock.nowMs())))
  }
  // Later: what has just ended says in the meantime when it is due again, and all that begins together has its place.
  let pumping = false
  const pumpSoon = (): void => {
    if (pumping) return
    pumping = true
    setImmediate(() => {
      pumping = false
      pump()
    })
  }

  const waited = (name: string, dueMs: number, waiting: (waiter: Waiter) => void): Effect.Effect<void> =>
    Effect.callback((resume) => {
      firstMs ??= performance.now()
      if (!places.has(name)) places.set(name, places.size)
      const waiter = { name, dueMs, begin: () => resume(Effect.void) }
      waiting(waiter)
      waiters.add(waiter)
      pumpSoon()
      return Effect.sync(() => void waiters.delete(waiter))
    })

  return {
    at: (name, dueMs, effect) =>
      Effect.suspend(() => {
        let own: Waiter | undefined
        return waited(name, dueMs, (waiter) => {
          own = waiter
        }).pipe(
          Effect.andThen(effect),
          Effect.ensuring(
            Effect.sync(() => {
              if (own !== undefined) underWay.delete(own)
              pumpSoon()
            }),
          ),
        )
      }),
    wake: pumpSoon,
    behind: () => {
      if (firstMs === null || performance.now() - firstMs < FIRST_MS) return "nothing is polled yet"
      const names = [...underWay, ...due()].map(({ name }) => name)
      return names.length === 0
        ? null
        : `polls: ${names.slice(0, 3).join(", ")}${names.length > 3 ? " and others" : ""}`
    },
  }
}
