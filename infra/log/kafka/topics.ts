import kafkajs, { type Admin, type ITopicConfig } from "kafkajs"
import { RECORD_BYTES_MAX } from "../../../schemas/ports/event-log.ts"
import { type KeptDays, type Topic, topicNames, topicPolicy } from "../../../schemas/topics.ts"
import { clusterTopic, type KafkaSettings } from "./client.ts"

const MIB = 1024 * 1024
const DAY_MS = 24 * 60 * 60 * 1000
/** The largest batch of a topic: the port's largest record, with space for others. */
const BATCH_BYTES_MAX = 16 * MIB
/** Bytes of a batch beside keys and values: its header, and some tens of bytes for each record. */
const BATCH_OVERHEAD_BYTES = 16 * 1024
/**
 * Younger records are not compacted, so that a writer that lost a reply can find its commit, and a reader that is slightly
 * behind sees every version.
 */
const COMPACTION_LAG_MS = 60_000

/** Topics of the ledger and its replies: without replicas they are flushed before they are acknowledged. */
const FLUSHED: ReadonlyArray<Topic> = ["ledger", "replies"]

const retention = (topic: Topic, keptDays: KeptDays): Record<string, string> => {
  const policy = topicPolicy(topic, keptDays)
  switch (policy.kept) {
    case "compacted":
      return {
        // "delete" allows trimming; no record is deleted by age or size.
        "cleanup.policy": "compact,delete",
        "retention.ms": "-1",
        "retention.bytes": "-1",
        // Small segments that are compacted early: with the broker's defaults a starting replica would read gigabytes.
        "segment.ms": "600000",
        "segment.bytes": `${64 * MIB}`,
        "min.cleanable.dirty.ratio": "0.1",
        "min.compaction.lag.ms": `${COMPACTION_LAG_MS}`,
      }
    case "aged":
      return { "cleanup.policy": "delete", "retention.ms": `${policy.keptDays * DAY_MS}`, "retention.bytes": "-1" }
    case "archived":
    case "forever":
      // "archived": trimmed by the service up to what the archive holds. "forever": never trimmed.
      return { "cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1" }
  }
}

/** The settings of a topic that is created. */
export const topicConfig = (topic: Topic, settings: KafkaSettings): Readonly<Record<string, string>> => ({
  ...retention(topic, settings.keptDays),
  "max.message.bytes": `${BATCH_BYTES_MAX}`,
  ...(settings.replicationFactor > 2 ? { "min.insync.replicas": "2" } : {}),
  ...(settings.replicationFactor === 1 && FLUSHED.includes(topic) ? { "flush.messages": "1" } : {}),
  ...settings.topicSettings,
})

/** The limits of a topic on the cluster. */
export interface TopicLimits {
  /** The largest sum of keys and values in one batch. */
  readonly batchBytesMax: number
  /** The largest record: the port's limit, or the topic's if that is lower. */
  readonly recordBytesMax: number
}

/** A topic of the cluster cannot be used for this log. */
export class TopicUnfit extends Error {
  override readonly name = "TopicUnfit"
}

/** The requests that this file uses. */
export type TopicAdmin = Pick<Admin, "listTopics" | "createTopics" | "fetchTopicMetadata" | "describeConfigs">

const create = async (admin: TopicAdmin, settings: KafkaSettings, topic: Topic): Promise<void> => {
  const request: ITopicConfig = {
    topic: clusterTopic(settings, topic),
    numPartitions: 1,
    replicationFactor: settings.replicationFactor,
    configEntries: Object.entries(topicConfig(topic, settings)).map(([name, value]) => ({ name, value })),
  }
  // The result is false if another process has just created it.
  await admin.createTopics({ topics: [request], waitForLeaders: true })
}

/**
 * Creates the missing topics, each with one partition, and gives the limits of all. Throws `TopicUnfit` if a topic has more
 * partitions: replay depends on a total order.
 */
export const ensureTopics = async (
  admin: TopicAdmin,
  settings: KafkaSettings,
): Promise<ReadonlyMap<Topic, TopicLimits>> => {
  const existing = new Set(await admin.listTopics())
  const missing = topicNames.filter((topic) => !existing.has(clusterTopic(settings, topic)))
  await Promise.all(missing.map((topic) => create(admin, settings, topic)))
  const names = topicNames.map((topic) => clusterTopic(settings, topic))
  const { topics } = await admin.fetchTopicMetadata({ topics: names })
  for (const { name, partitions } of topics) {
    if (partitions.length !== 1) {
      throw new TopicUnfit(`topic ${name} has ${partitions.length} partitions; it must have exactly one`)
    }
  }
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: names.map((name) => ({
      type: kafkajs.ConfigResourceTypes.TOPIC,
      name,
      configNames: ["max.message.bytes"],
    })),
  })
  return new Map(
    topicNames.map((topic) => {
      const resource = resources.find(({ resourceName }) => resourceName === clusterTopic(settings, topic))
      const value = Number(
        resource?.configEntries.find(({ configName }) => configName === "max.message.bytes")?.configValue,
      )
      const batchBytesMax = (Number.isFinite(value) ? value : BATCH_BYTES_MAX) - BATCH_OVERHEAD_BYTES
      return [topic, { batchBytesMax, recordBytesMax: Math.min(RECORD_BYTES_MAX, batchBytesMax) }]
    }),
  )
}
