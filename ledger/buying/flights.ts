import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

/** Single flight: equal requests at the same time share one execution. */
export interface Flights<A, E> {
  /** The result of the execution in flight under this key; else `start` begins one, or `full` fails it at the limit. */
  readonly ask: (key: string, start: () => Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/**
 * Makes a single flight per key, at most `countMax` at a time. An execution goes on when the caller that began it has left,
 * because others may wait for it.
 * Own code, as Effect's `Cache` stores results, failures included, and evicts an entry at its capacity instead of failing.
 */
export const makeFlights = <A, E>(countMax: number, full: () => E): Flights<A, E> => {
  const flights = new Map<string, Deferred.Deferred<A, E>>()
  return {
    ask: (key, start) =>
      Effect.suspend(() => {
        const flying = flights.get(key)
        if (flying !== undefined) return Deferred.await(flying)
        if (flights.size >= countMax) return Effect.fail(full())
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
        return Effect.andThen(Effect.forkDetach(fly), Deferred.await(flight))
      }),
  }
}
