import { Effect, type Scope, Stream } from "effect"
import type { Batch, EventLog, ReadFailed } from "../schemas/ports/event-log.ts"
import type { ViewStore } from "./view-store.ts"

/** How late bytes may say that they are stale, in milliseconds. */
const ADVANCE_EVERY_MS = 250

/** Where the follower reports how far it is. */
export interface FollowReports {
  /** Run when everything that the log held is served. */
  readonly caughtUp: Effect.Effect<void>
  /** Run with the reason when reading has stopped for good. */
  readonly halted: (reason: string) => Effect.Effect<void>
}

/**
 * Keeps a store at the end of topic `views`, and turns its bytes when they become stale. Begins where the store stands,
 * so it can be run again after it has failed. At a record newer than this version it stops reading, says so in
 * `store.halted` and in the log, and goes on serving.
 */
export const followViews = (
  log: EventLog,
  store: ViewStore,
  nowMs: () => number = Date.now,
  reports: FollowReports = { caughtUp: Effect.void, halted: () => Effect.void },
): Effect.Effect<never, ReadFailed, Scope.Scope> =>
  Effect.gen(function* () {
    yield* Effect.acquireRelease(
      Effect.sync(() => setInterval(() => store.advance(nowMs()), ADVANCE_EVERY_MS)),
      (timer) => Effect.sync(() => clearInterval(timer)),
    )
    const isBroken = () => [...store.broken].length > 0
    /** Halts the store where a view is broken and nothing follows that could mend it. */
    const refuseBroken = Effect.gen(function* () {
      if (!isBroken() || (yield* log.end("views")) > (store.nextOffset ?? 0)) return
      for (const key of store.broken) store.halt(key, "the log lacks a part of it: rebuild mends it")
    })
    const apply = (batches: Stream.Stream<Batch, ReadFailed>) =>
      Stream.runForEachWhile(batches, ({ records, next }) =>
        Effect.suspend(() => {
          store.applyRecords(records, next)
          return Effect.as(refuseBroken, store.halted === null)
        }),
      )

    const from = store.nextOffset ?? (yield* log.start("views"))
    // The log still holds states that were overtaken since: only the last of each key is worth preparing.
    store.hold(true)
    const readOn = Effect.suspend(() => apply(log.read("views", store.nextOffset ?? from)))
    yield* readOn.pipe(
      // While others write, compaction may have taken what a patch is over; the whole value that replaced it follows.
      Effect.repeat({ while: () => isBroken() && store.halted === null }),
      Effect.ensuring(Effect.sync(() => store.hold(false))),
    )
    if (store.halted === null) {
      yield* Effect.promise(() => store.settled())
      store.caughtUp = true
      yield* reports.caughtUp
      yield* Effect.logInfo("views are ready").pipe(Effect.annotateLogs({ ...store.sizes }))
      yield* apply(log.follow("views", store.nextOffset ?? from))
    }
    if (store.halted !== null) {
      yield* reports.halted(store.halted)
      yield* Effect.logError(`reading of views has stopped: ${store.halted}`)
    }
    return yield* Effect.never
  })
