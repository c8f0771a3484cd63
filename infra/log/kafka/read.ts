import { Duration, Effect, Option, Schedule, type Scope, Stream } from "effect"
import {
  type Batch,
  LogUnavailable,
  type Offset,
  type ReadFailed,
  UnknownTopic,
} from "../../../schemas/ports/event-log.ts"
import { type Topic, topicNames } from "../../../schemas/topics.ts"
import { CODE, clusterTopic, type KafkaSettings, sentenceOf } from "./client.ts"
import { type Bounds, FetchRefused, makeReader, type Reader } from "./fetch.ts"
import type { FetchedRecord } from "./records.ts"
import { isFence } from "./transaction.ts"

const BATCH_RECORDS_MAX = 1_000
const READERS_IDLE_MAX = 8
/** How long a broker holds a read of the end open before it answers that nothing came. */
const FOLLOW_WAIT_MS = 500
const READ_WAIT_MS = 100
const RETRY_FIRST_MS = 50
const RETRY_MAX_MS = 1_000
const VISIBILITY_POLL_MS = 3

/** The offsets below which this process knows commits to stand: its own reads see at least so far. */
export interface Acknowledged {
  readonly nextOf: (topic: Topic) => Offset
  readonly note: (topic: Topic, next: Offset) => void
}

/** Nothing acknowledged yet. */
export const makeAcknowledged = (): Acknowledged => {
  const known = new Map<Topic, Offset>()
  return {
    nextOf: (topic) => known.get(topic) ?? 0,
    note: (topic, next) => {
      known.set(topic, Math.max(next, known.get(topic) ?? 0))
    },
  }
}

/** Connections that read, kept open while they are idle, as most reads are short. */
export interface ReaderPool {
  readonly take: () => Reader
  /** Gives back a connection whose last request was answered. */
  readonly give: (reader: Reader) => void
}

/** A pool that closes its idle connections with the scope. */
export const makeReaderPool = (settings: KafkaSettings): Effect.Effect<ReaderPool, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const idle: Array<Reader> = []
      let closed = false
      return {
        take: () => idle.pop() ?? makeReader(settings),
        give: (reader: Reader) => {
          if (closed || idle.length >= READERS_IDLE_MAX) reader.close()
          else idle.push(reader)
        },
        close: () => {
          closed = true
          for (const reader of idle.splice(0)) reader.close()
        },
      }
    }),
    (pool) => Effect.sync(pool.close),
  )

/** A connection held for a scope, replaced whenever it failed or was interrupted. */
interface Lease {
  readonly use: <A>(request: (reader: Reader) => Promise<A>) => Effect.Effect<A, unknown>
}

const lease = (pool: ReaderPool): Effect.Effect<Lease, never, Scope.Scope> =>
  Effect.gen(function* () {
    let held: Reader | undefined
    const drop = () => {
      held?.close()
      held = undefined
    }
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        if (held !== undefined) pool.give(held)
      }),
    )
    return {
      use: <A>(request: (reader: Reader) => Promise<A>) =>
        Effect.callback<A, unknown>((resume) => {
          held ??= pool.take()
          let settled = false
          const settle = (result: Effect.Effect<A, unknown>) => {
            settled = true
            resume(result)
          }
          request(held).then(
            (value) => settle(Effect.succeed(value)),
            (error: unknown) => {
              if (settled) return
              drop()
              settle(Effect.fail(error))
            },
          )
          return Effect.sync(() => {
            if (!settled) {
              settled = true
              drop()
            }
          })
        }),
    }
  })

/** The four reading operations of the port. */
export interface LogReading {
  readonly read: (topic: Topic, from: Offset) => Stream.Stream<Batch, ReadFailed>
  readonly follow: (topic: Topic, from: Offset) => Stream.Stream<Batch, ReadFailed>
  readonly start: (topic: Topic) => Effect.Effect<Offset, ReadFailed>
  readonly end: (topic: Topic) => Effect.Effect<Offset, ReadFailed>
}

const retrySchedule = Schedule.min([
  Schedule.exponential(Duration.millis(RETRY_FIRST_MS)),
  Schedule.spaced(Duration.millis(RETRY_MAX_MS)),
]).pipe(Schedule.jittered)

const known = (topic: Topic): Effect.Effect<void, UnknownTopic> =>
  topicNames.includes(topic) ? Effect.void : Effect.fail(new UnknownTopic({ topic }))

const isOutOfRange = (error: unknown): boolean => error instanceof FetchRefused && error.code === CODE.offsetOutOfRange

