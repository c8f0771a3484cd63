import { isUtf8 } from "node:buffer"
import { Effect, Result, Schema, Stream } from "effect"
import { type Topic, topicNames, topicPolicy } from "../../schemas/topics.ts"
import type {
  CommitFailed,
  EventLog,
  LogRecord,
  LogUnavailable,
  Offset,
  ReadFailed,
  StoredRecord,
  UnknownTopic,
} from "./event-log.port.ts"
import { IMPORTED_KEY, importedMark } from "./imported.ts"

// The form in which a log leaves its engine: NDJSON. The first line says what it is, the last one how many records came,
// so that half a file is never taken for a whole one. Between them stands one record a line, topic after topic, in the
// order of the log, without offsets: those belong to the engine. A value is text where its bytes are UTF-8, else base64.

const FORMAT = 1

const FirstLine = Schema.Struct({ log: Schema.Literal("tidewire"), format: Schema.Literal(FORMAT) })
const LastLine = Schema.Struct({ records: Schema.Natural })
const RecordLine = Schema.Struct({
  topic: Schema.Literals(topicNames),
  key: Schema.String,
  text: Schema.optionalKey(Schema.String),
  base64: Schema.optionalKey(Schema.String),
})

type Line = typeof FirstLine.Type | typeof RecordLine.Type | typeof LastLine.Type

const decodeFirst = Schema.decodeUnknownResult(Schema.fromJsonString(FirstLine))
const decodeLine = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Union([RecordLine, LastLine])))

/** The most that is committed at once by an import. */
const GROUP_RECORDS_MAX = 1_000
const GROUP_BYTES_MAX = 4 * 1024 * 1024

/** The lines are not an export, or the log is not one to import into. What was committed before a bad line stays. */
export class ImportRefused extends Schema.TaggedError<ImportRefused>()("ImportRefused", {
  line: Schema.Natural,
  problem: Schema.String,
}) {
  override get message() {
    return this.line === 0 ? `nothing was imported: ${this.problem}` : `line ${this.line}: ${this.problem}`
  }
}

const lineOf = (topic: Topic, { key, value }: StoredRecord): string => {
  if (value === null) return JSON.stringify({ topic, key })
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  return JSON.stringify(
    isUtf8(bytes) ? { topic, key, text: bytes.toString("utf8") } : { topic, key, base64: bytes.toString("base64") },
  )
}

const recordOf = ({ topic, key, text, base64 }: typeof RecordLine.Type): LogRecord => {
  if (text !== undefined) return { topic, key, value: Buffer.from(text, "utf8") }
  return { topic, key, value: base64 === undefined ? null : Buffer.from(base64, "base64") }
}

/** Where the latest record of each key of a compacted topic stands, without the removed keys. */
const liveOffsets = (log: EventLog, topic: Topic, from: Offset, end: Offset) =>
  log.read(topic, from).pipe(
    Stream.runFold(
      () => new Map<string, Offset>(),
      (latest, batch) => {
        for (const { key, value, offset } of batch.records) {
          if (offset >= end) continue
          if (value === null) latest.delete(key)
          else latest.set(key, offset)
        }
        return latest
      },
    ),
  )

const exportTopic = (log: EventLog, topic: Topic, end: Offset): Stream.Stream<string, ReadFailed> => {
  const lines = (live: ReadonlyMap<string, Offset> | undefined) =>
    log.read(topic, 0).pipe(
      Stream.takeWhile((batch) => (batch.records[0]?.offset ?? 0) < end),
      Stream.flatMap((batch) =>
        Stream.fromIterable(
          batch.records
            .filter(
              ({ key, offset }) =>
                offset < end && key !== IMPORTED_KEY && (live === undefined || live.get(key) === offset),
            )
            .map((stored) => lineOf(topic, stored)),
        ),
      ),
    )
  // An engine compacts when it pleases: what counts as the content of a compacted topic must not depend on it.
  return topicPolicy(topic).kept === "compacted"
    ? Stream.unwrap(liveOffsets(log, topic, 0, end).pipe(Effect.map(lines)))
    : lines(undefined)
}

