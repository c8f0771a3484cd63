import type { Offset } from "../../../schemas/ports/event-log.ts"
import { CODE, type KafkaSettings, makeClient, RefusedByBroker } from "./client.ts"
import { type Broker, fetchRequest, leaderOf, makeCluster, READ_COMMITTED } from "./cluster.ts"
import { decodeFetch, type Fetched } from "./records.ts"

const LATEST = -1
const EARLIEST = -2
const FETCH_BYTES_MAX = 4 * 1024 * 1024

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
          maxBytes: FETCH_BYTES_MAX,
          isolationLevel: READ_COMMITTED,
          topics: [{ topic, partitions: [{ partition: 0, fetchOffset: from, maxBytes: FETCH_BYTES_MAX }] }],
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
