import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { Counter } from "prom-client"
import {
  type Batch,
  LogUnavailable,
  type Offset,
  type ReadFailed,
  UnknownTopic,
} from "../../../schemas/ports/event-log.ts"
import { type Topic, topicNames } from "../../../schemas/topics.ts"
import { CODE, RefusedByBroker, sentenceOf } from "./brokers.ts"
import { clusterTopic, type KafkaSettings } from "./client.ts"
import { type Bounds, leaseReader, type ReaderLease, type ReaderPool } from "./reader.ts"
import { batchIdOf, type Fetched, type FetchedBatch, type FetchedRecord, isFence } from "./records.ts"

const BATCH_MAX_RECORDS = 1_000
/** How long a broker holds a fetch at the end open before it answers without records. */
const FOLLOW_WAIT_MS = 500
const READ_WAIT_MS = 100
const RETRY_FIRST_MS = 50
const RETRY_MAX_MS = 1_000
const VISIBILITY_POLL_MS = 3

/** For each topic, the offset after the last commit that this process knows of: its own reads reach at least there. */
export interface Acknowledged {
  readonly nextOf: (topic: Topic) => Offset
  readonly note: (topic: Topic, next: Offset) => void
}

/** Starts at 0 for every topic. */
export const makeAcknowledged = (): Acknowledged => {
  const known = new Map<Topic, Offset>()
  return {
    nextOf: (topic) => known.get(topic) ?? 0,
    note: (topic, next) => {
      known.set(topic, Math.max(next, known.get(topic) ?? 0))
    },
  }
}

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

const isOutOfRange = (error: unknown): boolean =>
  error instanceof RefusedByBroker && error.code === CODE.offsetOutOfRange

/** Turns fetched records into batches of bounded size, without fences. One empty batch if only the position moved. */
const toBatches = (topic: Topic, records: ReadonlyArray<FetchedRecord>, next: Offset): ReadonlyArray<Batch> => {
  const visible = records.filter((record) => !isFence(record))
  const batches: Array<Batch> = []
  for (let from = 0; from < visible.length || from === 0; from += BATCH_MAX_RECORDS) {
    const slice = visible.slice(from, from + BATCH_MAX_RECORDS)
    const whole = from + BATCH_MAX_RECORDS >= visible.length
    const last = slice.at(-1)?.offset ?? -1
    batches.push({
      topic,
      records: slice.map(({ offset, key, value }) => ({ offset, key, value })),
      next: whole ? next : last + 1,
    })
  }
  return batches
}

/** Makes the read operations. They use no consumer group, so that no state is left on the brokers. */
export const makeReading = (settings: KafkaSettings, pool: ReaderPool, acknowledged: Acknowledged): LogReading => {
  /** Retries until the operation timeout. */
  const retryInTime = <A>(what: string, effect: Effect.Effect<A, unknown>): Effect.Effect<A, LogUnavailable> => {
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

  const bounds = (held: ReaderLease, topic: Topic): Effect.Effect<Bounds, unknown> =>
    held.use((reader) => reader.bounds(clusterTopic(settings, topic)))

  /**
   * Reads the bounds once they include the commits of this process: the markers that make a commit visible are written
   * some milliseconds after its acknowledgement.
   */
  const visibleBounds = (held: ReaderLease, topic: Topic): Effect.Effect<Bounds, unknown> =>
    bounds(held, topic).pipe(
      Effect.repeat({
        until: ({ end }) => end >= acknowledged.nextOf(topic),
        schedule: Schedule.spaced(Duration.millis(VISIBILITY_POLL_MS)),
      }),
    )

  /** Fetches once, for at most `waitMs`. A position below the start of a trimmed topic moves to that start. */
  const fetchOnce = (held: ReaderLease, topic: Topic, from: Offset, waitMs: number) =>
    held
      .use((reader) => reader.fetch(clusterTopic(settings, topic), from, waitMs))
      .pipe(
        Effect.catchIf(isOutOfRange, (error) =>
          Effect.flatMap(bounds(held, topic), ({ start }) =>
            start > from ? Effect.succeed({ records: [], next: start }) : Effect.fail(error),
          ),
        ),
      )

  const fetchProgress = (held: ReaderLease, topic: Topic, from: Offset) =>
    retryInTime(
      `reading ${topic}`,
      fetchOnce(held, topic, from, READ_WAIT_MS).pipe(Effect.repeat({ until: ({ next }) => next > from })),
    )

  const read: LogReading["read"] = (topic, from) =>
    Stream.unwrap(
      Effect.gen(function* () {
        yield* known(topic)
        const held = yield* leaseReader(pool)
        const { end } = yield* retryInTime(`the end of ${topic}`, visibleBounds(held, topic))
        if (from >= end) return Stream.empty
        return Stream.paginate(new Cursor(topic, from), (cursor) =>
          Effect.map(fetchProgress(held, topic, cursor.position), (fetched) => {
            const records = cursor.take(fetched)
            const done = cursor.position >= end
            const kept = done ? records.filter(({ offset }) => offset < end) : records
            const batches = toBatches(topic, kept, Math.min(cursor.position, end))
            // Empty batches are dropped, except the last one, which carries the position to continue from.
            const emitted = batches.filter((batch) => done || batch.records.length > 0)
            return [emitted, done ? Option.none<Cursor>() : Option.some(cursor)] as const
          }),
        )
      }),
    )

  const follow: LogReading["follow"] = (topic, from) =>
    Stream.unwrap(
      Effect.gen(function* () {
        yield* known(topic)
        const held = yield* leaseReader(pool)
        return Stream.paginate(new Cursor(topic, from), (cursor) =>
          // The position does not move before a fetch succeeds, so no record is lost or repeated.
          Effect.suspend(() => fetchOnce(held, topic, cursor.position, FOLLOW_WAIT_MS)).pipe(
            // Retries for as long as an outage lasts.
            Effect.retry(retrySchedule),
            Effect.orDie,
            Effect.map((fetched) => {
              const before = Math.max(cursor.position, from)
              const records = cursor.take(fetched)
              const batches = cursor.position > before ? toBatches(topic, records, cursor.position) : []
              return [batches, Option.some(cursor)] as const
            }),
          ),
        )
      }),
    )

  const end: LogReading["end"] = (topic) =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* known(topic)
        const held = yield* leaseReader(pool)
        return (yield* retryInTime(`the end of ${topic}`, visibleBounds(held, topic))).end
      }),
    )

  const start: LogReading["start"] = (topic) =>
    Effect.scoped(
      Effect.gen(function* () {
        yield* known(topic)
        const held = yield* leaseReader(pool)
        // The start of the topic, not the first record: fences and markers before it are no trimmed records.
        return (yield* retryInTime(`the start of ${topic}`, visibleBounds(held, topic))).start
      }),
    )

  return { read, follow, start, end }
}

