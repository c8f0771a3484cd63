import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Batch, LogRecord, StoredRecord } from "../../../schemas/ports/event-log.ts"
import type { Progress } from "../../../schemas/ports/progress.ts"
import type { Topic } from "../../../schemas/topics.ts"
import type { Settings } from "../../config/settings.ts"
import { openClickHouse } from "../../history/clickhouse.ts"
import { holdLog, openLogToRead, refuseMissing } from "../../log/open.ts"
import { topicRanges } from "../../log/transfer/export.ts"
import {
  decodeBody,
  decodeHeader,
  type Header,
  makeTally,
  readLines,
  recordOf,
} from "../../log/transfer/export-file.ts"
import { refuseImported } from "../../log/transfer/import-mark.ts"
import { startHistory } from "../../roles/start-history.ts"
import { archivedRecords } from "../archived-records.ts"

/** A log to replay. It is read alone: nothing of it is written. */
export interface ReplaySource {
  /**
   * The records of the topics, in order within each of them; of the rest of a topic that is over, the source may give
   * nothing. Fails at the end if what was read was not the whole.
   */
  readonly read: (isOver: (topic: Topic) => boolean) => Stream.Stream<Batch, { readonly message: string }>
  /** What the source lacks of these topics, in words, once it was read; null where it has every event. */
  readonly lacks: () => string | null
}

const STAGE = "replay"

/** The log was trimmed while it was read. */
class LogTrimmed extends Schema.TaggedError<LogTrimmed>()("LogTrimmed", { topic: Schema.String }) {
  override get message() {
    return `the service trimmed ${this.topic} while it was read; run the command again`
  }
}

/** The topics whose records say what an import and a trimming have left. */
const STATE_TOPICS: ReadonlyArray<Topic> = ["imports", "checkpoints"]

/**
 * The log of the settings, which may be in use. What was trimmed from it comes from the archive; the embedded one needs the
 * service to be stopped, as its ClickHouse is started for it.
 */
export const logSource = (
  settings: Settings,
  topics: ReadonlyArray<Topic>,
  progress: Progress,
): Effect.Effect<ReplaySource, { readonly message: string }, Scope.Scope> =>
  Effect.gen(function* () {
    yield* refuseMissing(settings)
    const log = yield* openLogToRead(settings, [...new Set([...topics, ...STATE_TOPICS])])
    yield* refuseImported(log)
    const ranges = yield* topicRanges(log, topics)
    const isTrimmed = ranges.some(({ begin, start }) => begin < start)
    if (isTrimmed && settings.clickhouseUrl === null) yield* holdLog(settings)
    const archived = isTrimmed
      ? yield* archivedRecords(log, yield* openClickHouse(yield* startHistory(settings)), ranges)
      : () => Stream.empty
    return {
      lacks: () => null,
      read: (isOver) => {
        const total = ranges.reduce((sum, { begin, end }) => sum + end - begin, 0)
        const { advance } = progress.begin(STAGE, total, "offsets")
        const untouched = (topic: Topic, start: number) =>
          Effect.flatMap(log.start(topic), (now) =>
            now === start ? Effect.void : Effect.fail(new LogTrimmed({ topic })),
          )
        return Stream.fromIterable(ranges).pipe(
          Stream.flatMap(({ topic, begin, start, end }) => {
            let reached = begin
            const fromArchive = Stream.map(
              begin < start ? archived(topic, begin, start) : Stream.empty,
              ({ records, to }): Batch => ({ topic, records, next: to }),
            )
            return Stream.concat(fromArchive, start < end ? log.read(topic, start) : Stream.empty).pipe(
              Stream.takeWhile(() => !isOver(topic)),
              Stream.tap(({ next }) =>
                Effect.sync(() => {
                  advance(next - reached)
                  reached = next
                }),
              ),
              Stream.concat(Stream.drain(Stream.fromEffect(untouched(topic, start)))),
            )
          }),
        )
      },
    }
  })

/** The file is no export that this code reads. */
class FileRefused extends Schema.TaggedError<FileRefused>()("FileRefused", {
  file: Schema.String,
  problem: Schema.String,
}) {
  override get message() {
    return `${this.file}: ${this.problem}`
  }
}

const LINES_IN_GROUP = 200

