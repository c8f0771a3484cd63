import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { zstdCompress, zstdDecompress } from "node:zlib"
import kafkajs, { type Message } from "kafkajs"
import type { Offset } from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"
import {
  type Broker,
  beforeDeadline,
  type Cluster,
  CODE,
  leaderOf,
  makeCluster,
  type ProducerIdentity,
  protocolCode,
  type TopicData,
  transactionCoordinator,
} from "./brokers.ts"
import { clusterTopic, type KafkaCompression, type KafkaSettings, makeClient, transactionalIdOf } from "./client.ts"
import { Bases, type Layout } from "./group.ts"

/** A dead writer's open transaction stops every reader of its topics until it times out. */
const TRANSACTION_TIMEOUT_MS = 10_000
/** Pauses while the markers of an earlier transaction are being written, which takes some milliseconds. */
const MARKERS_PAUSE_FIRST_MS = 1
const MARKERS_PAUSE_MAX_MS = 50

/**
 * One transactional producer of a writer's name, used by one caller at a time. Each of its requests that writes is sent once.
 * The caller discards it after any rejection, and a new one aborts its open transaction, so that no transaction holds a
 * record twice; whether the last one was committed is read from the log.
 */
export interface Session {
  /** The offsets of its fences: earlier producers of the name cannot write after them. */
  readonly fences: ReadonlyMap<Topic, Offset>
  /**
   * Writes a layout in one transaction: one request that names its topics, produce requests, and one that commits.
   * `beforeCommit` is called at the point from which the outcome may be unknown; until then nothing is committed.
   */
  readonly transact: (layout: Layout, deadline: number, beforeCommit: () => void) => Promise<Bases>
  readonly discard: () => void
}

/** Repeats a request for as long as the coordinator refuses it, having done nothing, with one of the codes. */
const whileRefused = async <A>(codes: ReadonlyArray<number>, deadline: number, send: () => Promise<A>): Promise<A> => {
  for (let pauseMs = MARKERS_PAUSE_FIRST_MS; ; pauseMs = Math.min(2 * pauseMs, MARKERS_PAUSE_MAX_MS)) {
    try {
      return await beforeDeadline(deadline, send())
    } catch (error) {
      const code = protocolCode(error)
      if (code === undefined || !codes.includes(code) || performance.now() + pauseMs > deadline) throw error
      await sleep(pauseMs)
    }
  }
}

const COORDINATOR_MOVES = [CODE.coordinatorLoading, CODE.coordinatorNotAvailable, CODE.notCoordinator]

/** Takes the transactional id: the earlier producer is fenced, and its open transaction aborted. */
const takeIdentity = (
  cluster: Cluster,
  transactionalId: string,
  deadline: number,
): Promise<{ readonly identity: ProducerIdentity; readonly coordinatorId: string }> =>
  whileRefused([CODE.concurrentTransactions, ...COORDINATOR_MOVES], deadline, async () => {
    const coordinator = await transactionCoordinator(cluster, transactionalId)
    const { producerId, producerEpoch } = await coordinator.initProducerId({
      transactionalId,
      transactionTimeout: TRANSACTION_TIMEOUT_MS,
    })
    return { identity: { transactionalId, producerId, producerEpoch }, coordinatorId: coordinator.nodeId }
  })

/**
 * Takes the transactional id, which fences the earlier producer and aborts its open transaction, and writes a fence to each
 * of the topics. After a failure no connection stays open; fences may have been written.
 */
