import { Effect, Schema, type Scope, Stream } from "effect"
import type { ClaimFailed, CommitFailed, EventLog, LogRecord, ReadFailed } from "./event-log.port.ts"

/**
 * Why: checkpoints of processors and of the history speak of offsets, and offsets belong to an engine. After an import
 * they are those of another log, and whoever went on from them would skip or repeat events. So an import leaves a mark,
 * everything that folds refuses a marked log, and a rebuild, which needs no checkpoint, takes the mark away.
 */

/** The key of the mark in `checkpoints`. It is no part of an export. */
export const IMPORTED_KEY = "log/imported"
/** Keys of the history's checkpoints. */
const HISTORY_PREFIX = "history/"
const WRITER = "import"

/** The mark as an import writes it. */
export const importedMark: LogRecord = {
  topic: "checkpoints",
  key: IMPORTED_KEY,
  value: new TextEncoder().encode("{}"),
}

/** The log was imported, and nothing has been folded from it since. */
export class LogImported extends Schema.TaggedError<LogImported>()("LogImported", {}) {
  override get message() {
    return "the log was imported from another one: run npm run rebuild before anything is folded from it"
  }
}

/** The living keys of `checkpoints`. */
const checkpointKeys = (log: EventLog): Effect.Effect<ReadonlySet<string>, ReadFailed> =>
  log.read("checkpoints", 0).pipe(
    Stream.runFold(
      () => new Set<string>(),
      (keys, { records }) => {
        for (const { key, value } of records)
          if (value === null) keys.delete(key)
          else keys.add(key)
        return keys
      },
    ),
  )

/** Whether the log bears the mark of an import. */
export const isImported = (log: EventLog): Effect.Effect<boolean, ReadFailed> =>
  Effect.map(checkpointKeys(log), (keys) => keys.has(IMPORTED_KEY))

/** Fails when the log bears the mark. */
export const refuseImported = (log: EventLog): Effect.Effect<void, ReadFailed | LogImported> =>
  Effect.flatMap(isImported(log), (imported) => (imported ? Effect.fail(new LogImported()) : Effect.void))

const remove = (
  log: EventLog,
  wanted: (key: string) => boolean,
): Effect.Effect<void, ReadFailed | ClaimFailed | CommitFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const keys = [...(yield* checkpointKeys(log))].filter(wanted)
    const writer = yield* log.claim(WRITER, ["checkpoints"])
    yield* writer.commit(keys.map((key) => ({ topic: "checkpoints", key, value: null })))
  })

/** Gives up what the history's checkpoints say of another log. */
export const forgetHistory = (log: EventLog) => remove(log, (key) => key.startsWith(HISTORY_PREFIX))

/** Takes the mark away: everything has been made anew from this log. */
export const clearImported = (log: EventLog) => remove(log, (key) => key === IMPORTED_KEY)