/** What readers see of some fetched records, in batches of bounded size; an empty one where only the position moved. */
const toBatches = (topic: Topic, records: ReadonlyArray<FetchedRecord>, next: Offset): ReadonlyArray<Batch> => {
  const visible = records.filter((record) => !isFence(record))
  const batches: Array<Batch> = []
  for (let from = 0; from < visible.length || from === 0; from += BATCH_RECORDS_MAX) {
    const slice = visible.slice(from, from + BATCH_RECORDS_MAX)
    const whole = from + BATCH_RECORDS_MAX >= visible.length
    const last = slice.at(-1)?.offset ?? -1
    batches.push({
      topic,
      records: slice.map(({ offset, key, value }) => ({ offset, key, value })),
      next: whole ? next : last + 1,
    })
  }
  return batches
}

/** Reading without consumer groups; nothing is left behind on the brokers. */
export const makeReading = (settings: KafkaSettings, pool: ReaderPool, acknowledged: Acknowledged): LogReading => {
  /** Repeats what fails for as long as an operation may take. */
  const persist = <A>(what: string, effect: Effect.Effect<A, unknown>): Effect.Effect<A, LogUnavailable> => {
    let last: unknown = new Error("the brokers did not answer in time")
    const unavailable = () => new LogUnavailable({ problem: `${what}: ${sentenceOf(last)}`, cause: last })
    return effect.pipe(
      Effect.tapError((error) => Effect.sync(() => (last = error))),
      Effect.retry(retrySchedule),
      Effect.mapError(unavailable),
      Effect.timeoutOrElse({
        duration: Duration.millis(settings.operationTimeoutMs),
        orElse: () => Effect.suspend(() => Effect.fail(unavailable())),
      }),
    )
  }

  const bounds = (held: Lease, topic: Topic): Effect.Effect<Bounds, unknown> =>
    held.use((reader) => reader.bounds(clusterTopic(settings, topic)))

  /**
   * The bounds, once they take in what this process has committed: the markers that make a commit visible are written
   * some milliseconds after it was acknowledged.
   */
  const visibleBounds = (held: Lease, topic: Topic): Effect.Effect<Bounds, unknown> =>
    bounds(held, topic).pipe(
      Effect.repeat({
        until: ({ end }) => end >= acknowledged.nextOf(topic),
        schedule: Schedule.spaced(Duration.millis(VISIBILITY_POLL_MS)),
      }),
    )

  /** One fetch that has moved on or waited; a position that was trimmed away moves to the first that is kept. */
  const advance = (held: Lease, topic: Topic, from: Offset, waitMs: number) =>
    held
      .use((reader) => reader.fetch(clusterTopic(settings, topic), from, waitMs))
      .pipe(
        Effect.catchIf(isOutOfRange, (error) =>
          Effect.flatMap(bounds(held, topic), ({ start }) =>
            start > from ? Effect.succeed({ records: [], next: start }) : Effect.fail(error),
          ),
        ),
      )

  const moved = (held: Lease, topic: Topic, from: Offset) =>
    persist(
      `reading ${topic}`,
      advance(held, topic, from, READ_WAIT_MS).pipe(Effect.repeat({ until: ({ next }) => next > from })),
    )

  const read: LogReading["read"] = (topic, from) =>
    Stream.unwrap(
      Effect.gen(function* () {
        yield* known(topic)
        const held = yield* lease(pool)
        const { end } = yield* persist(`the end of ${topic}`, visibleBounds(held, topic))
        if (from >= end) return Stream.empty
        return Stream.paginate(from, (position: Offset) =>
          Effect.map(moved(held, topic, position), ({ records, next }) => {
            const done = next >= end
            const kept = done ? records.filter(({ offset }) => offset < end) : records
            const batches = toBatches(topic, kept, Math.min(next, end))
            // A step that met nothing visible says nothing, unless it is the last: it tells where to go on.
            const said = batches.filter((batch) => done || batch.records.length > 0)
            return [said, done ? Option.none<Offset>() : Option.some(next)] as const
          }),
        )
      }),
    )

  const follow: LogReading["follow"] = (topic, from) =>
    Stream.unwrap(
      Effect.gen(function* () {
        yield* known(topic)
        const held = yield* lease(pool)
        return Stream.paginate(from, (position: Offset) =>
          advance(held, topic, position, FOLLOW_WAIT_MS).pipe(
            // For as long as an outage lasts: the position is ours, so nothing is lost and nothing comes twice.
            Effect.retry(retrySchedule),
            Effect.orDie,
            Effect.map(({ records, next }) => {
              const batches = next > position ? toBatches(topic, records, next) : []
              return [batches, Option.some(Math.max(position, next))] as const
            }),
          ),
        )
      }),
    )

  const end: LogReading["end"] = (topic) =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* known(topic)
        const held = yield* lease(pool)
        return (yield* persist(`the end of ${topic}`, visibleBounds(held, topic))).end
      }),
    )

  const start: LogReading["start"] = (topic) =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* known(topic)
        const held = yield* lease(pool)
        // Not the first record: fences and markers before it would look like records that were dropped.
        return (yield* persist(`the start of ${topic}`, visibleBounds(held, topic))).start
      }),
    )

  return { read, follow, start, end }
}
