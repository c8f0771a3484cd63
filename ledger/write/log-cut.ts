import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { EventLog, ReadFailed } from "../../schemas/ports/event-log.ts"
import { entryHash, firstTail, readEntry, type Tail } from "../fold/entry.ts"

/**
 * The log lacks an entry that the cached state was folded from. Only durable entries reach that cache, so the log was cut
 * off or replaced. Writing on would hide that: an operator decides.
 */
export class LogCut extends Schema.TaggedError<LogCut>()("LogCut", {
  /** The sequence of the entry that was folded. */
  folded: Schema.Int,
  /** The sequence of the last entry of the log. */
  last: Schema.Int,
}) {
  override get message() {
    const what =
      this.last < this.folded
        ? `it ends with entry ${this.last}, and entry ${this.folded} was folded from it before`
        : `its entry ${this.folded} is not the one that was folded from it before`
    return `THE LEDGER'S LOG WAS CUT OFF OR REPLACED: ${what}. Nothing is served from it. Restore the log from a backup; to accept it as it stands, move the folder ledger-state out of DATA_DIR`
  }
}

/** The sequence of an entry; 0 where it cannot be read. */
const sequenceOf = (value: Uint8Array | null): number => {
  const entry = readEntry(value)
  return Result.isSuccess(entry) ? entry.success.data.sequence : 0
}

/** The entry of this sequence, or the last one where there are fewer. */
const entryAt = (log: EventLog, sequence: number): Effect.Effect<Tail, ReadFailed> =>
  log.read("ledger", 0).pipe(
    Stream.flatMap(({ records }) => Stream.fromIterable(records)),
    Stream.takeUntil(({ value }) => sequenceOf(value) >= sequence),
    Stream.runLast,
    Effect.map((last) =>
      last._tag === "None" || last.value.value === null
        ? firstTail
        : { sequence: sequenceOf(last.value.value), hash: entryHash(last.value.value) },
    ),
  )

/**
 * Fails with `LogCut` unless the log holds the cached state's last entry at another offset, as it does after a move to
 * another engine. Then the cache is only unusable.
 */
export const refuseCut = (log: EventLog, folded: Tail): Effect.Effect<void, ReadFailed | LogCut> =>
  Effect.flatMap(entryAt(log, folded.sequence), (found) =>
    found.sequence === folded.sequence && found.hash === folded.hash
      ? Effect.void
      : Effect.fail(new LogCut({ folded: folded.sequence, last: found.sequence })),
  )
