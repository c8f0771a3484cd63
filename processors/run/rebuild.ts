import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { EventReader, MalformedEvent, NewerEvent } from "../../schemas/event.ts"
import type {
  ClaimFailed,
  CommitFailed,
  EventLog,
  FencedWriter,
  LogRecord,
  Offset,
  ReadFailed,
} from "../../schemas/ports/event-log.ts"
import { eventReader } from "../../schemas/registry.ts"
import type { Topic } from "../../schemas/topics.ts"
import { valueKeyOf } from "../../schemas/value-patch.ts"
import { versionsRecord } from "../past/versions.ts"
import { type EventsTrimmed, type Position, positionKey, sealedKey, stateKey } from "./checkpoint.ts"
import { livePosition, type MemoryFold, type RefoldOptions, reachedBy, refoldAll } from "./refold.ts"
import { writerOf, writerTopics } from "./runner.ts"
import { type LogValue, makeValueStore, readValues, recordsBytes, type StoredValues } from "./stored-values.ts"
import { type Verification, type VerifyFailed, verifyViews } from "./verify.ts"

/** Size of one commit of a rebuild, in bytes; a single value may exceed it. */
const COMMIT_MAX_BYTES = 4 * 1024 * 1024

/**
 * Maps positions of another log to offsets of this one, which was imported from it: the offset behind the last folded
 * event. If that event is gone it was trimmed, with everything before it, and the start of the topic applies.
 */
export const nextByEvent =
  (log: EventLog, reader: EventReader = eventReader) =>
  ({ topic, lastEventId }: Position): Effect.Effect<Offset, ReadFailed> =>
    Effect.gen(function* () {
      const start = yield* log.start(topic)
      if (lastEventId === null) return start
      return yield* log.read(topic, start).pipe(
        Stream.runFold(
          () => start,
          (next, { records }) => {
            const found = records.find(({ value }) => {
              const event = value === null ? null : reader.readEvent(value)
              return event !== null && Result.isSuccess(event) && event.success.id === lastEventId
            })
            return found === undefined ? next : found.offset + 1
          },
        ),
      )
    })

/** The result of rebuilding one processor. */
export interface Rebuilt {
  readonly processor: string
  readonly generation: number
  readonly events: number
  /** The events in the log, if none was folded; else 0. */
  readonly unfolded: number
  /** Records of `views` that differed and were written or removed. */
  readonly viewsWritten: number
}

export type RebuildFailed = ClaimFailed | CommitFailed | ReadFailed | NewerEvent | MalformedEvent | EventsTrimmed

/** The records of a topic in the log that hold a value. */
const countRecords = (log: EventLog, topic: Topic): Effect.Effect<number, ReadFailed> =>
  Effect.flatMap(log.start(topic), (start) =>
    log.read(topic, start).pipe(
      Stream.runFold(
        () => 0,
        (sum, { records }) => sum + records.filter(({ value }) => value !== null).length,
      ),
    ),
  )

/**
 * Where a rebuilt processor goes on. It has appended no derived event: those of the build before it stand, with their numbers,
 * and its own begin at the offset that the build before it had reached.
 */
export const rebuiltPosition = (
  refolded: Position,
  live: Position | null,
  first: Offset,
  reached: Offset,
): Position => ({
  ...refolded,
  derivedFrom: live === null ? first : reached,
  lastChange: live?.lastChange ?? null,
})

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * Builds views and state anew from the first event of each topic (the archive's, then the log's), as a new generation
 * beside the live one, and makes it live. The long fold runs beside the live processors; only the end claims the writer of
 * each, which fences it. Derived events are in the log already and are not appended again: those of the new generation
 * begin at the position of the old one. A rebuild that is interrupted is repeated: the views that it has written are whole,
 * and the next start removes its state.
 */
export const rebuildViews = <E = never>(
  log: EventLog,
  options: RefoldOptions<E>,
): Effect.Effect<ReadonlyArray<Rebuilt>, RebuildFailed | E, Scope.Scope> =>
  Effect.gen(function* () {
    const rebuilt: Array<Rebuilt> = []
    const produced = new Set<string>()
    const counts = new Map<Topic, number>()
    const unfoldedOf = Effect.fnUntraced(function* (topic: Topic): Effect.fn.Return<number, ReadFailed> {
      const count = counts.get(topic) ?? (yield* countRecords(log, topic))
      counts.set(topic, count)
      return count
    })
    const begun = yield* refoldAll(log, options)
    for (const { processor, first, refold } of begun) {
      const { name } = processor
      const writer = yield* log.claim(writerOf(name), writerTopics)
      const now = yield* livePosition(log, processor)
      const reached = yield* reachedBy(log, processor, now, options.nextOf)
      yield* refold.foldTo(reached)
      const position = rebuiltPosition(refold.folding.position(), now.position, first, reached)
      const live = yield* readValues(log, "views")
      for (const key of refold.views.keys()) produced.add(key)
      // With the last processor, views that no processor produces are removed.
      const isLast = processor === options.processors.at(-1)
      const foreign = isLast ? [...live.logKeys].map(valueKeyOf).filter((key) => !produced.has(key)) : []
      const viewsWritten = yield* commitBuild(writer, name, { refold, position, live, removed: [...new Set(foreign)] })
      rebuilt.push({
        processor: name,
        generation: position.generation,
        events: position.count,
        unfolded: position.count === 0 ? yield* unfoldedOf(processor.topic) : 0,
        viewsWritten,
      })
    }
    return rebuilt
  })

