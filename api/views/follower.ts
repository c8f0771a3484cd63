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
  /** Run when the views change whose last record could not be read: each with the reason. */
  readonly stopped: (views: ReadonlyMap<string, string>) => Effect.Effect<void>
}

const NO_REPORTS: FollowReports = {
  caughtUp: Effect.void,
  halted: () => Effect.void,
  stopped: () => Effect.void,
}

/** Logs and reports the views that have stopped, and those that go on, each once. */
const makeStopReport = (store: ViewStore, reports: FollowReports): Effect.Effect<void> => {
  let known: ReadonlyMap<string, string> = new Map()
  return Effect.suspend(() => {
    const { stopped } = store
    const begun = [...stopped].filter(([view, problem]) => known.get(view) !== problem)
    const ended = [...known.keys()].filter((view) => !stopped.has(view))
    known = stopped
    if (begun.length === 0 && ended.length === 0) return Effect.void
    return Effect.gen(function* () {
      for (const [view, problem] of begun)
        yield* Effect.logError(`view ${view} stays as it was: ${problem}; \`npm run rebuild\` repairs it`)
      for (const view of ended) yield* Effect.logInfo(`view ${view} goes on`)
      yield* reports.stopped(stopped)
    })
  })
}

/**
 * Applies topic `views` to a store, and refreshes its bytes when they become stale. Resumes at the store's `nextOffset`,
 * so that it can be run again after a failure. A record that is damaged stops its view alone, until the view is written
 * anew. At a record newer than this version reading halts, with the reason in `store.halted` and in the service's log. What
 * has stopped goes on being served as it was.
 */
export const followViews = (
  log: EventLog,
  store: ViewStore,
  nowMs: () => number = Date.now,
  reports: FollowReports = NO_REPORTS,
): Effect.Effect<never, ReadFailed, Scope.Scope> =>
  Effect.gen(function* () {
    yield* Effect.acquireRelease(
      Effect.sync(() => setInterval(() => store.advance(nowMs()), ADVANCE_EVERY_MS)),
      (timer) => Effect.sync(() => clearInterval(timer)),
    )
    const reportStops = makeStopReport(store, reports)
    /** Stops the views that lack the base of their patches, unless a record follows that could replace them. */
    const stopBroken = Effect.suspend(() =>
      store.awaitsWhole
        ? Effect.map(log.end("views"), (end) => {
            if (end <= (store.nextOffset ?? 0)) store.stopBroken()
          })
        : Effect.void,
    )
    const afterBatch = stopBroken.pipe(Effect.andThen(reportStops))
    const apply = (batches: Stream.Stream<Batch, ReadFailed>) =>
      Stream.runForEachWhile(batches, ({ records, next }) =>
        Effect.suspend(() => {
          store.applyRecords(records, next)
          return Effect.as(afterBatch, store.halted === null)
        }),
      )

    const from = store.nextOffset ?? (yield* log.start("views"))
    // The log still holds superseded states; only the last state of each key is prepared.
    store.hold(true)
    const readOn = Effect.suspend(() => apply(log.read("views", store.nextOffset ?? from)))
    yield* readOn.pipe(
      // Compaction may have removed the base of a patch meanwhile; the whole value that replaced it follows in the log.
      Effect.repeat({ while: () => store.awaitsWhole && store.halted === null }),
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
