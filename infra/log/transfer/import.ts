import { Effect, Result, Schema, Stream } from "effect"
import type {
  ClaimFailed,
  CommitFailed,
  EventLog,
  LogRecord,
  Offset,
  ReadFailed,
} from "../../../schemas/ports/event-log.ts"
import { type Topic, topicNames } from "../../../schemas/topics.ts"
import {
  decodeBody,
  decodeHeader,
  exportedTopics,
  type Header,
  makeTally,
  recordOf,
  type Trailer,
} from "./export-format.ts"
import { type Begins, beginsRecord, IMPORT_WRITER, type ImportMark, markRecord, readMark } from "./imported.ts"

/** The most that is committed at once by an import. */
const GROUP_RECORDS_MAX = 1_000
const GROUP_BYTES_MAX = 4 * 1024 * 1024

/** The lines are no whole export, or the log is not one to import into. */
export class ImportRefused extends Schema.TaggedError<ImportRefused>()("ImportRefused", {
  /** Where the trouble is; 0 where it is in no line. */
  line: Schema.Natural,
  problem: Schema.String,
  /** Records of the unfinished import that stand in the log. */
  records: Schema.Natural,
}) {
  override get message() {
    const problem = this.line === 0 ? this.problem : `line ${this.line}: ${this.problem}`
    return this.records === 0
      ? `nothing was imported: ${problem}`
      : `${problem}; ${this.records} records stand in the log and nothing uses them: import the whole file to go on, or ` +
          "throw them away with npm run log -- import --discard"
  }
}

/** What an import has done. */
export interface Imported {
  readonly records: number
  /** How many of them an earlier attempt had imported. */
  readonly resumedFrom: number
}

const refused = (problem: string) => new ImportRefused({ line: 0, problem, records: 0 })

/** Fails unless the log is empty. Gives where the topics begin that once held records. */
const refuseUnlessEmpty = (log: EventLog): Effect.Effect<Begins, ReadFailed | ImportRefused> =>
  Effect.gen(function* () {
    const begins: Partial<Record<Topic, Offset>> = {}
    for (const topic of exportedTopics) {
      const start = yield* log.start(topic)
      const holds = yield* log.read(topic, start).pipe(
        Stream.filter((batch) => batch.records.some(({ value }) => value !== null)),
        Stream.runHead,
      )
      if (holds._tag === "Some") return yield* refused(`the log is not empty: ${topic} has records`)
      if (start > 0) begins[topic] = start
    }
    return begins
  })

/** Where an earlier attempt has stopped; null where this is the first one. */
const begun = (mark: ImportMark | null): Effect.Effect<(ImportMark & { state: "importing" }) | null, ImportRefused> => {
  if (mark === null) return Effect.succeed(null)
  return mark.state === "importing"
    ? Effect.succeed(mark)
    : Effect.fail(refused("the log was imported already; npm run rebuild is what it waits for"))
}

/** Gives what keeps a file of this header from being imported; undefined where nothing does. */
export type AcceptHeader = (header: Header) => string | undefined

/** The lines of an import as they are taken, one after the other. */
const makeReading = (earlier: (ImportMark & { state: "importing" }) | null, accept: AcceptHeader) => {
  const tally = makeTally()
  let lineCount = 0
  let topic: Topic | undefined
  let trailer: Trailer["trailer"] | undefined
  let group: Array<LogRecord> = []
  let groupBytes = 0

  const body = (line: string): string | undefined => {
    const said = decodeBody(line)
    if (Result.isFailure(said)) return `not a line of an export (${said.failure.message.split("\n")[0] ?? ""})`
    const value = said.success
    if ("trailer" in value) {
      trailer = value.trailer
    } else if ("section" in value) {
      if (!exportedTopics.includes(value.section)) return `records of ${value.section} belong to no export`
      topic = value.section
      tally.line(line)
    } else {
      if (topic === undefined) return "a record before the first section"
      const record = recordOf(topic, value)
      group.push(record)
      groupBytes += record.key.length + (record.value?.length ?? 0)
      tally.record(topic, line)
    }
    return undefined
  }

  /** What was committed by an earlier attempt is not decoded again: that it is the same is what its hash says. */
  const again = (line: string): string | undefined => {
    if (lineCount === 1) tally.line(line)
    else if (line.startsWith('{"section":')) return body(line)
    else if (topic === undefined) return "a record before the first section"
    else tally.record(topic, line)
    return undefined
  }

  return {
    lineCount: () => lineCount,
    isFull: () => group.length >= GROUP_RECORDS_MAX || groupBytes >= GROUP_BYTES_MAX,
    /** The records that wait, which are taken with this, and the mark of a log that holds them. */
    take: (): { readonly records: ReadonlyArray<LogRecord>; readonly mark: ImportMark & { state: "importing" } } => {
      const records = group
      group = []
      groupBytes = 0
      return {
        records,
        mark: { state: "importing", lines: lineCount, records: tally.records(), sha256: tally.sha256() },
      }
    },
    /** Takes a line in; gives what is wrong with it. */
    problemOf: (line: string): string | undefined => {
      lineCount += 1
      if (trailer !== undefined) return "there is more after the last line"
      if (earlier !== null && lineCount <= earlier.lines) {
        const problem = again(line)
        if (problem !== undefined || lineCount < earlier.lines) return problem
        return tally.sha256() === earlier.sha256 ? undefined : "this is not the file that the import began with"
      }
      if (lineCount > 1) return body(line)
      const header = decodeHeader(line)
      if (Result.isFailure(header)) return `not the first line of an export (${header.failure.message.split("\n")[0]})`
      tally.line(line)
      return accept(header.success)
    },
    /** What is wrong with the lines as a whole. */
    problemAtEnd: (): string | undefined => {
      if (earlier !== null && lineCount < earlier.lines)
        return "the file is shorter than what was imported of the one that the import began with"
      if (trailer === undefined) return "the export ends before its last line: it was cut short"
      const mine = tally.trailer().trailer
      const differs = topicNames.find((name) => (trailer?.topics[name] ?? 0) !== (mine.topics[name] ?? 0))
      if (differs !== undefined)
        return `${trailer.topics[differs] ?? 0} records of ${differs} were exported, ${mine.topics[differs] ?? 0} are here`
      return trailer.sha256 === mine.sha256 && trailer.records === mine.records
        ? undefined
        : "the file was changed: its last line promises other content"
    },
  }
}

