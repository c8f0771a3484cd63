import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { KafkaSettings } from "./client.ts"
import { makeReader, type Reader } from "./fetch.ts"

const READERS_IDLE_MAX = 8

/** Connections for reads. Idle ones are kept open, since most reads are short. */
export interface ReaderPool {
  readonly take: () => Reader
  /** Returns a connection that has no outstanding request. */
  readonly give: (reader: Reader) => void
}

/** Makes a pool whose idle connections are closed with the scope. */
export const makeReaderPool = (settings: KafkaSettings): Effect.Effect<ReaderPool, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const idle: Array<Reader> = []
      let closed = false
      return {
        take: () => idle.pop() ?? makeReader(settings),
        give: (reader: Reader) => {
          if (closed || idle.length >= READERS_IDLE_MAX) reader.close()
          else idle.push(reader)
        },
        close: () => {
          closed = true
          for (const reader of idle.splice(0)) reader.close()
        },
      }
    }),
    (pool) => Effect.sync(pool.close),
  )

/** A connection that is held for a scope, and replaced after a failed or interrupted request. */
export interface ReaderLease {
  readonly use: <A>(request: (reader: Reader) => Promise<A>) => Effect.Effect<A, unknown>
}

/** Takes a connection of the pool for a scope. */
export const leaseReader = (pool: ReaderPool): Effect.Effect<ReaderLease, never, Scope.Scope> =>
  Effect.gen(function* () {
    let held: Reader | undefined
    const drop = () => {
      held?.close()
      held = undefined
    }
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        if (held !== undefined) pool.give(held)
      }),
    )
    return {
      use: <A>(request: (reader: Reader) => Promise<A>) =>
        Effect.callback<A, unknown>((resume) => {
          held ??= pool.take()
          let settled = false
          const settle = (result: Effect.Effect<A, unknown>) => {
            settled = true
            resume(result)
          }
          request(held).then(
            (value) => settle(Effect.succeed(value)),
            (error: unknown) => {
              if (settled) return
              drop()
              settle(Effect.fail(error))
            },
          )
          return Effect.sync(() => {
            if (!settled) {
              settled = true
              drop()
            }
          })
        }),
    }
  })
