import { setTimeout as sleep } from "node:timers/promises"
import type { Message } from "kafkajs"
import type { Offset } from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"
import { CODE, clusterTopic, type KafkaSettings, makeClient, protocolCode, transactionalIdOf } from "./client.ts"
import { type Cluster, makeCluster, type ProducerIdentity, transactionCoordinator } from "./cluster.ts"
import { produceOnce, type TransactionalProducer } from "./produce.ts"
import { Bases, type Layout } from "./transaction.ts"

/** A dead writer's open transaction stops every reader of its topics until it times out. */
const TRANSACTION_TIMEOUT_MS = 10_000
/** Pauses while the markers of an earlier transaction are being written, which takes some milliseconds. */
const MARKERS_PAUSE_FIRST_MS = 1
const MARKERS_PAUSE_MAX_MS = 50

/** The deadline passed before the work ended. The work is not awaited any longer. */
class Late extends Error {
  override readonly name = "Late"
}

/** Awaits work until `deadline`, a time of `performance.now()`; then throws `Late`. */
export const within = async <A>(deadline: number, work: Promise<A>): Promise<A> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const remainingMs = Math.max(0, deadline - performance.now())
    timer = setTimeout(() => reject(new Late("the brokers did not answer in time")), remainingMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

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
      return await within(deadline, send())
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
    await within(deadline, cluster.connect())
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
        const offsets = await within(until, produceOnce(settings, cluster, request, producer))
        for (const [topic, { firstIndex }] of request) bases.add(topic, firstIndex, offsets.get(topic) ?? -1)
      }
      const coordinator = await within(until, cluster.findBroker({ nodeId: coordinatorId }))
      beforeCommit()
      await within(until, coordinator.endTxn({ ...identity, transactionResult: true }))
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
