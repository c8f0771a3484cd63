import { rm } from "node:fs/promises"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import {
  type ClaimFailed,
  type CommitFailed,
  type EventLog,
  type LogRecord,
  LogUnavailable,
  type Offset,
  type ReadFailed,
} from "../../../schemas/ports/event-log.ts"
import { type Topic, topicNames } from "../../../schemas/topics.ts"
import { existingTopics, type LogSettings, lmdbPath, openLog } from "../open.ts"
import {
  decodeBody,
  decodeHeader,
  exportedTopics,
  type Header,
  makeTally,
  recordOf,
  type Trailer,
} from "./export-file.ts"
import { type Begins, beginsRecord, IMPORT_WRITER, type ImportMark, markRecord, readMark } from "./import-mark.ts"

/** Bounds of one commit of an import. */
const GROUP_MAX_RECORDS = 1_000
const GROUP_MAX_BYTES = 4 * 1024 * 1024

/** The lines are no complete export, or the log cannot be imported into. */
class ImportRefused extends Schema.TaggedError<ImportRefused>()("ImportRefused", {
  /** The number of the line; 0 if the problem is in no line. */
  line: Schema.Natural,
  problem: Schema.String,
  /** Records of the unfinished import in the log. */
  records: Schema.Natural,
}) {
  override get message() {
    const problem = this.line === 0 ? this.problem : `line ${this.line}: ${this.problem}`
    return this.records === 0
      ? `nothing was imported: ${problem}`
      : `${problem}; ${this.records} records are in the log and nothing uses them: import the complete file to continue, or ` +
          "delete them with npm run log -- import --discard"
  }
}

/** The result of an import. */
interface Imported {
  readonly records: number
  /** The number of them that an earlier attempt had imported. */
  readonly resumedFrom: number
}

/** The mark before the first record. */
const NOTHING_IMPORTED: ImportMark = { state: "importing", lines: 0, records: 0, sha256: "" }

const refused = (problem: string) => new ImportRefused({ line: 0, problem, records: 0 })