/*
 * Kafka can hold a commit twice, though no request of this adapter is sent twice: a log written by an earlier version, by
 * another client or by a mirror between clusters may. Readers see the first copy only, and all readers the same one,
 * wherever they begin: a batch is a copy if a batch of the same id ends at most `REPEAT_MAX_OFFSETS` offsets before it, and
 * a reader begins that much earlier than the requested offset.
 *
 * Compaction may remove the record that holds the id, or one of the copies. The copies stand in one transaction, so no other
 * commit of their keys is between them: with either copy alone, each key has the same latest value.
 *
 * The embedded log needs nothing of this kind: its commit is one transaction of the storage engine, which is never sent.
 */

/** Offsets between two copies, at most; the farthest that were measured on a busy cluster were 21 apart. */
export const REPEAT_MAX_OFFSETS = 64

/** Topics of `EventLog.append`, whose records may be repeated: their readers know them by their keys. */
const APPENDED: ReadonlyArray<Topic> = ["usage", "replies"]

const repeated = new Counter({
  name: "tidewire_log_kafka_repeated_commits_total",
  help: "Batches that a reader dropped, as the log holds a copy of them shortly before, by topic",
  labelNames: ["topic"],
})

/** A batch that was read, and whether it is a copy of an earlier one. */
interface SeenBatch {
  readonly base: Offset
  readonly last: Offset
  readonly isRepeat: boolean
}

/** Reads a topic from an offset on, without the copies. */
export class Cursor {
  readonly #topic: Topic
  readonly #from: Offset
  /** The latest batch of each id, in the order of their offsets. A batch takes an offset at least, which bounds them. */
  readonly #seen = new Map<string, SeenBatch>()
  #begun: Offset
  #position: Offset

  constructor(topic: Topic, from: Offset) {
    this.#topic = topic
    this.#from = from
    // At 0 from the start: a counter that appears with the first repeat shows no increase to an alert rule.
    repeated.inc({ topic }, 0)
    this.#begun = APPENDED.includes(topic) ? from : Math.max(0, from - REPEAT_MAX_OFFSETS)
    this.#position = this.#begun
  }

  /** The offset to fetch next: below the requested one while the batches before it are being read. */
  get position(): Offset {
    return this.#position
  }

  /** Takes what was fetched at `position`, and gives the records that a reader sees. */
  take({ records, next }: Pick<Fetched, "records" | "next">): ReadonlyArray<FetchedRecord> {
    if (APPENDED.includes(this.#topic)) {
      this.#position = next
      return records
    }
    const before = this.#beforeBatchAt(records.find(({ offset }) => offset >= this.#from))
    if (before < this.#begun) {
      this.#begun = before
      this.#position = before
      this.#seen.clear()
      return []
    }
    this.#position = next
    return records.filter((record) => !this.#isRepeat(record.batch) && record.offset >= this.#from)
  }

  /** Where reading must begin if the requested offset is within a batch. */
  #beforeBatchAt(first: FetchedRecord | undefined): Offset {
    if (first === undefined || first.batch.base >= this.#from) return this.#begun
    return Math.max(0, first.batch.base - REPEAT_MAX_OFFSETS)
  }

  #isRepeat(batch: FetchedBatch): boolean {
    const id = batchIdOf(batch)
    if (id === null) return false
    const { base, last } = batch
    const before = this.#seen.get(id)
    // The same batch: another of its records, or it was fetched again.
    if (before?.base === base) return before.isRepeat
    const isRepeat = before !== undefined && base - before.last <= REPEAT_MAX_OFFSETS
    this.#seen.delete(id)
    this.#seen.set(id, { base, last, isRepeat })
    for (const [old, seen] of this.#seen) {
      if (base - seen.last <= REPEAT_MAX_OFFSETS) break
      this.#seen.delete(old)
    }
    if (isRepeat && last >= this.#from) repeated.inc({ topic: this.#topic })
    return isRepeat
  }
}