/** A build that is to be made live. */
interface NewBuild {
  readonly refold: MemoryFold
  readonly position: Position
  /** The views that stand in the log. */
  readonly live: Pick<StoredValues, "values" | "logKeys">
  /** Keys of views that are removed with it. */
  readonly removed: ReadonlyArray<string>
}

/** Writes what a fold in memory holds, and makes it live with the last commit. Gives how many records of `views` changed. */
export const commitBuild = Effect.fnUntraced(function* (
  writer: FencedWriter,
  name: string,
  { refold, position, live, removed }: NewBuild,
): Effect.fn.Return<number, CommitFailed> {
  const { generation } = position
  const store = makeValueStore({ views: live.logKeys })
  const views = [...refold.views].flatMap(([key, value]): ReadonlyArray<LogValue> => {
    const standing = live.values.get(key)
    const isSame = standing !== undefined && Buffer.from(standing).equals(value)
    return isSame ? [] : [{ topic: "views", key, text: decoder.decode(value) }]
  })
  const state = [...refold.folding.state].map(
    ([key, value]): LogValue => ({
      topic: "checkpoints",
      key: stateKey(name, generation, key),
      text: JSON.stringify(value),
    }),
  )
  const gone = removed.map((key): LogValue => ({ topic: "views", key, text: null }))
  const sealed: LogRecord = { topic: "checkpoints", key: sealedKey(name, generation), value: encoder.encode("{}") }
  /** What is written of a view, and that it is so from now on. */
  const withVersion = (records: ReadonlyArray<LogRecord>, key: string): ReadonlyArray<LogRecord> => {
    const of = { processor: name, position, settles: false, part: `/${generation}/${key}` }
    const version = versionsRecord(records, of)
    return version === null ? records : [...records, version]
  }
  // The mark comes first: if this process ends before the last commit, the next start removes the rest by it.
  const groups = [
    [sealed],
    ...state.map(store.recordsOf),
    ...refold.chunks.map((record) => [record]),
    ...[...views, ...gone].map((view) => withVersion(store.recordsOf(view), view.key)),
  ]
  for (const records of inCommits(groups)) yield* writer.commit(records)
  yield* writer.commit([
    { topic: "checkpoints", key: positionKey(name), value: encoder.encode(JSON.stringify(position)) },
  ])
  return views.length + gone.length
})

/** Splits records into commits of a bounded size. Records of one group stay together, so a value is replaced atomically. */
const inCommits = (groups: ReadonlyArray<ReadonlyArray<LogRecord>>): ReadonlyArray<ReadonlyArray<LogRecord>> => {
  const commits: Array<Array<LogRecord>> = []
  let sizeBytes = Number.POSITIVE_INFINITY
  for (const records of groups) {
    const groupBytes = recordsBytes(records)
    if (sizeBytes + groupBytes > COMMIT_MAX_BYTES) {
      commits.push([])
      sizeBytes = 0
    }
    commits.at(-1)?.push(...records)
    sizeBytes += groupBytes
  }
  return commits
}

/** The inputs of the command: the opened log, whether to compare only, and the output. */
export interface RebuildCommand<E> extends RefoldOptions<E> {
  readonly log: EventLog
  readonly verify: boolean
  readonly print: (line: string) => void
}

/**
 * Rebuilds views and state, or (`verify`) compares them with a fold of the whole log. The exit code: 0 when rebuilt or
 * equal, 1 when the builds differ, or when the log holds events and none of them was folded.
 */
export const rebuildMain = <E = never>({
  log,
  verify,
  print,
  ...options
}: RebuildCommand<E>): Effect.Effect<0 | 1, RebuildFailed | VerifyFailed | E, Scope.Scope> =>
  Effect.gen(function* () {
    if (verify) {
      const verification = yield* verifyViews(log, options)
      for (const line of describeVerification(verification)) print(line)
      return verification.equal ? 0 : 1
    }
    const rebuilt = yield* rebuildViews(log, options)
    for (const { processor, generation, events, unfolded, viewsWritten } of rebuilt)
      print(
        unfolded === 0
          ? `${processor}: generation ${generation} of ${events} events is live; ${viewsWritten} view records changed`
          : `${processor}: 0 of ${unfolded} events were folded: a rebuild goes as far as the build before it, which had ` +
              "folded none; the service folds them when it starts",
      )
    return rebuilt.some(({ unfolded }) => unfolded > 0) && rebuilt.every(({ events }) => events === 0) ? 1 : 0
  })

/** Renders a verification as lines of text. */
export const describeVerification = ({ equal, comparisons, foreignViews }: Verification): ReadonlyArray<string> => [
  ...comparisons.flatMap(({ processor, events, parting, differences }) => [
    `${processor}: ${events} events, ${differences.length === 0 ? "equal" : "DIFFERENT"}`,
    ...(parting === null
      ? []
      : [
          `  the builds part at event ${parting.id} (${parting.type}, offset ${parting.offset}): ` +
            (parting.what === "step"
              ? "its step gives another result"
              : "its derived events differ from those in the log"),
        ]),
    ...differences.map((difference) => `  ${difference}`),
  ]),
  ...foreignViews.map((key) => `view ${key} is made by no processor`),
  equal ? "the live views equal a fold of the whole log" : "the live views do NOT equal a fold of the whole log",
]
