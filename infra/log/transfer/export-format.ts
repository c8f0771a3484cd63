import { isUtf8 } from "node:buffer"
import { createHash } from "node:crypto"
import type * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { LogRecord, StoredRecord } from "../../../schemas/ports/event-log.ts"
import { type Topic, topicNames } from "../../../schemas/topics.ts"

// The file format of exports and backups: NDJSON in UTF-8, one JSON value per line, each line ended by "\n".
// infra/log/README.md specifies it.
//
//   {"log":"tidewire","format":3,"archive":true}                            the header
//   {"section":"observations","from":"archive"}                              records of this topic follow, in order
//   {"key":"...","text":"..."}                                              a record; "base64" where it is no UTF-8
//   {"trailer":{"records":1,"topics":{"observations":1},"sha256":"..."}}    counts, and the hash of every line above

/** The version of the format. A file of another version is refused. */
const FORMAT = 3

/** The topics of an export. `imports` describes one log only, and is left out. */
export const exportedTopics: ReadonlyArray<Topic> = topicNames.filter((topic) => topic !== "imports")

const Header = Schema.Struct({
  log: Schema.Literal("tidewire"),
  format: Schema.Literal(FORMAT),
  /** True for a backup: records that were trimmed from the log are included, from the archive. */
  archive: Schema.Boolean,
  /** Topics whose trimmed records are missing in this file. */
  trimmed: Schema.Array(Schema.Literals(topicNames)),
})
export type Header = typeof Header.Type

const Section = Schema.Struct({ section: Schema.Literals(topicNames), from: Schema.Literals(["archive", "log"]) })
const RecordLine = Schema.Struct({
  key: Schema.String,
  text: Schema.optionalKey(Schema.String),
  base64: Schema.optionalKey(Schema.String),
})
const Trailer = Schema.Struct({
  trailer: Schema.Struct({
    records: Schema.Natural,
    topics: Schema.Record(Schema.String, Schema.Natural),
    /** SHA-256 of every line above this one, line ends included, in hex. */
    sha256: Schema.String,
  }),
})
export type Trailer = typeof Trailer.Type

/** Any line but the header. */
export type BodyLine = typeof Section.Type | typeof RecordLine.Type | Trailer

/** Decodes the first line of a file. */
export const decodeHeader: (line: string) => Result.Result<Header, Schema.SchemaError> = Schema.decodeUnknownResult(
  Schema.fromJsonString(Header),
)
/** Decodes any other line. */
export const decodeBody: (line: string) => Result.Result<BodyLine, Schema.SchemaError> = Schema.decodeUnknownResult(
  Schema.fromJsonString(Schema.Union([RecordLine, Section, Trailer])),
)
/** Decodes the last line. */
export const decodeTrailer: (line: string) => Result.Result<Trailer, Schema.SchemaError> = Schema.decodeUnknownResult(
  Schema.fromJsonString(Trailer),
)

/** The header as a line. */
export const headerLine = (header: Pick<Header, "archive" | "trimmed">): string =>
  JSON.stringify({ log: "tidewire", format: FORMAT, ...header })

/** The line before the records of a topic. */
export const sectionLine = (section: Topic, from: "archive" | "log"): string => JSON.stringify({ section, from })

/** A record as a line, without its offset, which is specific to an engine. */
export const recordLine = ({ key, value }: Pick<StoredRecord, "key" | "value">): string => {
  if (value === null) return JSON.stringify({ key })
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  return JSON.stringify(
    isUtf8(bytes) ? { key, text: bytes.toString("utf8") } : { key, base64: bytes.toString("base64") },
  )
}

/** The record of a line. */
export const recordOf = (topic: Topic, { key, text, base64 }: typeof RecordLine.Type): LogRecord => {
  if (text !== undefined) return { topic, key, value: Buffer.from(text, "utf8") }
  return { topic, key, value: base64 === undefined ? null : Buffer.from(base64, "base64") }
}

/** Counts and hashes the lines of a file for its trailer. */
export interface Tally {
  /** Adds a header or section. */
  readonly line: (line: string) => void
  readonly record: (topic: Topic, line: string) => void
  readonly records: () => number
  /** SHA-256 of the lines so far, in hex. */
  readonly sha256: () => string
  readonly trailer: () => Trailer
}

/** Begins a tally. */
export const makeTally = (): Tally => {
  const hash = createHash("sha256")
  const topics: Partial<Record<Topic, number>> = {}
  let records = 0
  const sha256 = () => hash.copy().digest("hex")
  const line = (text: string) => void hash.update(`${text}\n`)
  return {
    line,
    record: (topic, text) => {
      line(text)
      records += 1
      topics[topic] = (topics[topic] ?? 0) + 1
    },
    records: () => records,
    sha256,
    trailer: () => ({ trailer: { records, topics: { ...topics }, sha256: sha256() } }),
  }
}
