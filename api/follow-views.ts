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
    const apply = (batches: Stream.Stream<Batch, ReadFailed>) =>
      Stream.runForEachWhile(batches, ({ records, next }) => Effect.sync(() => store.applyRecords(records, next)))

    const from = store.nextOffset ?? (yield* log.start("views"))
    // The log still holds states that were overtaken since: only the last of each key is worth preparing.
    store.hold(true)
    yield* apply(log.read("views", from)).pipe(Effect.ensuring(Effect.sync(() => store.hold(false))))
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
