import kafkajs, { type Admin, type ITopicConfig } from "kafkajs"
import { RECORD_MAX_BYTES } from "../../../schemas/ports/event-log.ts"
import { type KeptDays, type Topic, topicPolicy } from "../../../schemas/topics.ts"
import { clusterTopic, type KafkaSettings } from "./client.ts"

const MIB = 1024 * 1024
const DAY_MS = 24 * 60 * 60 * 1000
/** The largest batch of a topic: the port's largest record, with space for others. */
const BATCH_MAX_BYTES = 16 * MIB
/** Bytes of a batch beside keys and values: its header, and some tens of bytes for each record. */
const BATCH_OVERHEAD_BYTES = 16 * 1024
/**
 * Younger records are not compacted, so that a writer that lost a reply can find its commit, and a reader that is slightly
 * behind sees every version.
 */
const COMPACTION_LAG_MS = 60_000

/** Three replicas tolerate the loss of one broker while writes go on; further ones only make writes slower. */
const REPLICAS_MAX = 3

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

/** The replicas that must have a record before it is acknowledged: of two only the ledger's, as each failure then stops writes. */
const inSyncMin = (topic: Topic, replicas: number): number => {
  if (replicas === 2) return topic === "ledger" ? 2 : 1
  return replicas > 2 ? 2 : 1
}

/** The settings of a topic that is created with so many replicas. */
export const topicConfig = (
  topic: Topic,
  replicas: number,
  settings: Pick<KafkaSettings, "keptDays" | "topicSettings">,
): Readonly<Record<string, string>> => ({
  ...retention(topic, settings.keptDays),
  "max.message.bytes": `${BATCH_MAX_BYTES}`,
  "min.insync.replicas": `${inSyncMin(topic, replicas)}`,
  ...(replicas === 1 && FLUSHED.includes(topic) ? { "flush.messages": "1" } : {}),
  ...settings.topicSettings,
})

/** The limits of a topic on the cluster. */
export interface TopicLimits {
  /** The largest sum of keys and values in one batch. */
  readonly batchBytesMax: number
  /** The largest record: the port's limit, or the topic's if that is lower. */
  readonly recordBytesMax: number
}

/** The topics or the brokers of the cluster cannot be used for this log; no retry can change that. */
export class TopicUnfit extends Error {
  override readonly name = "TopicUnfit"
}

/** The requests that this file uses. */
export type TopicAdmin = Pick<
  Admin,
  "listTopics" | "createTopics" | "fetchTopicMetadata" | "describeConfigs" | "describeCluster"
>

/**
 * The replicas of topics that are created: `KAFKA_REPLICATION`, else as many as there are brokers, 3 at most. Brokers that
 * `KAFKA_BROKERS` lists and that are not there yet are waited for: a topic keeps the replicas that it was created with.
 */
const replicasFor = (settings: Pick<KafkaSettings, "brokers" | "replicationFactor">, brokersCount: number): number => {
  const listed = new Set(settings.brokers).size
  const wanted = settings.replicationFactor ?? Math.min(REPLICAS_MAX, Math.max(brokersCount, listed))
  if (wanted <= brokersCount) return wanted
  const there = `the cluster has ${brokersCount} ${brokersCount === 1 ? "broker" : "brokers"}`
  if (wanted > listed)
    throw new TopicUnfit(`KAFKA_REPLICATION: topics are to be created with ${wanted} replicas, and ${there}`)
  throw new Error(
    `${there} and ${wanted} of KAFKA_BROKERS are waited for before topics are created (KAFKA_REPLICATION creates them with fewer replicas)`,
  )
}

const create = async (admin: TopicAdmin, settings: KafkaSettings, missing: ReadonlyArray<Topic>): Promise<void> => {
  if (missing.length === 0) return
  const replicas = replicasFor(settings, (await admin.describeCluster()).brokers.length)
  await Promise.all(
    missing.map((topic) => {
      const request: ITopicConfig = {
        topic: clusterTopic(settings, topic),
        numPartitions: 1,
        replicationFactor: replicas,
        configEntries: Object.entries(topicConfig(topic, replicas, settings)).map(([name, value]) => ({ name, value })),
      }
      // The result is false if another process has just created it.
      return admin.createTopics({ topics: [request], waitForLeaders: true })
    }),
  )
}

/** The description of a topic by the cluster. */
interface DescribedTopic {
  readonly name: string
  readonly partitions: number
  /** The brokers that hold a copy, the preferred leader first. */
  readonly replicas: ReadonlyArray<number>
  /** A setting of the topic, with the broker's default; undefined if the brokers do not report it. */
  readonly config: (name: "max.message.bytes" | "min.insync.replicas") => number | undefined
}

