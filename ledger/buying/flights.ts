import { Deferred, Effect, Exit } from "effect"

/** Runs the same question once at a time, for everybody who asks it meanwhile. */
export interface Flights<A, E> {
  /** The answer of the flight of this key, which `start` begins where none is on its way; `full` where too many are. */
  readonly ask: (key: string, start: () => Effect.Effect<A, E>) => Effect.Effect<A, E>
}

/**
 * Makes a single flight for each key, at most `countMax` at a time. A flight goes on when who began it has left: others
 * wait for it.
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
