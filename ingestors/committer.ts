import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type {
  CommitFailed,
  Fenced,
  FencedWriter,
  LogRecord,
  OutcomeUnknown,
  UnknownTopic,
} from "../schemas/ports/event-log.ts"

/** A failure that ends the ingest role: recovery needs a new claim and a read of the log. */
export type IngestStopped = Fenced | OutcomeUnknown | UnknownTopic

/** Serialises commits, with event times that never decrease. */
export interface Committer {
  /**
   * Builds records for a time (milliseconds since the epoch, never below that of an earlier commit) and commits them.
   * Gives the built value; null if the log is unavailable or full, or a record too large, and nothing was written.
   */
  readonly commit: <Built extends { readonly records: ReadonlyArray<LogRecord> }>(
    build: (timeMs: number) => Built,
  ) => Effect.Effect<Built | null, IngestStopped>
}

/** Makes the committer of a claimed writer. `lastTimeMs` is the time of the latest event written before the claim. */
export const makeCommitter = (writer: FencedWriter, lastTimeMs: number): Committer => {
  // One commit at a time: otherwise a later time could be written before an earlier one.
  const turn = Semaphore.makeUnsafe(1)
  let latestMs = lastTimeMs
  let refusing = false
  const commitOnce = Effect.fnUntraced(function* <Built extends { readonly records: ReadonlyArray<LogRecord> }>(
    build: (timeMs: number) => Built,
  ) {
    latestMs = Math.max(latestMs, yield* Clock.currentTimeMillis)
    const built = build(latestMs)
    yield* writer.commit(built.records)
    refusing = false
    return built
  })
  return {
    commit: (build) =>
      commitOnce(build).pipe(
        Effect.catch((failed: CommitFailed) => {
          if (failed._tag === "Fenced" || failed._tag === "OutcomeUnknown" || failed._tag === "UnknownTopic")
            return Effect.fail(failed)
          // Logged once: every poll during the outage fails in the same way.
          const isLogged = refusing
          refusing = true
          return isLogged ? Effect.succeed(null) : Effect.as(Effect.logWarning(failed.message), null)
        }),
        Semaphore.withPermit(turn),
      ),
  }
}
