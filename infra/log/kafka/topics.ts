import kafkajs, { type Admin, type ITopicConfig } from "kafkajs"
import { RECORD_BYTES_MAX } from "../../../schemas/ports/event-log.ts"
import { type KeptDays, type Topic, topicNames, topicPolicy } from "../../../schemas/topics.ts"
import { clusterTopic, type KafkaSettings } from "./client.ts"

const MIB = 1024 * 1024
const DAY_MS = 24 * 60 * 60 * 1000
/** The largest batch that a topic takes: the largest record of the port, with room for others beside it. */
const BATCH_BYTES_MAX = 16 * MIB
/** What a batch holds beside keys and values: its header, and some tens of bytes for each record. */
const BATCH_OVERHEAD_BYTES = 16 * 1024
/**
 * Records younger than this are not compacted away, so that a writer which lost a reply finds what became of its commit,
 * and a reader that is a little behind sees every version.
 */
const COMPACTION_LAG_MS = 60_000

/** Topics whose records are money or answers to money: on disk before they are acknowledged, where no replica has them. */
const FLUSHED: ReadonlyArray<Topic> = ["ledger", "replies"]

const retention = (topic: Topic, keptDays: KeptDays): Record<string, string> => {
  const policy = topicPolicy(topic, keptDays)
  switch (policy.kept) {
    case "compacted":
      return {
        // "delete" lets us trim; nothing is deleted by age or size.
        "cleanup.policy": "compact,delete",
        "retention.ms": "-1",
        "retention.bytes": "-1",
        // Small segments that are cleaned early: with the broker's defaults a starting replica reads gigabytes.
        "segment.ms": "600000",
        "segment.bytes": `${64 * MIB}`,
        "min.cleanable.dirty.ratio": "0.1",
        "min.compaction.lag.ms": `${COMPACTION_LAG_MS}`,
      }
    case "aged":
      return { "cleanup.policy": "delete", "retention.ms": `${policy.keptDays * DAY_MS}`, "retention.bytes": "-1" }
    case "archived":
    case "forever":
      // Trimmed by us, never past what the archive holds; or never.
      return { "cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1" }
  }
}

/** The settings with which a topic is made. */
export const topicConfig = (topic: Topic, settings: KafkaSettings): Readonly<Record<string, string>> => ({
  ...retention(topic, settings.keptDays),
  "max.message.bytes": `${BATCH_BYTES_MAX}`,
  ...(settings.replicationFactor > 2 ? { "min.insync.replicas": "2" } : {}),
  ...(settings.replicationFactor === 1 && FLUSHED.includes(topic) ? { "flush.messages": "1" } : {}),
  ...settings.topicSettings,
})

/** What the cluster says about a topic. */
export interface TopicLimits {
  /** The largest sum of keys and values that one batch of the topic takes. */
  readonly batchBytesMax: number
  /** The largest record: the port's limit, or less where the topic takes less. */
  readonly recordBytesMax: number
}

/** A topic stands on the cluster in a way that this log cannot work with. */
export class TopicUnfit extends Error {
  override readonly name = "TopicUnfit"
}

/** What of an administrator's connection is needed here. */
export type TopicAdmin = Pick<Admin, "listTopics" | "createTopics" | "fetchTopicMetadata" | "describeConfigs">

const create = async (admin: TopicAdmin, settings: KafkaSettings, topic: Topic): Promise<void> => {
  const request: ITopicConfig = {
    topic: clusterTopic(settings, topic),
    numPartitions: 1,
    replicationFactor: settings.replicationFactor,
    configEntries: Object.entries(topicConfig(topic, settings)).map(([name, value]) => ({ name, value })),
  }
  // False when another process that starts at the same time has made it.
  await admin.createTopics({ topics: [request], waitForLeaders: true })
}

/**
 * Makes the topics that are missing, each with one partition, and gives the limits of all. Throws `TopicUnfit` when one
 * has more partitions: a total order is what everything else stands on.
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
