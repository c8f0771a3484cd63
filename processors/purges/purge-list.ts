import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { EventOf, MalformedEvent, NewerEvent } from "../../schemas/event.ts"
import { feedPurged } from "../../schemas/events/purges.ts"
import type { Batch, EventLog, Offset, ReadFailed, StoredRecord } from "../../schemas/ports/event-log.ts"
import { eventReader } from "../../schemas/registry.ts"
import { feedViews } from "../registry.ts"
import {
  type DrawingPaths,
  type ItemPurge,
  isPurged,
  isPurgedBefore,
  isPurgedUntilGone,
  purgeOf,
} from "./item-purge.ts"

const TOPIC = feedPurged.topic

/** The name under which operators write to the log what they take out. */
export const PURGE_WRITER = "purge"

/** The endpoints whose views draw on a feed, whatever of it they state. */
export const pathsDrawingOn = (feed: string): DrawingPaths => {
  const drawing = feedViews.flatMap((view) => {
    const inputs = Object.values(view.reads).filter((input) => input.feed.name === feed)
    // A memory, or the state of a fold, holds what the latest reading no longer does.
    const isLingering = view._tag === "FoldedView" || inputs.some(({ memory }) => memory !== null)
    return inputs.length === 0 ? [] : [{ path: view.endpoint.path, isLingering }]
  })
  const pathsOf = (lingering: boolean) =>
    drawing.flatMap(({ path, isLingering }) => (isLingering === lingering ? [path] : []))
  return { plain: pathsOf(false), lingering: pathsOf(true) }
}

/** Why the purges of a log cannot be known: one that this release cannot read is not passed over. */
export type PurgesUnknown = ReadFailed | NewerEvent | MalformedEvent

const purgesIn = (
  records: ReadonlyArray<StoredRecord>,
): Result.Result<ReadonlyArray<ItemPurge>, NewerEvent | MalformedEvent> => {
  const purges: Array<ItemPurge> = []
  for (const { value } of records) {
    if (value === null) continue
    const event = eventReader.readEvent(value)
    if (Result.isFailure(event)) return Result.fail(event.failure)
    if (event.success.type === feedPurged.type)
      purges.push(purgeOf(event.success as EventOf<typeof feedPurged>, pathsDrawingOn))
  }
  return Result.succeed(purges)
}

/** What operators have taken out of the past of feeds, in the order of the log, which keeps it for ever. */
export interface PurgeList {
  /** What is known of it. It only grows. */
  readonly all: () => ReadonlyArray<ItemPurge>
  /** Succeeds once the log was read to its end: before, nothing may be shown that it could name. */
  readonly known: Effect.Effect<void>
  /** Whether what was known of an item at an instant was taken out. */
  readonly covers: (feed: string, key: string, knownAt: string) => boolean
  /** Whether what an item was before a change that became known at an instant may be of what was taken out. */
  readonly coversBefore: (feed: string, key: string, knownAt: string) => boolean
  /** Whether what an item was until it was gone, at an instant, may be of what was taken out. */
  readonly coversUntilGone: (feed: string, key: string, knownAt: string) => boolean
  /** Reads the log to its end. */
  readonly read: Effect.Effect<void, PurgesUnknown>
  /** Reads the log to its end, then on; `changed` runs after each further purge. */
  readonly follow: (changed: () => void) => Effect.Effect<never, PurgesUnknown>
}

/** Makes the list of a log, which holds nothing until the log is read. */
export const makePurgeList = (log: EventLog): PurgeList => {
  let all: ReadonlyArray<ItemPurge> = []
  let next: Offset = 0
  const known = Promise.withResolvers<void>()
  const take = Effect.fnUntraced(function* ({ records, next: reached }: Batch) {
    const added = yield* Effect.fromResult(purgesIn(records.filter(({ offset }) => offset >= next)))
    if (added.length > 0) all = [...all, ...added]
    next = Math.max(next, reached)
    return added.length > 0
  })
  const read = Stream.suspend(() => log.read(TOPIC, next)).pipe(
    Stream.runForEach(take),
    Effect.andThen(Effect.sync(() => known.resolve())),
  )
  return {
    all: () => all,
    known: Effect.promise(() => known.promise),
    covers: (feed, key, knownAt) => all.length > 0 && isPurged(all, feed, key, Date.parse(knownAt)),
    coversBefore: (feed, key, knownAt) => all.length > 0 && isPurgedBefore(all, feed, key, Date.parse(knownAt)),
    coversUntilGone: (feed, key, knownAt) => all.length > 0 && isPurgedUntilGone(all, feed, key, Date.parse(knownAt)),
    read,
    follow: (changed) =>
      Effect.gen(function* () {
        yield* read
        changed()
        yield* Stream.suspend(() => log.follow(TOPIC, next)).pipe(
          Stream.runForEach((batch) =>
            Effect.map(take(batch), (isMore) => {
              if (isMore) changed()
            }),
          ),
        )
        return yield* Effect.never
      }),
  }
}

/** The purges of a log, up to its end. */
export const readPurges = (log: EventLog): Effect.Effect<ReadonlyArray<ItemPurge>, PurgesUnknown> => {
  const list = makePurgeList(log)
  return Effect.map(list.read, list.all)
}
