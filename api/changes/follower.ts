import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Cursor } from "../../schemas/change.ts"
import type { ChangeLog, ChangePortion } from "../../schemas/ports/changes.ts"
import type { ReadFailed } from "../../schemas/ports/event-log.ts"
import type { HistoryFailed, HistoryUndecodable } from "../../schemas/ports/history.ts"
import type { ChangeWindow } from "./window.ts"

/** What the doors to the changes are made of: the log, and the window that `followChanges` keeps at its end. */
export interface ChangesSource {
  readonly log: ChangeLog
  readonly window: ChangeWindow
}

/** Changes that a window holds when it begins. */
const RECENT = 4_096
/** Numbers of one read. */
const READ_MAX = 512

/** Appends a portion. What does not join what the window holds begins it anew: the log was trimmed, or has lost its tail. */
const take = (window: ChangeWindow, portion: ChangePortion): void => {
  if (portion.log !== window.log || portion.after !== window.reached) window.begin(portion.log, portion.after)
  window.append(portion)
}

/** Fills a window with the recent changes up to `last`. Where the archive is needed and away, the window begins behind it. */
const fill = (changes: ChangeLog, window: ChangeWindow, last: Cursor): Effect.Effect<void, ReadFailed> =>
  Effect.gen(function* () {
    window.begin(last.log, Math.max(0, last.ordinal - RECENT))
    while (window.reached < last.ordinal) {
      const portion: ChangePortion | null = yield* changes
        .read({ log: last.log, ordinal: window.reached }, READ_MAX)
        .pipe(
          Effect.catchTag("ChangesGone", ({ oldest }) => {
            window.begin(last.log, oldest - 1)
            return Effect.succeed(null)
          }),
        )
      if (portion === null) continue
      take(window, portion)
      // The end moved back, or the log has got another name: what follows is followed.
      if (portion.reached === portion.after) return
    }
  }).pipe(
    Effect.catchTags({
      HistoryUnavailable: () => Effect.sync(() => window.begin(last.log, last.ordinal)),
      HistoryRefused: () => Effect.sync(() => window.begin(last.log, last.ordinal)),
      HistoryUndecodable: () => Effect.sync(() => window.begin(last.log, last.ordinal)),
    }),
  )

/**
 * Keeps a window at the end of the log. `ready` runs when the window has reached what was the end at the start. It can be run
 * again after a failure: the window then begins anew, as what follows might not join what it holds.
 */
export const followChanges = (
  changes: ChangeLog,
  window: ChangeWindow,
  ready: Effect.Effect<void> = Effect.void,
): Effect.Effect<never, ReadFailed | HistoryFailed | HistoryUndecodable> =>
  Effect.gen(function* () {
    const last = yield* changes.last
    if (last === null) window.begin(null, 0)
    else yield* fill(changes, window, last)
    window.setFilled()
    yield* ready
    yield* Stream.runForEach(changes.follow(window.place), (portion) => Effect.sync(() => take(window, portion)))
    return yield* Effect.never
  })
