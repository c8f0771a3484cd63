import { setTimeout as sleep } from "node:timers/promises"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Offset } from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"
import {
  type Broker,
  beforeDeadline,
  CODE,
  fetchRequest,
  leaderOf,
  makeCluster,
  READ_COMMITTED,
  RefusedByBroker,
} from "./brokers.ts"
import { clusterTopic, type KafkaSettings, makeClient } from "./client.ts"
import { decodeFetch, type Fetched, type FetchedRecord } from "./records.ts"

const LATEST = -1
const EARLIEST = -2
const FETCH_MAX_BYTES = 4 * 1024 * 1024

/** The first offset of a topic, and the offset below which every transaction has ended. */
export interface Bounds {
  readonly start: Offset
  readonly end: Offset
}

/** A connection for reads, one request at a time. The caller closes it after a failure and takes another. */
export interface Reader {
  /** Fetches committed records from an offset on, up to some MiB; waits up to `waitMs` if there are none. */
  readonly fetch: (topic: string, from: Offset, waitMs: number) => Promise<Fetched>
  readonly bounds: (topic: string) => Promise<Bounds>
  readonly close: () => void
}

/** Makes a reader; its connections are opened by the first request. */
export const makeReader = (settings: KafkaSettings): Reader => {
  const client = makeClient(settings)
  const cluster = makeCluster(client.kafka)

  const offsetAt = async (broker: Broker, topic: string, timestamp: number): Promise<Offset> => {
    const { responses } = await broker.listOffsets({
      isolationLevel: READ_COMMITTED,
      topics: [{ topic, partitions: [{ partition: 0, timestamp }] }],
    })
    const offset = responses[0]?.partitions[0]?.offset
    if (offset === undefined) throw new RefusedByBroker(CODE.unknownTopic)
    return Number(offset)
  }

  return {
    fetch: async (topic, from, waitMs) => {
      const broker = await leaderOf(cluster, topic)
      const fetched = await broker.connectionPool.send<Fetched>({
        request: fetchRequest({
          replicaId: -1,
          maxWaitTime: waitMs,
          minBytes: 1,
          maxBytes: FETCH_MAX_BYTES,
          isolationLevel: READ_COMMITTED,
          topics: [{ topic, partitions: [{ partition: 0, fetchOffset: from, maxBytes: FETCH_MAX_BYTES }] }],
        }),
        response: {
          decode: async (payload) => decodeFetch(payload, from),
          // `decode` returned the value that `parse` receives.
          parse: async (decoded) => decoded as Fetched,
        },
        requestTimeout: waitMs + settings.requestTimeoutMs,
      })
      if (fetched.errorCode !== 0) throw new RefusedByBroker(fetched.errorCode)
      return fetched
    },
    bounds: async (topic) => {
      const broker = await leaderOf(cluster, topic)
      return { start: await offsetAt(broker, topic, EARLIEST), end: await offsetAt(broker, topic, LATEST) }
    },
    close: client.discard,
  }
}

const READERS_IDLE_MAX = 8

/** Connections for reads. Idle ones are kept open, since most reads are short. */
export interface ReaderPool {
  readonly take: () => Reader
  /** Returns a connection that has no outstanding request. */
  readonly give: (reader: Reader) => void
}

/** Makes a pool whose idle connections are closed with the scope. */
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

/** A connection that is held for a scope, and replaced after a failed or interrupted request. */
export interface ReaderLease {
  readonly use: <A>(request: (reader: Reader) => Promise<A>) => Effect.Effect<A, unknown>
}

/** Takes a connection of the pool for a scope. */
export const leaseReader = (pool: ReaderPool): Effect.Effect<ReaderLease, never, Scope.Scope> =>
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

const SCAN_WAIT_MS = 50
const VISIBILITY_POLL_MS = 3

/** Reads topics for a writer, to find the outcome of its transactions and later claims of its name. */
export interface Scanner {
  /** Visits every committed record in [from, upTo), fences included; waits until they are visible. */
  readonly scan: (
    topic: Topic,
    from: Offset,
    upTo: Offset,
    visit: (record: FetchedRecord) => void,
    deadline: number,
  ) => Promise<void>
  /** Gives the end of a topic, once it is at least `atLeast`. */
  readonly end: (topic: Topic, atLeast: Offset, deadline: number) => Promise<Offset>
}

/** Makes a scanner over connections of the pool. Deadlines are times of `performance.now()`; after them `Late` is thrown. */
export const makeScanner = (settings: KafkaSettings, pool: ReaderPool): Scanner => {
  const withReader = async <A>(deadline: number, use: (reader: Reader) => Promise<A>): Promise<A> => {
    const reader = pool.take()
    try {
      const result = await beforeDeadline(deadline, use(reader))
      pool.give(reader)
      return result
    } catch (error) {
      reader.close()
      throw error
    }
  }
  return {
    scan: async (topic, from, upTo, visit, deadline) => {
      for (let position = from; position < upTo; ) {
        const fetched = await withReader(deadline, (reader) =>
          reader.fetch(clusterTopic(settings, topic), position, SCAN_WAIT_MS),
        )
        for (const record of fetched.records) if (record.offset < upTo) visit(record)
        position = fetched.next
      }
    },
    end: async (topic, atLeast, deadline) => {
      for (;;) {
        const bounds: Bounds = await withReader(deadline, (reader) => reader.bounds(clusterTopic(settings, topic)))
        if (bounds.end >= atLeast) return bounds.end
        await beforeDeadline(deadline, sleep(VISIBILITY_POLL_MS))
      }
    },
  }
}
