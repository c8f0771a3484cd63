import { Effect, Result, type Scope, Stream } from "effect"
import type { EventReader, MalformedEvent, NewerEvent } from "../schemas/event.ts"
import type { ClaimFailed, CommitFailed, EventLog, LogRecord, Offset, ReadFailed } from "../schemas/ports/event-log.ts"
import { noProgress, type Progress } from "../schemas/ports/progress.ts"
import { eventReader } from "../schemas/registry.ts"
import {
  EventsTrimmed,
  generationOf,
  type Position,
  parsePosition,
  positionKey,
  readCompacted,
  sealedKey,
  stateKey,
} from "./checkpoint.ts"
import type { Processor } from "./processor.ts"
import { makeRefold, type Prefix } from "./refold.ts"
import { writerOf, writerTopics } from "./runner.ts"

/** Size of one commit of a rebuild, in bytes: one record may bring it above. */
const COMMIT_BYTES_MAX = 4 * 1024 * 1024

/** What a rebuild and its verification need. */
export interface RebuildOptions<E = never> {
  readonly processors: ReadonlyArray<Processor>
  /** Where events come from that the log no longer holds; without it the log must hold all of them. */
  readonly prefix?: Prefix<E>
  readonly reader?: EventReader
  /** Where a position stands in this log; where it says itself, unless the log was imported. See `nextByEvent`. */
  readonly nextOf?: (position: Position) => Effect.Effect<Offset, ReadFailed>
  readonly progress?: Progress
}

/**
 * Finds where positions of another log stand in this one, which was imported from it: behind the event that was folded
 * last. An event that is not there any more was trimmed, and so was everything before it.
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

/** What a rebuild of one processor has done. */
export interface Rebuilt {
  readonly processor: string
  readonly generation: number
  readonly events: number
  /** Records of `views` that differed and were written or removed. */
  readonly viewsWritten: number
}

export type RebuildFailed = ClaimFailed | CommitFailed | ReadFailed | NewerEvent | MalformedEvent | EventsTrimmed

const encoder = new TextEncoder()

const livePosition = (log: EventLog, { name: processor, topic }: Processor) =>
  Effect.gen(function* () {
    const kept = yield* readCompacted(log, "checkpoints", (key) => key.startsWith(`${processor}/`))
    const stored = kept.get(positionKey(processor))
    const generations = [...kept.keys()].flatMap((key) => generationOf(processor, key) ?? [])
    const parsed: Position | null = stored === undefined ? null : parsePosition(stored)
    const position = parsed?.topic === topic ? parsed : null
    return {
      position,
      generationMax: Math.max(0, position?.generation ?? 0, ...generations),
      known: stored !== undefined,
    }
  })

/** Events that are only in the archive, or a typed refusal where they are needed and there is no archive. */
export const foldPrefix = <E>(
  log: EventLog,
  { name, topic }: Pick<Processor, "name" | "topic">,
  since: number | null,
  prefix: Prefix<E> | undefined,
): Effect.Effect<ReturnType<Prefix<E>> | null, ReadFailed | EventsTrimmed> =>
  Effect.gen(function* () {
    const start = yield* log.start(topic)
    if (prefix !== undefined) return prefix(topic, start)
    if (since !== null && start > since)
      return yield* new EventsTrimmed({ processor: name, topic, needed: since, start })
    return null
  })

/**
 * Builds views and state anew, from the first event of each topic that is folded (the archive's, then the log's), as a new generation beside the
 * live one, and makes it the live one. The long fold runs beside the live processor; only the end needs its writer, and
 * fences it there. Derived events are facts that were told: they are not told again, and those of the new generation
 * begin where the old one had come to. A rebuild that is cut short is repeated: views that it had written already are
 * whole, and its state is cleared away by the next start.
 */
export const rebuildViews = <E = never>(
  log: EventLog,
  {
    processors,
    prefix,
    reader = eventReader,
    nextOf = ({ next }) => Effect.succeed(next),
    progress = noProgress,
  }: RebuildOptions<E>,
): Effect.Effect<ReadonlyArray<Rebuilt>, RebuildFailed | E, Scope.Scope> =>
  Effect.gen(function* () {
    const rebuilt: Array<Rebuilt> = []
    const produced = new Set<string>()
    let foreign: ReadonlyArray<string> = []
    for (const processor of processors) {
      const { name, topic } = processor
      const before = yield* livePosition(log, processor)
      const target = (live: typeof before) =>
        // An unreadable position says nothing of what was told: all of the log counts as told.
        live.position === null ? (live.known ? log.end(topic) : Effect.succeed(0)) : nextOf(live.position)
      const archived = yield* foldPrefix(log, processor, before.position?.since ?? null, prefix)
      const first = yield* target(before)
      const refold = makeRefold(log, processor, reader, before.generationMax + 1, first)
      const { advance } = progress.begin(`fold ${name}`, before.position?.count ?? null, "events")
      const folded = () => advance(1)
      if (archived !== null) yield* refold.foldAll(archived, folded)
      yield* refold.foldTo(first, folded)

      const writer = yield* log.claim(writerOf(name), writerTopics)
      const now = yield* livePosition(log, processor)
      const reached = yield* target(now)
      yield* refold.foldTo(reached)
      const position = { ...refold.folding.position(), toldFrom: now.position === null ? first : reached }
      const { generation } = position

      const live = yield* readCompacted(log, "views", () => true)
      const views = [...refold.views].flatMap(([key, value]): ReadonlyArray<LogRecord> => {
        const standing = live.get(key)
        return standing !== undefined && Buffer.from(standing).equals(value) ? [] : [{ topic: "views", key, value }]
      })
      const state = [...refold.folding.state].map(
        ([key, value]): LogRecord => ({
          topic: "checkpoints",
          key: stateKey(name, generation, key),
          value: encoder.encode(JSON.stringify(value)),
        }),
      )
      for (const key of refold.views.keys()) produced.add(key)
      foreign = [...live.keys()].filter((key) => !produced.has(key))
      // Views that no processor makes any more go with the last of them.
      const removed =
        processor === processors.at(-1) ? foreign.map((key): LogRecord => ({ topic: "views", key, value: null })) : []
      const sealed: LogRecord = {
        topic: "checkpoints",
        key: sealedKey(name, generation),
        value: encoder.encode("{}"),
      }
      // First what makes the next start clear the rest away, should this end before the last commit.
      for (const records of inCommits([sealed, ...state, ...refold.chunks, ...views, ...removed]))
        yield* writer.commit(records)
      yield* writer.commit([
        { topic: "checkpoints", key: positionKey(name), value: encoder.encode(JSON.stringify(position)) },
      ])
      rebuilt.push({
        processor: name,
        generation,
        events: position.count,
        viewsWritten: views.length + removed.length,
      })
    }
    return rebuilt
  })

const inCommits = (records: ReadonlyArray<LogRecord>): ReadonlyArray<ReadonlyArray<LogRecord>> => {
  const commits: Array<Array<LogRecord>> = []
  let sizeBytes = Number.POSITIVE_INFINITY
  for (const record of records) {
    const recordBytes = record.key.length + (record.value?.length ?? 0)
    if (sizeBytes + recordBytes > COMMIT_BYTES_MAX) {
      commits.push([])
      sizeBytes = 0
    }
    commits.at(-1)?.push(record)
    sizeBytes += recordBytes
  }
  return commits
}
