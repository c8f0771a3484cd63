import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import {
  type Envelope,
  type EventReader,
  encodeEvent,
  type MalformedEvent,
  type NewerEvent,
} from "../../schemas/event.ts"
import type { Offset, StoredRecord } from "../../schemas/ports/event-log.ts"
import type { Row } from "../../schemas/ports/history.ts"
import type { Topic } from "../../schemas/topics.ts"
import type { Redaction } from "../purges/item-purge.ts"
import { inSlices } from "../run/yielding.ts"
import type { Table } from "../table.ts"
import { ARCHIVE, archivedTopics, archivePartitions, archiveRow } from "../tables/events/table.ts"
import type { HistoryAnswered } from "./availability.ts"

/** A record with its event; null if it is no event, or comes after an event that this release cannot read. */
interface SliceEntry {
  readonly record: StoredRecord
  readonly event: Envelope<string, unknown> | null
}

/** The records of a slice, with their events up to the first that this release cannot read. */
export interface ReadSlice {
  readonly entries: ReadonlyArray<SliceEntry>
  readonly stop: { readonly at: Offset; readonly problem: NewerEvent | MalformedEvent } | null
}

/** Decodes the events of records, once for all tables of the topic. */
export const readSlice = (reader: EventReader, records: ReadonlyArray<StoredRecord>): Effect.Effect<ReadSlice> =>
  Effect.suspend(() => {
    let stop: ReadSlice["stop"] = null
    const entry = (record: StoredRecord): SliceEntry => {
      if (record.value === null || stop !== null) return { record, event: null }
      const read = reader.readEvent(record.value)
      if (Result.isSuccess(read)) return { record, event: read.success }
      stop = { at: record.offset, problem: read.failure }
      return { record, event: null }
    }
    return inSlices(records, entry).pipe(Effect.map((entries) => ({ entries, stop })))
  })

/** An entry without what a redaction takes out of its event. */
export const redactedEntry = (redact: Redaction, entry: SliceEntry): SliceEntry => {
  const { record, event } = entry
  const left = event === null ? null : redact(event)
  return left === null || left === event ? entry : { record: { ...record, value: encodeEvent(left) }, event: left }
}

/** A row and its ClickHouse partition. */
export interface PlacedRow {
  readonly row: Row
  readonly partition: string
}

/** Writes the events of one topic to one table: one target for every table, and one for each topic of the archive. */
export interface Target {
  /** The name of its state and its tokens. */
  readonly name: string
  readonly table: string
  readonly topic: Topic
  /** An SQL condition for its rows in the table; null if all rows are its own. */
  readonly condition: string | null
  /** True if it stores records that this release cannot read. */
  readonly takesUnreadable: boolean
  readonly rows: (entry: SliceEntry) => ReadonlyArray<PlacedRow>
}

/** A target cannot continue: ClickHouse refuses its rows, an event cannot be read, or the code of its table fails. */
export class TargetStuck extends Schema.TaggedError<TargetStuck>()("TargetStuck", {
  target: Schema.String,
  problem: Schema.String,
}) {
  override get message() {
    return `the table ${this.target} cannot continue: ${this.problem}`
  }
}

/** Maps an answer of the history that no retry changes to the target's failure. */
export const stuck = (target: Target) => (cause: HistoryAnswered) =>
  new TargetStuck({ target: target.name, problem: cause.problem })

const tableTarget = (table: Table): Target => {
  const types = new Set(table.types.map(({ type }) => type))
  return {
    name: table.name,
    table: table.name,
    topic: table.topic,
    condition: null,
    takesUnreadable: false,
    rows: ({ record, event }) =>
      event === null || !types.has(event.type)
        ? []
        : table.rows(event).map((row) => ({
            row: { ...row, event_id: event.id, log_offset: record.offset },
            partition: table.partitions.of(row),
          })),
  }
}

/** The name of the archive's target of a topic. */
export const archiveName = (topic: Topic): string => `${ARCHIVE}/${topic}`

const archiveTarget = (topic: Topic): Target => ({
  name: archiveName(topic),
  table: ARCHIVE,
  topic,
  condition: `topic = '${topic}'`,
  takesUnreadable: true,
  rows: ({ record }) => {
    const row = archiveRow(topic, record)
    return [{ row, partition: archivePartitions.of(row) }]
  },
})

/** The archive, with one target for each of its topics. */
export const archiveTargets: ReadonlyArray<Target> = archivedTopics.map(archiveTarget)

/** Every target of a set of tables: the tables, and the archive's topics. */
export const targetsOf = (tables: ReadonlyArray<Table>): ReadonlyArray<Target> => [
  ...archiveTargets,
  ...tables.map(tableTarget),
]

/** One insert: rows of one ClickHouse partition, with its own token. */
export interface PlannedInsert {
  readonly rows: ReadonlyArray<Row>
  readonly token: string
}

/** The most rows of one insert. */
const INSERT_ROWS = 20_000

/**
 * Splits the rows of a planned batch into inserts: one for each ClickHouse partition, in the order of their names, and more
 * if there are many rows. The same rows and the same token always give the same inserts.
 */
export const insertsOf = (token: string, placed: ReadonlyArray<PlacedRow>): ReadonlyArray<PlannedInsert> => {
  const partitions = new Map<string, Array<Row>>()
  for (const { row, partition } of placed) {
    const rows = partitions.get(partition)
    if (rows === undefined) partitions.set(partition, [row])
    else rows.push(row)
  }
  return [...partitions.keys()].sort().flatMap((partition) => {
    const rows = partitions.get(partition) ?? []
    return Array.from({ length: Math.ceil(rows.length / INSERT_ROWS) }, (_, index) => ({
      rows: rows.slice(index * INSERT_ROWS, (index + 1) * INSERT_ROWS),
      token: `${token}/${partition}/${index}`,
    }))
  })
}