/**
 * The whole log as lines without their line ends: of compacted topics the living records, of all others every record.
 * Each topic is cut at the end that it has when the export begins; for a cut between commits, stop the writers. Holds one
 * batch in memory, and the keys of one compacted topic.
 */
export const exportLog = (log: EventLog): Stream.Stream<string, ReadFailed> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const ends = yield* Effect.forEach(topicNames, (topic) => log.end(topic))
      let records = 0
      const content = Stream.fromIterable(topicNames.map((topic, index) => ({ topic, end: ends[index] ?? 0 }))).pipe(
        Stream.flatMap(({ topic, end }) => exportTopic(log, topic, end)),
        Stream.map((line) => {
          records += 1
          return line
        }),
      )
      return Stream.make(JSON.stringify({ log: "tidewire", format: FORMAT })).pipe(
        Stream.concat(content),
        Stream.concat(Stream.suspend(() => Stream.make(JSON.stringify({ records })))),
      )
    }),
  )

const refuseUnlessEmpty = (log: EventLog) =>
  Effect.forEach(topicNames, (topic) =>
    log.read(topic, 0).pipe(
      Stream.filter((batch) => batch.records.some(({ value }) => value !== null)),
      Stream.runHead,
      Effect.flatMap((found) =>
        found._tag === "None"
          ? Effect.void
          : Effect.fail(new ImportRefused({ line: 0, problem: `the log is not empty: ${topic} has records` })),
      ),
    ),
  )

/**
 * Imports the lines of an export into an empty log, as the writer "import", and gives the number of records. Topics that
 * once held records and have been emptied count as empty. The log is marked as imported (imported.ts). Holds one group of records in memory. Where it fails, the log
 * keeps what was committed until then: throw that log away.
 */
export const importLog = <E, R>(
  log: EventLog,
  lines: Stream.Stream<string, E, R>,
): Effect.Effect<number, E | ImportRefused | CommitFailed | LogUnavailable | UnknownTopic, R> =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* refuseUnlessEmpty(log)
      const writer = yield* log.claim("import", topicNames)
      let group: Array<LogRecord> = []
      let groupBytes = 0
      let lineCount = 0
      let imported = 0
      let promised: number | undefined

      const commit = Effect.gen(function* () {
        yield* writer.commit(group)
        imported += group.length
        group = []
        groupBytes = 0
      })
      /** Takes a line in; gives what is wrong with it. */
      const problemOf = (line: string): string | undefined => {
        if (promised !== undefined) return "there is more after the last line"
        const said: Result.Result<Line, Schema.SchemaError> = lineCount === 1 ? decodeFirst(line) : decodeLine(line)
        if (Result.isFailure(said)) return `not a line of an export (${said.failure.message})`
        if ("records" in said.success) promised = said.success.records
        if ("topic" in said.success) {
          const record = recordOf(said.success)
          group.push(record)
          groupBytes += record.key.length + (record.value?.length ?? 0)
        }
        return undefined
      }

      yield* writer.commit([importedMark])
      yield* lines.pipe(
        Stream.runForEachArray((some) =>
          Effect.gen(function* () {
            for (const line of some) {
              lineCount += 1
              const problem = problemOf(line)
              if (problem !== undefined) return yield* new ImportRefused({ line: lineCount, problem })
              if (group.length >= GROUP_RECORDS_MAX || groupBytes >= GROUP_BYTES_MAX) yield* commit
            }
          }),
        ),
      )
      yield* commit
      if (promised === imported) return imported
      const problem =
        promised === undefined
          ? "the export ends before its last line"
          : `${promised} records were exported, ${imported} are here`
      return yield* new ImportRefused({ line: lineCount, problem })
    }),
  )
