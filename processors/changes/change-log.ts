import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type Cursor, cursorText, parseCursor } from "../../schemas/change.ts"
import { type ChangeLog, type ChangePortion, ChangesGone, type NumberedChange } from "../../schemas/ports/changes.ts"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import type { History } from "../../schemas/ports/history.ts"
import { eventReader } from "../../schemas/registry.ts"
import { ARCHIVED_COLUMNS, ArchivedRow } from "../history/slices.ts"
import { lastLoggedChange } from "../run/last-change.ts"
import { ARCHIVE, archivedBytes } from "../tables/events/table.ts"
import { type NumberedRecord, numberedIn } from "./numbered.ts"
import { makeOffsetIndex } from "./offset-index.ts"
import { makeStating, type StatingRules } from "./stated.ts"

/** The bytes of the events of one portion, at most; a single event may exceed it. */
const PORTION_MAX_BYTES = 4 * 1024 * 1024
/** The events of one portion of the archive, at most. */
const ARCHIVED_MAX = 1_000

/** The changes of a log in the archive. Numbers of one log increase with the offset, which is the order of the table. */
const OF_LOG = "topic = 'deltas' AND startsWith(sequence, {log:String})"

const Sequence = Schema.Struct({ sequence: Schema.String })

/** Makes the reader of the numbered changes of a log, and of those that were trimmed to the archive. */
export const makeChangeLog = ({
  log,
  history,
  ...rules
}: StatingRules & { readonly log: EventLog; readonly history: History | null }): ChangeLog => {
  const state = makeStating(rules)
  const index = makeOffsetIndex(log)
  /** The name of the log by the last look at its end. */
  let named: string | null = null

  /** The archive's latest change: of a topic that was trimmed to its end. */
  const lastArchived = Effect.suspend(() =>
    history === null
      ? Effect.succeed(null)
      : Effect.map(
          history.query(
            `SELECT sequence FROM ${ARCHIVE} WHERE topic = 'deltas' AND sequence != '' ORDER BY topic DESC, log_offset DESC LIMIT 1`,
            Sequence,
          ),
          ([row]) => parseCursor(row?.sequence ?? ""),
        ),
  )
  const last = Effect.gen(function* () {
    const cursor: Cursor | null = (yield* lastLoggedChange(log)) ?? (yield* lastArchived)
    named = cursor?.log ?? null
    return cursor
  })
  const nameOf = Effect.suspend(() =>
    named === null ? Effect.map(last, (cursor) => cursor?.log ?? null) : Effect.succeed(named),
  )

  /** The changes of consecutive records behind a number, and what they reach. */
  const portionOf = (name: string, after: number, records: ReadonlyArray<NumberedRecord>): ChangePortion => {
    const changes: Array<NumberedChange> = []
    let reached = after
    for (const { cursor, value } of records) {
      if (cursor.log !== name || cursor.ordinal <= reached) continue
      reached = cursor.ordinal
      const event = eventReader.readEvent(value)
      const change = Result.isFailure(event) ? null : state(event.success, cursor)
      if (change !== null) changes.push({ ordinal: cursor.ordinal, change })
    }
    return { after, reached, changes }
  }

  /** The records of the log behind a number; null where it no longer holds the next one. */
  const fromLog = Effect.fnUntraced(function* (name: string, after: number, max: number) {
    const offset = yield* index.seek(name, after + 1)
    if (offset === null) return null
    const found: Array<NumberedRecord> = []
    let bytes = 0
    yield* Stream.runForEachWhile(log.read("deltas", offset), ({ records }) =>
      Effect.sync(() => {
        for (const record of numberedIn(records)) {
          if (record.cursor.log !== name || record.cursor.ordinal <= after) continue
          bytes += record.value.byteLength
          if (found.length === max || (found.length > 0 && bytes > PORTION_MAX_BYTES)) return false
          found.push(record)
        }
        return true
      }),
    )
    const [first] = found
    // The log may have been trimmed since the offset was found.
    if (first !== undefined && first.cursor.ordinal > after + 1) return null
    const reached = found.at(-1)
    if (reached !== undefined) index.note({ ordinal: reached.cursor.ordinal, offset: reached.offset })
    return found
  })

  const fromArchive = Effect.fnUntraced(function* (archive: History, name: string, after: number, max: number) {
    const rows = yield* archive.query(
      `SELECT ${ARCHIVED_COLUMNS} FROM ${ARCHIVE} WHERE ${OF_LOG} AND sequence > {after:String}
       ORDER BY topic, log_offset LIMIT 1 BY log_offset LIMIT {max:UInt32}`,
      ArchivedRow,
      { log: `${name}.`, after: cursorText({ log: name, ordinal: after }), max: Math.min(max, ARCHIVED_MAX) },
    )
    return numberedIn(rows.map((row) => ({ offset: row.log_offset, key: row.key, value: archivedBytes(row) })))
  })

  const oldestOf = Effect.fnUntraced(function* (name: string) {
    const first = yield* index.firstFrom(name, yield* log.start("deltas"))
    const rows =
      history === null || first?.cursor.ordinal === 1
        ? []
        : yield* history.query(
            `SELECT sequence FROM ${ARCHIVE} WHERE ${OF_LOG} ORDER BY topic, log_offset LIMIT 1`,
            Sequence,
            { log: `${name}.` },
          )
    const archived = parseCursor(rows[0]?.sequence ?? "")
    const known = [first?.cursor, archived].flatMap((cursor) => (cursor == null ? [] : [cursor.ordinal]))
    return known.length === 0 ? null : Math.min(...known)
  })

  return {
    last,
    bounds: Effect.gen(function* () {
      const end: Cursor | null = yield* last
      if (end === null) return null
      return { log: end.log, oldest: (yield* oldestOf(end.log)) ?? end.ordinal, last: end.ordinal }
    }),
    read: Effect.fnUntraced(function* (after, max) {
      const name = yield* nameOf
      if (name === null) return { after, reached: after, changes: [] }
      const logged = yield* fromLog(name, after, max)
      if (logged !== null) return portionOf(name, after, logged)
      const archived = history === null ? [] : yield* fromArchive(history, name, after, max)
      if (archived[0]?.cursor.ordinal === after + 1) return portionOf(name, after, archived)
      const end: Cursor | null = yield* last
      if (end === null || after >= end.ordinal) return { after, reached: after, changes: [] }
      return yield* new ChangesGone({ after, oldest: (yield* oldestOf(name)) ?? after + 1 })
    }),
    follow: (after) =>
      Stream.unwrap(
        Effect.gen(function* () {
          named ??= (yield* lastLoggedChange(log))?.log ?? null
          const name = named
          const start = yield* log.start("deltas")
          const offset = name === null ? start : ((yield* index.seek(name, after + 1)) ?? start)
          let reached = after
          return log.follow("deltas", offset).pipe(
            Stream.map(({ records }) => {
              const numbered = numberedIn(records)
              const newest = numbered.at(-1)
              if (newest !== undefined) {
                named = newest.cursor.log
                index.note({ ordinal: newest.cursor.ordinal, offset: newest.offset })
              }
              const portion = portionOf(named ?? "", reached, numbered)
              reached = portion.reached
              return portion
            }),
            Stream.filter((portion) => portion.reached > portion.after),
          )
        }),
      ),
  }
}