export const openSession = async (
  settings: KafkaSettings,
  writer: string,
  topics: ReadonlyArray<Topic>,
  fence: Message,
  deadline: number,
): Promise<Session> => {
  const client = makeClient(settings)
  const cluster = makeCluster(client.kafka)

  const openTransacting = async (): Promise<Session["transact"]> => {
    await beforeDeadline(deadline, cluster.connect())
    const { identity, coordinatorId } = await takeIdentity(cluster, transactionalIdOf(settings, writer), deadline)
    const producer: TransactionalProducer = { identity, sequences: new Map() }
    return async (layout, until, beforeCommit) => {
      const written = [...new Set(layout.requests.flatMap((request) => [...request.keys()]))]
      const partitions = written.map((topic) => ({ topic: clusterTopic(settings, topic), partitions: [0] as const }))
      await whileRefused([CODE.concurrentTransactions], until, async () => {
        const coordinator = await cluster.findBroker({ nodeId: coordinatorId })
        await coordinator.addPartitionsToTxn({ ...identity, topics: partitions })
      })
      const bases = new Bases()
      for (const request of layout.requests) {
        const offsets = await beforeDeadline(until, produceOnce(settings, cluster, request, producer))
        for (const [topic, { firstIndex }] of request) bases.add(topic, firstIndex, offsets.get(topic) ?? -1)
      }
      const coordinator = await beforeDeadline(until, cluster.findBroker({ nodeId: coordinatorId }))
      beforeCommit()
      await beforeDeadline(until, coordinator.endTxn({ ...identity, transactionResult: true }))
      return bases
    }
  }

  try {
    const transact = await openTransacting()
    const layout: Layout = {
      id: null,
      requests: [new Map(topics.map((topic) => [topic, { firstIndex: 0, messages: [fence] }]))],
      places: topics.map((topic) => ({ topic, index: 0 })),
    }
    const bases = await transact(layout, deadline, () => undefined)
    const offsets = bases.offsetsOf(layout)
    return {
      fences: new Map(topics.map((topic, index) => [topic, offsets[index] ?? 0])),
      transact,
      discard: client.discard,
    }
  } catch (error) {
    client.discard()
    throw error
  }
}

/** The transactional producer of a request: its identity, and the next sequence number of each topic. */
export interface TransactionalProducer {
  readonly identity: ProducerIdentity
  readonly sequences: Map<Topic, number>
}

const SEQUENCES = 2 ** 31

/**
 * Sends one request of a layout, and gives the offset of the first record of each topic. The topics of one leader share a
 * produce request, and each of these requests is sent once: no failure is retried here, as the records may have been
 * written. Therefore requests to several leaders may be in flight at the same time.
 */
export const produceOnce = async (
  settings: KafkaSettings,
  cluster: Cluster,
  request: Layout["requests"][number],
  producer?: TransactionalProducer,
): Promise<ReadonlyMap<Topic, Offset>> => {
  const byLeader = new Map<string, { readonly leader: Broker; readonly topicData: Array<TopicData> }>()
  for (const [topic, { messages }] of request) {
    const name = clusterTopic(settings, topic)
    const leader = await leaderOf(cluster, name)
    const firstSequence = producer?.sequences.get(topic) ?? 0
    producer?.sequences.set(topic, (firstSequence + messages.length) % SEQUENCES)
    const sent = byLeader.get(leader.nodeId) ?? { leader, topicData: [] }
    sent.topicData.push({ topic: name, partitions: [{ partition: 0, firstSequence, messages }] })
    byLeader.set(leader.nodeId, sent)
  }
  const compression = compressionOf(settings.compression, request)
  const replies = await Promise.all(
    [...byLeader.values()].map(({ leader, topicData }) =>
      leader.produce({ ...producer?.identity, acks: -1, timeout: settings.requestTimeoutMs, compression, topicData }),
    ),
  )
  const offsets = new Map(
    replies.flatMap(({ topics }) =>
      topics.map(({ topicName, partitions }) => [topicName, Number(partitions[0]?.baseOffset ?? -1)] as const),
    ),
  )
  return new Map(
    [...request.keys()].map((topic) => {
      const offset = offsets.get(clusterTopic(settings, topic)) ?? -1
      if (offset < 0) throw new Error(`the broker gave no offset for ${clusterTopic(settings, topic)}`)
      return [topic, offset]
    }),
  )
}

/**
 * Smaller requests are not compressed: compression delays the commit by more than it saves. Above this size, a document of
 * 17 to 100 kB shrinks to an eighth, in 0.1 to 0.3 ms on a thread of Node's pool.
 */
const PACKED_MIN_BYTES = 4 * 1024

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

// kafkajs has no zstd codec; Node's runs in its thread pool.
kafkajs.CompressionCodecs[kafkajs.CompressionTypes.ZSTD] = () => ({
  compress: ({ buffer }: { readonly buffer: Buffer }) => compress(buffer),
  decompress: (buffer: Buffer) => decompress(buffer),
})

/** Chooses the compression of one request of a layout. */
const compressionOf = (wanted: KafkaCompression, request: Layout["requests"][number]): kafkajs.CompressionTypes => {
  if (wanted === "none") return kafkajs.CompressionTypes.None
  let bytes = 0
  for (const { messages } of request.values())
    for (const { value } of messages) bytes += value === null ? 0 : value.length
  return bytes < PACKED_MIN_BYTES ? kafkajs.CompressionTypes.None : kafkajs.CompressionTypes.ZSTD
}