/** Reads the lines of a file one by one. Offsets are those that an import into an empty log gives. */
const makeFileReading = (topics: ReadonlyArray<Topic>, begun: (header: Header) => void) => {
  const tally = makeTally()
  const offsets = new Map<Topic, number>()
  let lineCount = 0
  let topic: Topic | null = null
  let promised: { readonly records: number; readonly sha256: string } | null = null

  const store = ({ key, value }: LogRecord, of: Topic): StoredRecord => {
    const offset = offsets.get(of) ?? 0
    offsets.set(of, offset + 1)
    return { offset, key, value }
  }
  return {
    /** The record of a line, null where it is of no use, or a problem. */
    take: (line: string): { readonly topic: Topic; readonly record: StoredRecord } | string | null => {
      lineCount += 1
      if (lineCount === 1) {
        const header = decodeHeader(line)
        if (Result.isFailure(header)) return headerProblem(line)
        tally.line(line)
        begun(header.success)
        return null
      }
      if (promised !== null) return "there is more after its last line"
      const isControl = line.startsWith('{"section":') || line.startsWith('{"trailer":')
      if (!isControl && topic !== null && !topics.includes(topic)) {
        tally.record(topic, line)
        return null
      }
      const decoded = decodeBody(line)
      if (Result.isFailure(decoded)) return `line ${lineCount} is none of an export`
      const value = decoded.success
      if ("trailer" in value) promised = value.trailer
      else if ("section" in value) {
        topic = value.section
        tally.line(line)
      } else if (topic === null) return `line ${lineCount}: a record before the first section`
      else {
        tally.record(topic, line)
        return { topic, record: store(recordOf(topic, value), topic) }
      }
      return null
    },
    /** The problem of the file as a whole, if any. */
    problemAtEnd: (): string | null => {
      if (promised === null) return "it ends before the last line of an export: it was cut short"
      return promised.sha256 === tally.sha256() && promised.records === tally.records()
        ? null
        : "it was changed: its last line promises other content"
    },
  }
}

const FORMAT_OF = /^\{"log":"tidewire","format":(\d+)/u

const headerProblem = (line: string): string => {
  const [, format] = FORMAT_OF.exec(line) ?? []
  return format === undefined ? "it is no export" : `this code does not read its format (${format})`
}

/** Consecutive records of one topic become one batch. */
const batchesOf = (taken: ReadonlyArray<{ readonly topic: Topic; readonly record: StoredRecord }>) => {
  const batches: Array<{ readonly topic: Topic; readonly records: Array<StoredRecord>; next: number }> = []
  for (const { topic, record } of taken) {
    const last = batches.at(-1)
    const next = record.offset + 1
    if (last?.topic !== topic) batches.push({ topic, records: [record], next })
    else {
      last.records.push(record)
      last.next = next
    }
  }
  return batches
}

/** A file of `npm run backup` or of `npm run log -- export`. It is read to its end, which proves that it is whole. */
export const fileSource = (
  file: string,
  topics: ReadonlyArray<Topic>,
  progress: Progress,
): Effect.Effect<ReplaySource, { readonly message: string }> =>
  Effect.gen(function* () {
    const lines = yield* readLines(file, progress, STAGE)
    let lacking: ReadonlyArray<Topic> = []
    return {
      lacks: () =>
        lacking.length === 0
          ? null
          : `the file is an export and no backup: it lacks older events of ${lacking.join(", ")}, and views are those of a fold without them`,
      read: () => {
        const reading = makeFileReading(topics, (header) => {
          lacking = header.trimmed.filter((topic) => topics.includes(topic))
        })
        const refused = (problem: string) => Effect.fail(new FileRefused({ file, problem }))
        const end = Effect.suspend(() => {
          const problem = reading.problemAtEnd()
          return problem === null ? Effect.void : refused(problem)
        })
        return lines.pipe(
          Stream.grouped(LINES_IN_GROUP),
          Stream.mapEffect((group) => {
            const taken = []
            for (const line of group) {
              const one = reading.take(line)
              if (typeof one === "string") return refused(one)
              if (one !== null) taken.push(one)
            }
            return Effect.succeed(batchesOf(taken))
          }),
          Stream.flatMap((batches) => Stream.fromIterable(batches)),
          Stream.concat(Stream.drain(Stream.fromEffect(end))),
        )
      },
    }
  })
