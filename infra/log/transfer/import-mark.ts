import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { encodeState, initialState, parseStateKey, stateKey } from "../../../processors/history/state.ts"
import { archiveTargets } from "../../../processors/history/targets.ts"
import {
  type ClaimFailed,
  type CommitFailed,
  type EventLog,
  type LogRecord,
  LogUnavailable,
  type Offset,
  type ReadFailed,
} from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"

/**
 * The mark of an import is a record of the topic `imports`, and has three states:
 *
 * - `importing`: written with every group of records in the same commit. An incomplete log must never pass for a complete
 *   one, so only the import itself uses such a log.
 * - `imported`: the log is complete. The checkpoints of processors and history contain offsets of the original log:
 *   continuing from them would skip or repeat events. Therefore every fold refuses to start.
 * - `rebuilding`: a rebuild has begun. From here on the history belongs to this log, and an interrupted rebuild is
 *   repeated.
 *
 * A finished rebuild, which uses no checkpoint, removes the mark. The last two hold the hash of the file's trailer, by which a
 * restore knows its own file again; marks of earlier versions hold none.
 */
export const ImportMark = Schema.Union([
  Schema.Struct({
    state: Schema.Literal("importing"),
    /** The committed lines of the file, their records, and the SHA-256 of these lines. */
    lines: Schema.Natural,
    records: Schema.Natural,
    sha256: Schema.String,
  }),
  Schema.Struct({ state: Schema.Literal("imported"), sha256: Schema.optionalKey(Schema.String) }),
  Schema.Struct({ state: Schema.Literal("rebuilding"), sha256: Schema.optionalKey(Schema.String) }),
])
export type ImportMark = typeof ImportMark.Type

/** The writer's name of an import. */
export const IMPORT_WRITER = "import"

const TOPIC = "imports"
const KEY = "import"
const BEGIN_KEY = "begin"

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const decodeMark = Schema.decodeUnknownOption(Schema.fromJsonString(ImportMark))

/** The first offset of each topic, if not 0: an import into emptied topics starts after the offsets that they once held. */
const Begins = Schema.Record(Schema.String, Schema.Natural)
export type Begins = Readonly<Partial<Record<Topic, Offset>>>
const decodeBegins = Schema.decodeUnknownOption(Schema.fromJsonString(Begins))

/** The record of the topics' first offsets. */
export const beginsRecord = (begins: Begins): LogRecord => ({
  topic: TOPIC,
  key: BEGIN_KEY,
  value: encoder.encode(JSON.stringify(begins)),
})

/** The record that sets the mark, or removes it. */
export const markRecord = (mark: ImportMark | null): LogRecord => ({
  topic: TOPIC,
  key: KEY,
  value: mark === null ? null : encoder.encode(JSON.stringify(mark)),
})

/** An import has begun and was not finished: the log is incomplete. */
export class ImportUnfinished extends Schema.TaggedError<ImportUnfinished>()("ImportUnfinished", {
  records: Schema.Natural,
}) {
  override get message() {
    return (
      `this log is half of an import that was not finished (${this.records} records): npm run log -- import FILE, or ` +
      "npm run restore -- FILE, with the same file, or the same piped in again, continues it; npm run log -- import --discard deletes it"
    )
  }
}

/** The log was imported and not rebuilt since. */
class LogImported extends Schema.TaggedError<LogImported>()("LogImported", {}) {
  override get message() {
    return "the log was imported from another one: run npm run rebuild before anything is folded from it"
  }
}

const readLatest = (log: EventLog, wanted: string): Effect.Effect<Uint8Array | null, ReadFailed> =>
  Effect.flatMap(log.start(TOPIC), (from) =>
    log.read(TOPIC, from).pipe(
      Stream.runFold(
        (): Uint8Array | null => null,
        (latest, { records }) => {
          const last = records.findLast(({ key }) => key === wanted)
          return last === undefined ? latest : last.value
        },
      ),
    ),
  )

const unreadable = new LogUnavailable({ problem: "the mark of its import cannot be decoded", cause: null })

/** Reads the mark; null for a log that was never imported, or that was rebuilt since. */
export const readMark = (log: EventLog): Effect.Effect<ImportMark | null, ReadFailed> =>
  Effect.flatMap(readLatest(log, KEY), (value) =>
    value === null
      ? Effect.succeed(null)
      : Option.match(decodeMark(decoder.decode(value)), {
          onNone: () => Effect.fail(unreadable),
          onSome: Effect.succeed,
        }),
  )

/** Reads the first offsets of the topics: lower ones were never part of this log. 0 for topics that are not contained. */
export const readBegins = (log: EventLog): Effect.Effect<Begins, ReadFailed> =>
  Effect.flatMap(readLatest(log, BEGIN_KEY), (value) =>
    value === null
      ? Effect.succeed({})
      : Option.match(decodeBegins(decoder.decode(value)), {
          onNone: () => Effect.fail(unreadable),
          onSome: Effect.succeed,
        }),
  )

/** Fails if an import into the log was not finished. */
export const refuseUnfinished = (log: EventLog): Effect.Effect<void, ReadFailed | ImportUnfinished> =>
  Effect.flatMap(readMark(log), (mark) =>
    mark?.state === "importing" ? Effect.fail(new ImportUnfinished({ records: mark.records })) : Effect.void,
  )

/** Fails if the log must not be folded: an import was not finished, or was not followed by a rebuild. */
export const refuseImported = (log: EventLog): Effect.Effect<void, ReadFailed | ImportUnfinished | LogImported> =>
  Effect.flatMap(readMark(log), (mark) => {
    if (mark === null) return Effect.void
    return Effect.fail(mark.state === "importing" ? new ImportUnfinished(mark) : new LogImported())
  })

/** Sets the mark, or removes it (null) after a rebuild. A rebuild that begins keeps the hash of what was imported. */
export const setMark = (
  log: EventLog,
  mark: ImportMark | null,
): Effect.Effect<void, ReadFailed | ClaimFailed | CommitFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const writer = yield* log.claim(IMPORT_WRITER, [TOPIC])
    const before = mark?.state === "rebuilding" ? yield* readMark(log) : null
    const kept = before === null || before.state === "importing" ? {} : before
    yield* writer.commit([markRecord(mark === null ? null : { ...kept, ...mark })])
  })

/** Removes the history's checkpoints of the original log. The archive of this log starts at its topics' first offsets. */
export const forgetHistory = (
  log: EventLog,
): Effect.Effect<void, ReadFailed | ClaimFailed | CommitFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const keys = new Set<string>()
    yield* Stream.runForEach(log.read("checkpoints", yield* log.start("checkpoints")), ({ records }) =>
      Effect.sync(() => {
        for (const { key, value } of records)
          if (value === null) keys.delete(key)
          else if (parseStateKey(key) !== null) keys.add(key)
      }),
    )
    const begins = yield* readBegins(log)
    const states = archiveTargets.flatMap(({ name, topic }): ReadonlyArray<LogRecord> => {
      const next = begins[topic]
      const value = next === undefined ? null : encodeState({ ...initialState, next })
      return value === null ? [] : [{ topic: "checkpoints", key: stateKey(name), value }]
    })
    const writer = yield* log.claim(IMPORT_WRITER, ["checkpoints"])
    const removed = [...keys].map((key): LogRecord => ({ topic: "checkpoints", key, value: null }))
    yield* writer.commit([...removed, ...states])
  })
