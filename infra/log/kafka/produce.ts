import type { Offset } from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"
import { clusterTopic, type KafkaSettings } from "./client.ts"
import { type Broker, type Cluster, leaderOf, type ProducerIdentity, type TopicData } from "./cluster.ts"
import { compressionOf } from "./compression.ts"
import type { Layout } from "./transaction.ts"

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