const describe = async (admin: TopicAdmin, settings: KafkaSettings): Promise<ReadonlyMap<Topic, DescribedTopic>> => {
  const names = settings.topics.map((topic) => clusterTopic(settings, topic))
  const { topics } = await admin.fetchTopicMetadata({ topics: names })
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: names.map((name) => ({
      type: kafkajs.ConfigResourceTypes.TOPIC,
      name,
      configNames: ["max.message.bytes", "min.insync.replicas"],
    })),
  })
  return new Map(
    settings.topics.map((topic) => {
      const name = clusterTopic(settings, topic)
      const partitions = topics.find((one) => one.name === name)?.partitions ?? []
      const entries = resources.find(({ resourceName }) => resourceName === name)?.configEntries
      const config: DescribedTopic["config"] = (wanted) => {
        const value = Number(entries?.find(({ configName }) => configName === wanted)?.configValue)
        return Number.isFinite(value) ? value : undefined
      }
      return [topic, { name, partitions: partitions.length, replicas: partitions[0]?.replicas ?? [], config }]
    }),
  )
}

/**
 * Creates the missing topics of `settings.topics`, each with one partition, and gives the limits of all. Throws `TopicUnfit`
 * if a topic has more partitions: replay depends on a total order.
 */
export const ensureTopics = async (
  admin: TopicAdmin,
  settings: KafkaSettings,
): Promise<ReadonlyMap<Topic, TopicLimits>> => {
  const existing = new Set(await admin.listTopics())
  await create(
    admin,
    settings,
    settings.topics.filter((topic) => !existing.has(clusterTopic(settings, topic))),
  )
  const described = await describe(admin, settings)
  for (const { name, partitions } of described.values())
    if (partitions !== 1) throw new TopicUnfit(`topic ${name} has ${partitions} partitions; it must have exactly one`)
  return new Map(
    [...described].map(([topic, { config }]) => {
      const batchBytesMax = (config("max.message.bytes") ?? BATCH_MAX_BYTES) - BATCH_OVERHEAD_BYTES
      return [topic, { batchBytesMax, recordBytesMax: Math.min(RECORD_MAX_BYTES, batchBytesMax) }]
    }),
  )
}

/** How well the cluster keeps acknowledged records. */
export interface Durability {
  /** The brokers of the cluster: those that answer, and those that hold a copy of a topic. */
  readonly brokersCount: number
  /**
   * The topics of which the loss of one broker may lose an acknowledged record although the cluster has several, each with
   * the reason and the commands that change it.
   */
  readonly risks: ReadonlyMap<Topic, string>
}

/** The commands that give a topic so many replicas, as one line of a shell. */
const remedy = (
  { name, replicas }: DescribedTopic,
  brokers: ReadonlyArray<number>,
  wanted: number,
  inSync: number,
  bootstrap: string,
): string => {
  const at = `--bootstrap-server ${bootstrap}`
  const assigned = [...replicas, ...brokers.filter((broker) => !replicas.includes(broker))].slice(0, wanted)
  const plan = { version: 1, partitions: [{ topic: name, partition: 0, replicas: assigned }] }
  return [
    ...(wanted > replicas.length
      ? [
          `echo '${JSON.stringify(plan)}' > ${name}.json`,
          `kafka-reassign-partitions ${at} --reassignment-json-file ${name}.json --execute`,
        ]
      : []),
    `kafka-configs ${at} --alter --entity-type topics --entity-name ${name} --add-config min.insync.replicas=${inSync}`,
  ].join(" && ")
}

/** Reads how well the existing topics are replicated. An acknowledged commit must be on two brokers where there are two. */
export const readDurability = async (admin: TopicAdmin, settings: KafkaSettings): Promise<Durability> => {
  const described = await describe(admin, settings)
  const answering = (await admin.describeCluster()).brokers.map(({ nodeId }) => nodeId)
  const brokers = [...new Set([...answering, ...[...described.values()].flatMap(({ replicas }) => replicas)])]
  const risks = new Map<Topic, string>()
  for (const [topic, one] of described) {
    const copies = one.replicas.length
    const inSync = one.config("min.insync.replicas") ?? 1
    if (brokers.length < 2 || (copies > 1 && inSync >= inSyncMin(topic, copies))) continue
    const wanted = Math.max(copies, Math.min(REPLICAS_MAX, brokers.length))
    const problem =
      copies > 1
        ? `acknowledges a record that ${inSync} of its ${copies} replicas has`
        : `has a single replica on a cluster of ${brokers.length} brokers`
    const how = remedy(one, brokers, wanted, inSyncMin(topic, wanted), settings.brokers[0] ?? "")
    risks.set(
      topic,
      `the topic ${one.name} ${problem}: one broker's loss may lose acknowledged records. To change it: ${how}`,
    )
  }
  return { brokersCount: brokers.length, risks }
}
