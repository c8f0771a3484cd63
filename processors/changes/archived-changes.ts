import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Cursor, cursorText, parseCursor } from "../../schemas/change.ts"
import type { History, HistoryFailed, HistoryUndecodable } from "../../schemas/ports/history.ts"
import { ARCHIVED_COLUMNS, ArchivedRow } from "../history/slices.ts"
import { ARCHIVE, archivedBytes } from "../tables/events/table.ts"
import { type NumberedRecord, numberedIn } from "./numbered.ts"

type Failed = HistoryFailed | HistoryUndecodable

/** The numbered changes that the archive holds: of a log, by its name. */
export interface ArchivedChanges {
  /** At most `max` changes behind a number, in order. */
  readonly behind: (cursor: Cursor, max: number) => Effect.Effect<ReadonlyArray<NumberedRecord>, Failed>
  /** The first change of a log; null where the archive has none. */
  readonly first: (log: string) => Effect.Effect<Cursor | null, Failed>
  /** The last change of the last log; null where the archive has none. */
  readonly last: Effect.Effect<Cursor | null, Failed>
}

/** The events of one query, at most. */
const ROWS_MAX = 1_000

/** The changes of a log. Their numbers increase with the offset, which is the order of the table. */
const OF_LOG = "topic = 'deltas' AND startsWith(sequence, {log:String})"

const Sequence = Schema.Struct({ sequence: Schema.String })

const cursorIn = ([row]: ReadonlyArray<typeof Sequence.Type>): Cursor | null => parseCursor(row?.sequence ?? "")

/** The numbered changes of the archive in ClickHouse. */
export const archivedChanges = (history: History): ArchivedChanges => ({
  behind: (cursor, max) =>
    history
      .query(
        `SELECT ${ARCHIVED_COLUMNS} FROM ${ARCHIVE} WHERE ${OF_LOG} AND sequence > {after:String}
         ORDER BY topic, log_offset LIMIT 1 BY log_offset LIMIT {max:UInt32}`,
        ArchivedRow,
        { log: `${cursor.log}.`, after: cursorText(cursor), max: Math.min(max, ROWS_MAX) },
      )
      .pipe(
        Effect.map((rows) =>
          numberedIn(rows.map((row) => ({ offset: row.log_offset, key: row.key, value: archivedBytes(row) }))),
        ),
      ),
  first: (log) =>
    Effect.map(
      history.query(`SELECT sequence FROM ${ARCHIVE} WHERE ${OF_LOG} ORDER BY topic, log_offset LIMIT 1`, Sequence, {
        log: `${log}.`,
      }),
      cursorIn,
    ),
  last: Effect.map(
    history.query(
      `SELECT sequence FROM ${ARCHIVE} WHERE topic = 'deltas' AND sequence != ''
       ORDER BY topic DESC, log_offset DESC LIMIT 1`,
      Sequence,
    ),
    cursorIn,
  ),
})
