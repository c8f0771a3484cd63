import { Clock, Effect, Semaphore } from "effect"
import type {
  CommitFailed,
  Fenced,
  FencedWriter,
  LogRecord,
  OutcomeUnknown,
  UnknownTopic,
} from "../schemas/ports/event-log.ts"

/** What ends an ingest role for good: it has to claim again, and to read the log. */
export type IngestStopped = Fenced | OutcomeUnknown | UnknownTopic

/** Writes one commit after the other, with times that never go back. */
export interface Committer {
  /**
   * Builds records for a time (milliseconds since the epoch, never less than that of an earlier commit), and commits
   * them. Gives what was built, or null where the log could not take it now and nothing was written.
   */
  readonly commit: <Built extends { readonly records: ReadonlyArray<LogRecord> }>(
    build: (timeMs: number) => Built,
  ) => Effect.Effect<Built | null, IngestStopped>
}

/** Makes the committer of a claimed writer. `lastTimeMs` is the time of the latest event written before the claim. */
export const makeCommitter = (writer: FencedWriter, lastTimeMs: number): Committer => {
  // One at a time: else a later time could be written before an earlier one.
  const turn = Semaphore.makeUnsafe(1)
  let latestMs = lastTimeMs
  let refusing = false
  return {
    commit: (build) =>
      Effect.gen(function* () {
        latestMs = Math.max(latestMs, yield* Clock.currentTimeMillis)
        const built = build(latestMs)
        yield* writer.commit(built.records)
        refusing = false
        return built
      }).pipe(
        Effect.catch((failed: CommitFailed) => {
          if (failed._tag === "Fenced" || failed._tag === "OutcomeUnknown" || failed._tag === "UnknownTopic")
            return Effect.fail(failed)
          // Said once: everything that is polled meanwhile meets the same refusal.
          const said = refusing
          refusing = true
          return said ? Effect.succeed(null) : Effect.as(Effect.logWarning(failed.message), null)
        }),
        Semaphore.withPermit(turn),
      ),
  }
}