/**
 * Imports the lines of an export into an empty log, as the writer "import". Topics that once held records and have been
 * emptied count as empty. Every group of records is committed together with the mark of an unfinished import
 * (imported.ts), which says how far it came: another call with the same lines goes on from there, and until then
 * everything else refuses the log. A mark of a finished import replaces it with the last group, once the trailer has
 * proved the lines whole. Holds one group of records in memory.
 */
export const importLog = <E, R>(
  log: EventLog,
  lines: Stream.Stream<string, E, R>,
  accept: AcceptHeader = () => undefined,
): Effect.Effect<Imported, E | ImportRefused | ReadFailed | ClaimFailed | CommitFailed, R> =>
  Effect.scoped(
    Effect.gen(function* () {
      // Claimed before anything is read: whatever an earlier attempt committed is visible then, and it is fenced.
      const writer = yield* log.claim(IMPORT_WRITER, topicNames)
      const earlier = yield* Effect.flatMap(readMark(log), begun)
      const begins = earlier === null ? yield* refuseUnlessEmpty(log) : null
      const reading = makeReading(earlier, accept)
      let committed = earlier?.records ?? 0
      let marked = earlier !== null

      const commit = Effect.gen(function* () {
        const { records, mark } = reading.take()
        const first = marked || begins === null ? [] : [beginsRecord(begins)]
        yield* writer.commit([...records, ...first, markRecord(mark)])
        marked = true
        committed = mark.records
      })
      const refuse = (line: number, problem: string) =>
        Effect.gen(function* () {
          // Without a record there is nothing to go on with, and nothing to throw away.
          if (marked && committed === 0) yield* writer.commit([markRecord(null)])
          return yield* new ImportRefused({ line, problem, records: committed })
        })

      yield* lines.pipe(
        Stream.runForEachArray((some) =>
          Effect.gen(function* () {
            for (const line of some) {
              const problem = reading.problemOf(line)
              if (problem !== undefined) return yield* refuse(reading.lineCount(), problem)
              // The mark stands from the first line on, so that no service starts on the log meanwhile.
              if (!marked || reading.isFull()) yield* commit
            }
          }),
        ),
      )
      const problem = reading.problemAtEnd()
      if (problem !== undefined) return yield* refuse(reading.lineCount(), problem)
      const { records, mark } = reading.take()
      yield* writer.commit([...records, markRecord({ state: "imported" })])
      return { records: mark.records, resumedFrom: earlier?.records ?? 0 }
    }),
  )

/** Throws an unfinished import away: the log is empty again. Cut short, it is repeated: the mark goes last. */
export const discardImport = (
  log: EventLog,
): Effect.Effect<number, ImportRefused | ReadFailed | ClaimFailed | CommitFailed> =>
  Effect.scoped(
    Effect.gen(function* () {
      const writer = yield* log.claim(IMPORT_WRITER, topicNames)
      const mark = yield* readMark(log)
      if (mark?.state !== "importing") return yield* refused("the log holds no unfinished import to throw away")
      for (const topic of exportedTopics) {
        const end = yield* log.end(topic)
        if ((yield* log.start(topic)) < end) yield* log.trim(topic, end)
      }
      yield* writer.commit([markRecord(null)])
      return mark.records
    }),
  )
