import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Batch, EventLog, ReadFailed } from "../../schemas/ports/event-log.ts"
import type { ViewStore } from "./store.ts"

/** Interval at which bytes are checked for having become stale. */
const ADVANCE_EVERY_MS = 250

/** Callbacks for the progress of the follower. */
export interface FollowReports {
  /** Run when everything that the log held at the start is served. */
  readonly caughtUp: Effect.Effect<void>
  /** Run with the reason when reading has halted. It does not resume. */
  readonly halted: (reason: string) => Effect.Effect<void>
}

/**
 * Applies topic `views` to a store, and refreshes its bytes when they become stale. Resumes at the store's `nextOffset`,
 * so that it can be run again after a failure. At a record newer than this version reading halts, with the reason in
 * `store.halted` and in the service's log, and the store goes on being served.
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
    /** Halts the store where a view lacks the base of its patches and no record follows that could replace it. */
    const refuseBroken = Effect.gen(function* () {
      if (!isBroken() || (yield* log.end("views")) > (store.nextOffset ?? 0)) return
      for (const key of store.broken)
        store.halt(key, "the log lacks the base of its patches; `npm run rebuild` repairs it")
    })
    const apply = (batches: Stream.Stream<Batch, ReadFailed>) =>
      Stream.runForEachWhile(batches, ({ records, next }) =>
        Effect.suspend(() => {
          store.applyRecords(records, next)
          return Effect.as(refuseBroken, store.halted === null)
        }),
      )

    const from = store.nextOffset ?? (yield* log.start("views"))
    // The log still holds superseded states; only the last state of each key is prepared.
    store.hold(true)
    const readOn = Effect.suspend(() => apply(log.read("views", store.nextOffset ?? from)))
    yield* readOn.pipe(
      // Compaction may have removed the base of a patch meanwhile; the whole value that replaced it follows in the log.
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
