import { createRequire } from "node:module"
import type { Kafka } from "kafkajs"
import type { Offset } from "../../../schemas/ports/event-log.ts"
import { CODE, type KafkaSettings, makeClient } from "./client.ts"
import { decodeFetch, type Fetched } from "./records.ts"

/*
 * Reading without a consumer group. The consumer of kafkajs cannot read without one, and a group is wrong for a replay:
 * a broker's default holds its first join back for 3 seconds, it hangs for ever on a tail that compaction has emptied, it
 * lets records of an aborted transaction through when several overlap, it starts again from the beginning after an outage,
 * and each one leaves something behind on the broker. So this file, and no other, uses parts of kafkajs that are not in its
 * documentation: its cluster (connections, metadata, leaders) and its encoding of the fetch request. The version of kafkajs
 * is pinned for it in package.json.
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
  // Typed by hand above, as the library does not describe it.
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

/** What is kept of a topic: the offset of its first batch, and the one below which every transaction has ended. */
export interface Bounds {
  readonly start: Offset
  readonly end: Offset
}

/** A connection that reads, one request at a time. Whoever it fails for closes it and takes another. */
export interface Reader {
  /** The committed records from an offset on, up to some MiB; waits up to `waitMs` while there are none. */
  readonly fetch: (topic: string, from: Offset, waitMs: number) => Promise<Fetched>
  readonly bounds: (topic: string) => Promise<Bounds>
  readonly close: () => void
}

/** Opens nothing yet: connections are made when they are needed. */
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
          // What decode gave is what comes in here.
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
