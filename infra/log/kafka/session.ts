import type { Message, Producer } from "kafkajs"
import type { Offset } from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"
import { clusterTopic, type KafkaClient, type KafkaSettings, makeClient, RETRY, transactionalIdOf } from "./client.ts"
import { compressionOf } from "./compression.ts"
import { Bases, baseOffsetOf, type Layout } from "./transaction.ts"

/** A dead writer's open transaction stops every reader of its topics until it times out. */
const TRANSACTION_TIMEOUT_MS = 10_000

/** The deadline passed before the work ended. The work is not awaited any longer. */
export class Late extends Error {
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
 * One producer of a writer's name, used by one caller at a time. It is discarded after any rejection: a producer that has
 * rejected once acknowledges later records and then loses them.
 */
export interface Session {
  /** The offsets of its fences: earlier producers of the name cannot write after them. */
  readonly fences: ReadonlyMap<Topic, Offset>
  /**
   * Writes a layout in one transaction. `beforeCommit` is called at the point from which the outcome may be unknown; until
   * then nothing is committed.
   */
  readonly transact: (layout: Layout, deadline: number, beforeCommit: () => void) => Promise<Bases>
  readonly discard: () => void
}

const makeProducer = (client: KafkaClient, transactionalId: string): Producer =>
  client.kafka.producer({
    transactionalId,
    transactionTimeout: TRANSACTION_TIMEOUT_MS,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    createPartitioner: () => () => 0,
    retry: RETRY,
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
  const producer = makeProducer(client, transactionalIdOf(settings, writer))

  const transact: Session["transact"] = async (layout, until, beforeCommit) => {
    const bases = new Bases()
    const transaction = await within(until, producer.transaction())
    for (const request of layout.requests) {
      const topicMessages = [...request].map(([topic, { messages }]) => ({
        topic: clusterTopic(settings, topic),
        messages: [...messages],
      }))
      const compression = compressionOf(settings.compression, request)
      const reply = await within(until, transaction.sendBatch({ acks: -1, compression, topicMessages }))
      // If a leader changes between two attempts, the library may send a batch again that one of them has written.
      if (reply.length !== request.size) throw new Error("a topic was written more than once in a transaction")
      for (const [topic, { firstIndex }] of request) {
        bases.add(topic, firstIndex, baseOffsetOf(reply, clusterTopic(settings, topic)))
      }
    }
    beforeCommit()
    await within(until, transaction.commit())
    return bases
  }

  try {
    await within(deadline, producer.connect())
    const layout: Layout = {
      id: "",
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