/** Fails unless these topics are empty. Gives the first offsets of those that once held records. */
const refuseUnlessEmpty = (
  log: EventLog,
  topics: ReadonlyArray<Topic> = exportedTopics,
): Effect.Effect<Begins, ReadFailed | ImportRefused> =>
  Effect.gen(function* () {
    const begins: Partial<Record<Topic, Offset>> = {}
    for (const topic of topics) {
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

/** The mark of an earlier attempt; null for the first one. */
const unfinishedMark = (
  mark: ImportMark | null,
): Effect.Effect<(ImportMark & { state: "importing" }) | null, ImportRefused> => {
  if (mark === null) return Effect.succeed(null)
  return mark.state === "importing"
    ? Effect.succeed(mark)
    : Effect.fail(refused("the log was imported already; the next step is npm run rebuild"))
}

/**
 * Marks an empty log as an unfinished import before anything is imported; a log that has a mark keeps it. `topics`: those
 * that exist, if not all do.
 */
const beginImport = (
  log: EventLog,
  topics: ReadonlyArray<Topic> = exportedTopics,
): Effect.Effect<void, ImportRefused | ReadFailed | ClaimFailed | CommitFailed> =>
  Effect.scoped(
    Effect.gen(function* () {
      const writer = yield* log.claim(IMPORT_WRITER, ["imports"])
      if ((yield* readMark(log)) !== null) return
      yield* refuseUnlessEmpty(log, topics)
      yield* writer.commit([markRecord(NOTHING_IMPORTED)])
    }),
  )

/** Removes the mark of an import that has imported nothing, for one that can never begin. */
export const withdrawImport = (log: EventLog): Effect.Effect<void, ReadFailed | ClaimFailed | CommitFailed> =>
  Effect.scoped(
    Effect.gen(function* () {
      const writer = yield* log.claim(IMPORT_WRITER, ["imports"])
      const mark = yield* readMark(log)
      if (mark?.state === "importing" && mark.records === 0) yield* writer.commit([markRecord(null)])
    }),
  )

/** Checks a header. Gives the reason why its file must not be imported, if any. */
type AcceptHeader = (header: Header) => string | undefined

/** Reads the lines of an import one by one, and collects their records into groups. */
const makeReading = (earlier: (ImportMark & { state: "importing" }) | null, accept: AcceptHeader) => {
  const tally = makeTally()
  let lineCount = 0
  let topic: Topic | undefined
  let trailer: Trailer["trailer"] | undefined
  let group: Array<LogRecord> = []
  let groupBytes = 0

  const body = (line: string): string | undefined => {
    const decoded = decodeBody(line)
    if (Result.isFailure(decoded)) return `not a line of an export (${decoded.failure.message.split("\n")[0] ?? ""})`
    const value = decoded.success
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

  /** Skips a line that an earlier attempt committed: its hash proves that it is the same. */
  const skip = (line: string): string | undefined => {
    if (lineCount === 1) tally.line(line)
    else if (line.startsWith('{"section":')) return body(line)
    else if (topic === undefined) return "a record before the first section"
    else tally.record(topic, line)
    return undefined
  }

  return {
    lineCount: () => lineCount,
    isFull: () => group.length >= GROUP_MAX_RECORDS || groupBytes >= GROUP_MAX_BYTES,
    /** Takes the collected records, and gives the mark of a log that holds them. */
    take: (): { readonly records: ReadonlyArray<LogRecord>; readonly mark: ImportMark & { state: "importing" } } => {
      const records = group
      group = []
      groupBytes = 0
      return {
        records,
        mark: { state: "importing", lines: lineCount, records: tally.records(), sha256: tally.sha256() },
      }
    },
    /** Reads a line; gives its problem, if any. */
    problemOf: (line: string): string | undefined => {
      lineCount += 1
      if (trailer !== undefined) return "there is more after the last line"
      if (earlier !== null && lineCount <= earlier.lines) {
        const problem = skip(line)
        if (problem !== undefined || lineCount < earlier.lines) return problem
        return tally.sha256() === earlier.sha256 ? undefined : "this is not the file that the import began with"
      }
      if (lineCount > 1) return body(line)
      const header = decodeHeader(line)
      if (Result.isFailure(header)) return `not the first line of an export (${header.failure.message.split("\n")[0]})`
      tally.line(line)
      return accept(header.success)
    },
    /** Checks the lines as a whole after the last one; gives the problem, if any. */
    problemAtEnd: (): string | undefined => {
      if (earlier !== null && lineCount < earlier.lines)
        return "the file is shorter than the part that was imported from the original file"
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
 * Imports the lines of an export into an empty log, as the writer "import". Topics that held records and were emptied count
 * as empty. Every group of records is committed together with the mark of an unfinished import (`import-mark.ts`), which contains
 * the progress: another call with the same lines continues there, and until then every other use of the log is refused. The
 * last group is committed with the mark of a finished import, after the trailer has proved that the lines are complete.
 * Holds one group of records in memory.
 */
export const importLog = <E, R>(
  log: EventLog,
  lines: Stream.Stream<string, E, R>,
  accept: AcceptHeader = () => undefined,
): Effect.Effect<Imported, E | ImportRefused | ReadFailed | ClaimFailed | CommitFailed, R> =>
  Effect.scoped(
    Effect.gen(function* () {
      // Claimed before the first read: this fences an earlier attempt, and makes all of its commits visible.
      const writer = yield* log.claim(IMPORT_WRITER, topicNames)
      const earlier = yield* Effect.flatMap(readMark(log), unfinishedMark)
      const isFirst = earlier === null || earlier.lines === 0
      const unmark = writer.commit([markRecord(null)])
      const begins = isFirst
        ? yield* refuseUnlessEmpty(log).pipe(
            Effect.tapErrorTag("ImportRefused", () => (earlier === null ? Effect.void : unmark)),
          )
        : null
      const reading = makeReading(earlier, accept)
      let committed = earlier?.records ?? 0
      let marked = !isFirst

      const commit = Effect.gen(function* () {
        const { records, mark } = reading.take()
        const first = marked || begins === null ? [] : [beginsRecord(begins)]
        yield* writer.commit([...records, ...first, markRecord(mark)])
        marked = true
        committed = mark.records
      })
      const refuse = (line: number, problem: string) =>
        Effect.gen(function* () {
          // Without a record there is nothing to continue or to discard.
          if ((marked || earlier !== null) && committed === 0) yield* unmark
          return yield* new ImportRefused({ line, problem, records: committed })
        })

      yield* lines.pipe(
        Stream.runForEachArray((chunk) =>
          Effect.gen(function* () {
            for (const line of chunk) {
              const problem = reading.problemOf(line)
              if (problem !== undefined) return yield* refuse(reading.lineCount(), problem)
              // The mark is set from the first line on, so that no service starts on the log meanwhile.
              if (!marked || reading.isFull()) yield* commit
            }
          }),
        ),
      )
      const problem = reading.problemAtEnd()
      if (problem !== undefined) return yield* refuse(reading.lineCount(), problem)
      const { records, mark } = reading.take()
      yield* writer.commit([...records, markRecord({ state: "imported", sha256: mark.sha256 })])
      return { records: mark.records, resumedFrom: earlier?.records ?? 0 }
    }),
  )

/** Deletes the records of an unfinished import. May be repeated after an interruption, as the mark is removed last. */
export const discardImport = (
  log: EventLog,
): Effect.Effect<number, ImportRefused | ReadFailed | ClaimFailed | CommitFailed> =>
  Effect.scoped(
    Effect.gen(function* () {
      const writer = yield* log.claim(IMPORT_WRITER, topicNames)
      const mark = yield* readMark(log)
      if (mark?.state !== "importing") return yield* refused("the log holds no unfinished import to discard")
      // Without records of an import, what the log holds is not of it.
      if (mark.records > 0)
        for (const topic of exportedTopics) {
          const end = yield* log.end(topic)
          if ((yield* log.start(topic)) < end) yield* log.trim(topic, end)
        }
      yield* writer.commit([markRecord(null)])
      return mark.records
    }),
  )

type BeginFailed = LogUnavailable | ImportRefused | ReadFailed | ClaimFailed | CommitFailed

/** The topics of the mark and of the fences of its claim: they hold nothing else before it. */
export const MARK_TOPICS: ReadonlyArray<Topic> = ["imports", "checkpoints"]

/** Makes the folder of an embedded log under another name, and names it once its mark is on disk. */
const makeMarkedFolder = (path: string): Effect.Effect<void, BeginFailed> =>
  Effect.gen(function* () {
    const { openLmdbLog } = yield* Effect.promise(() => import("../lmdb/event-log.ts"))
    const { renameDurably } = yield* Effect.promise(() => import("../lmdb/store.ts"))
    const unnamed = `${path}.new`
    const fail = (cause: unknown) => new LogUnavailable({ problem: `${dirname(path)} cannot be written`, cause })
    yield* Effect.tryPromise({ try: () => rm(unnamed, { recursive: true, force: true }), catch: fail })
    yield* Effect.scoped(Effect.flatMap(openLmdbLog({ path: unnamed }), (log) => beginImport(log)))
    yield* Effect.try({ try: () => renameDurably(unnamed, path), catch: fail })
  })

/**
 * Opens the log of the settings for an import, with the mark of an unfinished one. The mark is the first that is written: no
 * folder of a log and no topic but `MARK_TOPICS` is made before it, so that whatever ends the import, no service starts on what it leaves.
 */
export const openForImport = (settings: LogSettings): Effect.Effect<EventLog, BeginFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const existing = yield* existingTopics(settings)
    if (settings.kafkaBrokers === null && existing.length === 0) yield* makeMarkedFolder(lmdbPath(settings))
    else {
      const topics = [...new Set([...existing, ...MARK_TOPICS])]
      const exported = existing.filter((topic) => topic !== "imports")
      yield* Effect.scoped(Effect.flatMap(openLog(settings, { topics }), (log) => beginImport(log, exported)))
    }
    return yield* openLog(settings)
  })
