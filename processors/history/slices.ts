import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Batch, EventLog, Offset, ReadFailed, StoredRecord } from "../../schemas/ports/event-log.ts"
import type { History } from "../../schemas/ports/history.ts"
import type { Topic } from "../../schemas/topics.ts"
import { ARCHIVE, archivedBytes } from "../tables/events/table.ts"
import type { Availability, HistoryAnswered } from "./availability.ts"

/** The records of a topic in [from, to), in order. */
export interface Slice {
  readonly from: Offset
  readonly to: Offset
  readonly records: ReadonlyArray<StoredRecord>
}

/** Bounds of one slice. */
const SLICE_RECORDS_MAX = 5_000
const SLICE_MAX_BYTES = 2 * 1024 * 1024

/** Splits consecutive batches into slices of a bounded size; a single record may exceed the bound. */
export const slicesOf = (
  from: Offset,
  batches: ReadonlyArray<Batch>,
  recordsMax: number = SLICE_RECORDS_MAX,
  bytesMax: number = SLICE_MAX_BYTES,
): ReadonlyArray<Slice> => {
  const slices: Array<Slice> = []
  let start = from
  let records: Array<StoredRecord> = []
  let bytes = 0
  const cut = (to: Offset) => {
    slices.push({ from: start, to, records })
    start = to
    records = []
    bytes = 0
  }
  for (const batch of batches)
    for (const record of batch.records) {
      if (record.offset < start) continue
      const size = record.value?.byteLength ?? 0
      if (records.length > 0 && (records.length >= recordsMax || bytes + size > bytesMax)) cut(record.offset)
      records.push(record)
      bytes += size
    }
  const next = batches.at(-1)?.next ?? from
  if (next > start) cut(next)
  return slices
}

/** The part of a slice in [from, to). */
export const part = (slice: Slice, from: Offset, to: Offset): Slice => ({
  from: Math.max(slice.from, from),
  to: Math.min(slice.to, to),
  records: slice.records.filter(({ offset }) => offset >= from && offset < to),
})

/**
 * Reads the log's records of [from, to), in order, as slices of a bounded size. A batch of the log may end far beyond `to`: nothing of
 * it from there on is given.
 */
export const readLog = (
  log: Pick<EventLog, "read">,
  topic: Topic,
  from: Offset,
  to: Offset,
): Stream.Stream<Slice, ReadFailed> =>
  from >= to
    ? Stream.empty
    : log.read(topic, from).pipe(
        Stream.takeUntil((batch) => batch.next >= to),
        Stream.mapAccum(
          () => from,
          (start, batch) =>
            [
              batch.next,
              slicesOf(start, [batch]).flatMap((slice) => (slice.from < to ? [part(slice, slice.from, to)] : [])),
            ] as const,
        ),
      )

const PAGE_MAX_ROWS = 2_000

const Size = Schema.Struct({ log_offset: Schema.Natural, bytes: Schema.Natural })

/** The columns of a record of the archive, from which its bytes are restored. */
export const ArchivedRow = Schema.Struct({
  log_offset: Schema.Natural,
  key: Schema.String,
  event_id: Schema.String,
  type: Schema.String,
  v: Schema.Natural,
  source: Schema.String,
  subject: Schema.String,
  time: Schema.String,
  rest: Schema.String,
  data: Schema.String,
})

export const ARCHIVED_COLUMNS: string = Object.keys(ArchivedRow.fields).join(", ")

const RANGE = "topic = {topic:String} AND log_offset >= {from:UInt64} AND log_offset < {to:UInt64}"

/**
 * Reads the archive's records of [from, to), in order, as slices of a bounded size. A duplicated row is given once.
 */
export const readArchive = (
  history: History,
  topic: Topic,
  from: Offset,
  to: Offset,
  { persistently }: Availability,
): Stream.Stream<Slice, HistoryAnswered> =>
  Stream.paginate(from, (start) =>
    Effect.gen(function* () {
      // Reads the sizes first, to bound the memory of a page of large payloads.
      const sizes = yield* persistently(
        history.query(
          `SELECT log_offset, any(length(data)) AS bytes FROM ${ARCHIVE} WHERE ${RANGE}
         GROUP BY log_offset ORDER BY log_offset LIMIT ${PAGE_MAX_ROWS}`,
          Size,
          { topic, from: start, to },
        ),
      )
      let bytes = 0
      const fits = sizes.findIndex((size, index) => {
        bytes += size.bytes
        return index > 0 && bytes > SLICE_MAX_BYTES
      })
      const whole = fits === -1 && sizes.length < PAGE_MAX_ROWS
      const last = sizes.at(fits === -1 ? -1 : fits - 1)
      const more = whole || last === undefined ? to : last.log_offset + 1
      const rows = yield* persistently(
        history.query(
          `SELECT ${ARCHIVED_COLUMNS} FROM ${ARCHIVE} WHERE ${RANGE}
         ORDER BY log_offset LIMIT 1 BY log_offset`,
          ArchivedRow,
          { topic, from: start, to: more },
        ),
      )
      const slice: Slice = {
        from: start,
        to: more,
        records: rows.map((row) => ({ offset: row.log_offset, key: row.key, value: archivedBytes(row) })),
      }
      return [[slice], more < to ? Option.some(more) : Option.none<Offset>()] as const
    }),
  )
