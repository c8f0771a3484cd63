import * as Effect from "effect/Effect"
import type { EventReader, MalformedEvent, NewerEvent } from "../../schemas/event.ts"
import type { EventLog, Offset, ReadFailed } from "../../schemas/ports/event-log.ts"
import type { Progress } from "../../schemas/ports/progress.ts"
import type { Processor } from "../processor.ts"
import { EventsTrimmed, generationOf, type Position, parsePosition, positionKey } from "./checkpoint.ts"
import { foldBatches, foldTogether, makeRefold, type Prefix, type Refold, readOnce } from "./refold.ts"
import { readCompacted } from "./stored-values.ts"

/** Where the live build of a processor stands. */
export interface LivePosition {
  /** Null where there is none of this version. */
  readonly position: Position | null
  readonly generationMax: number
  /** Whether the log holds a position of any version. */
  readonly known: boolean
}

/** Reads the position of a processor, and the generations that the log holds of it. */
export const livePosition = (
  log: EventLog,
  { name: processor, topic }: Processor,
): Effect.Effect<LivePosition, ReadFailed> =>
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

/** The events that only the archive holds; fails where they are needed and there is no archive. */
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

/** Maps a position to its offset in this log. */
export type NextOf = (position: Position) => Effect.Effect<Offset, ReadFailed>

/** The offset up to which the live build has folded the log. */
export const reachedBy = (
  log: EventLog,
  { topic }: Processor,
  { position, known }: LivePosition,
  nextOf: NextOf,
): Effect.Effect<Offset, ReadFailed> => {
  if (position !== null) return nextOf(position)
  // Without a readable position the derived events of the whole log count as appended.
  return known ? log.end(topic) : Effect.succeed(0)
}

/** The refold of a processor up to where its live build stood. */
export interface Refolded {
  readonly processor: Processor
  readonly refold: Refold
  readonly first: Offset
}

/** What processors are folded from, and with. */
export interface RefoldOptions<E> {
  readonly processors: ReadonlyArray<Processor>
  readonly prefix: Prefix<E> | undefined
  readonly reader: EventReader
  readonly nextOf: NextOf
  readonly progress: Progress
}

/**
 * Folds each processor from the first event of its topic (the archive's, then the log's) up to where its live build stands.
 * The processors of a topic fold it together, so that each event is read and parsed once.
 */
export const refoldAll = <E>(
  log: EventLog,
  { processors, prefix, reader, nextOf, progress }: RefoldOptions<E>,
): Effect.Effect<ReadonlyArray<Refolded>, ReadFailed | EventsTrimmed | NewerEvent | MalformedEvent | E> =>
  Effect.gen(function* () {
    const shared = readOnce(reader)
    const begun = yield* Effect.forEach(processors, (processor) =>
      Effect.gen(function* () {
        const before = yield* livePosition(log, processor)
        const archived = yield* foldPrefix(log, processor, before.position?.since ?? null, prefix)
        const first = yield* reachedBy(log, processor, before, nextOf)
        const refold = makeRefold(log, processor, shared, before.generationMax + 1, first)
        return { processor, before, archived, first, refold }
      }),
    )
    for (const topic of new Set(processors.map((one) => one.topic))) {
      const folds = begun.filter(({ processor }) => processor.topic === topic)
      const counts = folds.map(({ before }) => before.position?.count ?? null)
      const total = counts.includes(null) ? null : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)
      const names = folds.map(({ processor }) => processor.name).join(", ")
      const { advance } = progress.begin(`fold ${names}`, total, "events")
      const targets = folds.map(({ refold, first }) => ({ refold, until: first, seen: () => advance(1) }))
      const archived = folds[0]?.archived ?? null
      if (archived !== null)
        yield* foldBatches(
          archived,
          targets.map((one) => ({ ...one, until: Number.POSITIVE_INFINITY })),
        )
      yield* foldTogether(log, targets)
    }
    return begun
  })
