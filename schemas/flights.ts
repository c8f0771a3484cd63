import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"

/** Single flight: equal requests at the same time share one execution. */
export interface Flights<A, E> {
  /** The result of the execution under way for this key; else `start` begins one. At the limit it fails instead. */
  readonly ask: (key: string, start: () => Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Awaits the execution under way for this key; undefined where there is none. */
  readonly underWay: (key: string) => Effect.Effect<A, E> | undefined
  /** How many executions are under way. */
  readonly count: () => number
}

/**
 * Makes a single flight per key. An execution goes on when the caller that began it has left, because others may wait for it;
 * it is interrupted when `scope` closes, if one is given. `limit` bounds the executions that are under way at a time.
 * Own code, as Effect's `Cache` stores results, failures included, and evicts an entry at its capacity instead of failing.
 */
export const makeFlights = <A, E>({
  limit,
  scope,
}: {
  readonly limit?: { readonly countMax: number; readonly full: () => E }
  readonly scope?: Scope.Scope
} = {}): Flights<A, E> => {
  const flights = new Map<string, Deferred.Deferred<A, E>>()
  const underWay: Flights<A, E>["underWay"] = (key) => {
    const flight = flights.get(key)
    return flight === undefined ? undefined : Deferred.await(flight)
  }
  return {
    ask: (key, start) =>
      Effect.suspend(() => {
        const joined = underWay(key)
        if (joined !== undefined) return joined
        if (limit !== undefined && flights.size >= limit.countMax) return Effect.fail(limit.full())
        const flight = Deferred.makeUnsafe<A, E>()
        flights.set(key, flight)
        const fly = Effect.suspend(start).pipe(
          Effect.onExit((exit) =>
            Effect.sync(() => {
              flights.delete(key)
              Deferred.doneUnsafe(
                flight,
                Exit.isSuccess(exit) ? Effect.succeed(exit.value) : Effect.failCause(exit.cause),
              )
            }),
          ),
          Effect.exit,
        )
        const options = { startImmediately: true }
        const forked = scope === undefined ? Effect.forkDetach(fly, options) : Effect.forkIn(fly, scope, options)
        return Effect.andThen(forked, Deferred.await(flight))
      }),
    underWay,
    count: () => flights.size,
  }
}
