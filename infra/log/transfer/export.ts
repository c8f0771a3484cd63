import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { archivedTopics } from "../../../processors/tables/events/table.ts"
import type { EventLog, Offset, ReadFailed, StoredRecord } from "../../../schemas/ports/event-log.ts"
import { type Topic, topicPolicy } from "../../../schemas/topics.ts"
import { exportedTopics, headerLine, makeTally, recordLine, sectionLine } from "./export-file.ts"
import { type ImportUnfinished, readBegins, refuseUnfinished } from "./import-mark.ts"

/** The log was written to during the export, so the file would not be the state between two commits. */
export class LogChanged extends Schema.TaggedError<LogChanged>()("LogChanged", { topic: Schema.String }) {
  override get message() {
    return `the log is live: ${this.topic} changed during the export, so the copy is not consistent; stop the service, then try again`
  }
}

/** Consecutive records of a topic, and the offset up to which they reach. */
interface Portion {
  readonly records: ReadonlyArray<StoredRecord>
  readonly to: Offset
}

/** Reads records of a topic in [from, before) that were trimmed from the log. */
export type ReadArchived<E> = (topic: Topic, from: Offset, before: Offset) => Stream.Stream<Portion, E>

export interface ExportOptions<E> {
  /** Reads trimmed records; if absent, they are left out, and the header names their topics. */
  readonly archived?: ReadArchived<E>
  /** Called with the number of further offsets that were exported; `exportSize` is their sum. */
  readonly advance?: (offsets: number) => void
  /** Called with the number of records at the end. */
  readonly finished?: (records: number) => void
}

/** The offsets of a topic. */
export interface TopicRange {
  readonly topic: Topic
  readonly start: Offset
  readonly end: Offset
  /** The first offset before any trimming, for a topic that is archived; else `start`. */
  readonly begin: Offset
}

/** The ranges of topics, by default of every one that is exported. */
export const topicRanges = (
  log: EventLog,
  topics: ReadonlyArray<Topic> = exportedTopics,
): Effect.Effect<ReadonlyArray<TopicRange>, ReadFailed> =>
  Effect.flatMap(readBegins(log), (begins) =>
    Effect.forEach(topics, (topic) =>
      Effect.all([log.start(topic), log.end(topic)]).pipe(
        Effect.map(([start, end]) => ({
          topic,
          start,
          end,
          begin: archivedTopics.includes(topic) ? Math.min(begins[topic] ?? 0, start) : start,
        })),
      ),
    ),
  )

/** The number of offsets of an export: about the number of records, if nothing was compacted. */
export const exportSize = (log: EventLog, withArchive: boolean): Effect.Effect<number, ReadFailed> =>
  Effect.map(topicRanges(log), (ranges) =>
    ranges.reduce((sum, { begin, start, end }) => sum + end - (withArchive ? begin : start), 0),
  )

/** Topics whose older records were trimmed from the log and are in the archive only. */
export const trimmedTopics = (log: EventLog): Effect.Effect<ReadonlyArray<Topic>, ReadFailed> =>
  Effect.map(topicRanges(log), trimmedIn)

const trimmedIn = (ranges: ReadonlyArray<TopicRange>): ReadonlyArray<Topic> =>
  ranges.filter(({ begin, start }) => begin < start).map(({ topic }) => topic)

/** The offset of the latest record of each key of a compacted topic, without removed keys. */
const liveOffsets = (log: EventLog, { topic, start, end }: TopicRange) =>
  log.read(topic, start).pipe(
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

const logPortions = (log: EventLog, range: TopicRange): Stream.Stream<Portion, ReadFailed> => {
  const { topic, start, end } = range
  const portions = (live: ReadonlyMap<string, Offset> | undefined) =>
    log.read(topic, start).pipe(
      Stream.takeWhile((batch) => (batch.records[0]?.offset ?? 0) < end),
      Stream.map((batch) => ({
        to: Math.min(batch.next, end),
        records: batch.records.filter(
          ({ key, offset }) => offset < end && (live === undefined || live.get(key) === offset),
        ),
      })),
    )
  if (start >= end) return Stream.empty
  // The export of a compacted topic must not depend on when the engine compacts.
  return topicPolicy(topic).kept === "compacted"
    ? Stream.unwrap(Effect.map(liveOffsets(log, range), portions))
    : portions(undefined)
}

/**
 * Exports the log as lines without line ends: the latest record of each key of compacted topics, every record of the others,
 * and before them the trimmed ones, if `archived` reads them. Fails if the log changes meanwhile: the topics would not have
 * the state of the same moment. Holds one batch in memory, and the keys of one compacted topic.
 */
export const exportLog = <E = never>(
  log: EventLog,
  { archived, advance = () => {}, finished = () => {} }: ExportOptions<E> = {},
): Stream.Stream<string, E | ReadFailed | LogChanged | ImportUnfinished> =>
  Stream.unwrap(
    Effect.gen(function* () {
      yield* refuseUnfinished(log)
      const ranges = yield* topicRanges(log)
      const tally = makeTally()
      const untouched = Effect.gen(function* () {
        for (const [index, now] of (yield* topicRanges(log)).entries())
          if (now.end !== ranges[index]?.end || now.start !== ranges[index]?.start)
            return yield* new LogChanged({ topic: now.topic })
      })
      const section = <F>(
        topic: Topic,
        from: "archive" | "log",
        begin: Offset,
        portions: Stream.Stream<Portion, F>,
      ) => {
        let reached = begin
        let opened = false
        return portions.pipe(
          Stream.flatMap(({ records, to }) => {
            advance(to - reached)
            reached = to
            const lines: Array<string> = []
            for (const stored of records) {
              if (!opened) {
                opened = true
                const line = sectionLine(topic, from)
                tally.line(line)
                lines.push(line)
              }
              const line = recordLine(stored)
              tally.record(topic, line)
              lines.push(line)
            }
            return Stream.fromIterable(lines)
          }),
        )
      }
      const header = headerLine({
        archive: archived !== undefined,
        trimmed: archived === undefined ? trimmedIn(ranges) : [],
      })
      tally.line(header)
      const content = Stream.fromIterable(ranges).pipe(
        Stream.flatMap((range) => {
          const { topic, begin, start } = range
          const held = section(topic, "log", start, logPortions(log, range))
          return archived === undefined || begin === start
            ? held
            : Stream.concat(section(topic, "archive", begin, archived(topic, begin, start)), held)
        }),
      )
      return Stream.make(header).pipe(
        Stream.concat(content),
        Stream.concat(Stream.unwrap(Effect.map(untouched, () => Stream.make(JSON.stringify(tally.trailer()))))),
        Stream.onEnd(Effect.sync(() => finished(tally.records()))),
      )
    }),
  )
