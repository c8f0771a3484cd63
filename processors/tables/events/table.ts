import { isInstant } from "../../../schemas/event.ts"
import { type Topic, topicNames, topicPolicy } from "../../../schemas/topics.ts"
import { type Partitions, readDdl } from "../../ddl.ts"

/** The archive's table. It stores the records of several topics unchanged. */
export const ARCHIVE = "events"

/** The topics of the archive: all but state (compacted), the ledger, and bodies of replies. */
export const archivedTopics: ReadonlyArray<Topic> = topicNames.filter((topic) => {
  const { kept } = topicPolicy(topic)
  return (kept === "archived" || kept === "aged") && topic !== "replies"
})

/** A row of the archive. */
export type ArchiveRow = {
  readonly topic: Topic
  readonly log_offset: number
  readonly key: string
  readonly event_id: string
  readonly type: string
  readonly v: number
  readonly source: string
  readonly subject: string
  readonly time: string
  readonly rest: string
  readonly data: string
}

const VERSION_MAX = 65_535
const JSON_TYPE = "application/json"
/** The time of a record without one. */
const NO_TIME = "1970-01-01T00:00:00.000Z"
/** Years within the range of the column. */
const YEAR = /^(19[7-9]\d|2[01]\d\d)-/
const COLUMNS = new Set(["specversion", "id", "source", "type", "subject", "time", "v", "data"])

const decoder = new TextDecoder()
const encoder = new TextEncoder()

const word = (value: unknown): string => (typeof value === "string" ? value : "")

const parse = (text: string): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}

/**
 * Makes the archive's row of a record. It decodes no data, so that it stores events of newer releases too; a record that is
 * no event is stored as text, without a type.
 */
export const archiveRow = (
  topic: Topic,
  record: { readonly offset: number; readonly key: string; readonly value: Uint8Array | null },
): ArchiveRow => {
  const text = record.value === null ? "" : decoder.decode(record.value)
  const envelope = parse(text)
  const place = { topic, log_offset: record.offset, key: record.key }
  const version = envelope?.v
  if (
    envelope === null ||
    word(envelope.type) === "" ||
    envelope.specversion !== "1.0" ||
    typeof version !== "number" ||
    !Number.isInteger(version) ||
    version < 0 ||
    version > VERSION_MAX ||
    !YEAR.test(word(envelope.time)) ||
    !isInstant(word(envelope.time)) ||
    envelope.data === undefined
  )
    return { ...place, event_id: "", type: "", v: 0, source: "", subject: "", time: NO_TIME, rest: "", data: text }
  const others = Object.entries(envelope).filter(
    ([name, value]) => !COLUMNS.has(name) && !(name === "datacontenttype" && value === JSON_TYPE),
  )
  return {
    ...place,
    event_id: word(envelope.id),
    type: word(envelope.type),
    v: version,
    source: word(envelope.source),
    subject: word(envelope.subject),
    time: word(envelope.time),
    rest: others.length === 0 ? "" : JSON.stringify(Object.fromEntries(others)),
    data: JSON.stringify(envelope.data),
  }
}

/** Restores the bytes of a record from its row. */
export const archivedBytes = (row: Omit<ArchiveRow, "topic" | "log_offset" | "key">): Uint8Array => {
  if (row.type === "") return encoder.encode(row.data)
  const envelope = {
    specversion: "1.0",
    id: row.event_id,
    source: row.source,
    type: row.type,
    subject: row.subject,
    time: row.time,
    datacontenttype: JSON_TYPE,
    v: row.v,
    ...parse(row.rest),
  }
  // The data is inserted as text: parsing and printing it would take time, and could change it.
  return encoder.encode(`${JSON.stringify(envelope).slice(0, -1)},"data":${row.data}}`)
}

/** How the archive is divided by time. */
export const archivePartitions: Partitions = readDdl(new URL("./", import.meta.url)).partitions

/** The partition of records without a time. */
export const UNDATED_PARTITION: string = archivePartitions.at(NO_TIME)
