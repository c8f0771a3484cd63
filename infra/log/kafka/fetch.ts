import { createRequire } from "node:module"
import type { Kafka } from "kafkajs"
import type { Offset } from "../../../schemas/ports/event-log.ts"
import { CODE, type KafkaSettings, makeClient } from "./client.ts"
import { decodeFetch, type Fetched } from "./records.ts"

/*
 * Reads without a consumer group. The consumer of kafkajs requires a group, and a group does not suit a replay: by default
 * the broker delays its first join by 3 seconds, it hangs on a tail that compaction has emptied, it returns records of an
 * aborted transaction when several overlap, it restarts from the beginning after an outage, and it leaves state on the
 * broker. Therefore this file, and no other, uses undocumented parts of kafkajs: its cluster (connections, metadata,
 * leaders) and its encoding of the fetch request. package.json pins the version of kafkajs for this reason.
 */

interface Broker {
  readonly connectionPool: {
    readonly send: <A>(request: {
      readonly request: object
      readonly response: {
        readonly decode: (payload: Buffer) => Promise<object>
        readonly parse: (decoded: object) => Promise<A>
      }
      readonly requestTimeout?: number
    }) => Promise<A>
  }
  readonly listOffsets: (request: {
    readonly isolationLevel: number
    readonly topics: ReadonlyArray<object>
  }) => Promise<{
    readonly responses: ReadonlyArray<{ readonly partitions: ReadonlyArray<{ readonly offset: string }> }>
  }>
}

interface Cluster {
  readonly connect: () => Promise<void>
  readonly addTargetTopic: (topic: string) => Promise<void>
  readonly findLeaderForPartitions: (
    topic: string,
    partitions: ReadonlyArray<number>,
  ) => Readonly<Record<string, unknown>>
  readonly findBroker: (options: { readonly nodeId: string }) => Promise<Broker>
}

const READ_COMMITTED = 1
const LATEST = -1
const EARLIEST = -2
const FETCH_BYTES_MAX = 4 * 1024 * 1024
const METADATA_MAX_AGE_MS = 300_000

const load = createRequire(import.meta.url)
const fetchRequest: (options: object) => object = load("kafkajs/src/protocol/requests/fetch/v11/request.js")

const clusterSymbol = (kafka: Kafka): symbol | undefined =>
  Object.getOwnPropertySymbols(kafka).find((symbol) => symbol.description === "private:Kafka:createCluster")

const makeCluster = (kafka: Kafka): Cluster => {
  const symbol = clusterSymbol(kafka)
  if (symbol === undefined) throw new Error("this version of kafkajs is not the pinned one")
  // Declared above by hand, as the library has no types for it.
  const create: (options: object) => Cluster = Reflect.get(kafka, symbol)
  return create({ metadataMaxAge: METADATA_MAX_AGE_MS, allowAutoTopicCreation: false, isolationLevel: READ_COMMITTED })
}

/** A broker answered a fetch with an error code. */
export class FetchRefused extends Error {
  override readonly name = "FetchRefused"
  readonly code: number
  constructor(code: number) {
    super(`the broker refused to read, code ${code}`)
    this.code = code
  }
}

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

  const leader = async (topic: string): Promise<Broker> => {
    await cluster.connect()
    await cluster.addTargetTopic(topic)
    const nodeId = Object.keys(cluster.findLeaderForPartitions(topic, [0]))[0]
    if (nodeId === undefined) throw new FetchRefused(CODE.unknownTopic)
    return cluster.findBroker({ nodeId })
  }

  const offsetAt = async (broker: Broker, topic: string, timestamp: number): Promise<Offset> => {
    const { responses } = await broker.listOffsets({
      isolationLevel: READ_COMMITTED,
      topics: [{ topic, partitions: [{ partition: 0, timestamp }] }],
    })
    const offset = responses[0]?.partitions[0]?.offset
    if (offset === undefined) throw new FetchRefused(CODE.unknownTopic)
    return Number(offset)
  }

  return {
    fetch: async (topic, from, waitMs) => {
      const broker = await leader(topic)
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
      if (fetched.errorCode !== 0) throw new FetchRefused(fetched.errorCode)
      return fetched
    },
    bounds: async (topic) => {
      const broker = await leader(topic)
      return { start: await offsetAt(broker, topic, EARLIEST), end: await offsetAt(broker, topic, LATEST) }
    },
    close: client.discard,
  }
}
