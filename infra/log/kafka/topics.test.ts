import type { Admin } from "kafkajs"
import { describe, expect, it } from "vitest"
import { type Topic, topicNames } from "../../../schemas/topics.ts"
import type { KafkaSettings } from "./client.ts"
import { ensureTopics, type TopicAdmin, TopicUnfit, topicConfig } from "./topics.ts"

const settings = (more: Partial<KafkaSettings> = {}): KafkaSettings => ({
  brokers: [],
  clientId: "test",
  replicationFactor: 1,
  topicPrefix: "p.",
  ssl: undefined,
  sasl: undefined,
  topicSettings: {},
  compression: "zstd",
  keptDays: {},
  requestTimeoutMs: 1,
  operationTimeoutMs: 1,
  commitTimeoutMs: 1,
  log: () => undefined,
  ...more,
})

/** A cluster that has some topics, each with a number of partitions. */
const cluster = (partitions: Map<string, number>, maxMessageBytes = "16777216") => {
  const admin: TopicAdmin = {
    listTopics: async () => [...partitions.keys()],
    createTopics: async ({ topics }) => {
      for (const { topic, numPartitions } of topics) partitions.set(topic, numPartitions ?? -1)
      return true
    },
    fetchTopicMetadata: async (of) => ({
      topics: (of?.topics ?? []).map((name) => ({
        name,
        partitions: Array.from({ length: partitions.get(name) ?? 0 }, (_, partitionId) => ({
          partitionId,
          partitionErrorCode: 0,
          leader: 1,
          replicas: [1],
          isr: [1],
        })),
      })),
    }),
    describeConfigs: async ({ resources }) => {
      type Described = Awaited<ReturnType<Admin["describeConfigs"]>>
      const described = {
        throttleTime: 0,
        resources: resources.map(({ name, type }) => ({
          configEntries: [{ configName: "max.message.bytes", configValue: maxMessageBytes }],
          errorCode: 0,
          errorMessage: "",
          resourceName: name,
          resourceType: type,
        })),
      }
      // Only these members are read.
      return described as unknown as Described
    },
  }
  return admin
}

describe("the topics on the cluster", () => {
  it("are created if they are missing, each with one partition", async () => {
    const partitions = new Map([["p.views", 1]])
    await ensureTopics(cluster(partitions), settings())
    expect(partitions).toEqual(new Map(topicNames.map((topic) => [`p.${topic}`, 1])))
  })

  it("are refused when one has more than one partition", async () => {
    const partitions = new Map(topicNames.map((topic) => [`p.${topic}`, topic === "ledger" ? 3 : 1]))
    await expect(ensureTopics(cluster(partitions), settings())).rejects.toThrow(TopicUnfit)
    await expect(ensureTopics(cluster(partitions), settings())).rejects.toThrow(/p\.ledger has 3 partitions/)
  })

  it("accept the port's largest record, unless the cluster's limit is lower", async () => {
    const large = await ensureTopics(cluster(new Map()), settings())
    expect(large.get("views")?.recordBytesMax).toBe(12 * 1024 * 1024)
    const small = await ensureTopics(cluster(new Map(), "1048576"), settings())
    expect(small.get("views")?.recordBytesMax).toBeLessThan(1_048_576)
    expect(small.get("views")?.recordBytesMax).toBeGreaterThan(1_000_000)
  })

  it("keep archived topics until they are trimmed, and the latest record of each key of compacted ones", () => {
    const retentionMs = (topic: Topic) => topicConfig(topic, settings())["retention.ms"]
    expect(
      ["observations", "deltas", "ledger", "views", "checkpoints"].map((topic) => retentionMs(topic as Topic)),
    ).toEqual(["-1", "-1", "-1", "-1", "-1"])
    expect(retentionMs("replies")).toBe(`${24 * 60 * 60 * 1000}`)
    expect(topicConfig("views", settings())["cleanup.policy"]).toContain("compact")
    expect(topicConfig("observations", settings())["cleanup.policy"]).toBe("delete")
  })

  it("of the ledger are flushed before an acknowledgement if they have no replicas", () => {
    const flush = (topic: Topic, replicationFactor: number) =>
      topicConfig(topic, settings({ replicationFactor }))["flush.messages"]
    expect([flush("ledger", 1), flush("replies", 1), flush("views", 1), flush("ledger", 3)]).toEqual([
      "1",
      "1",
      undefined,
      undefined,
    ])
    expect(topicConfig("ledger", settings({ replicationFactor: 3 }))["min.insync.replicas"]).toBe("2")
  })

  it("keeps aged topics as long as the setting, and leaves archived topics to the trimmer", () => {
    const keptDays = { replies: 14, usage: 14, observations: 60 }
    expect(topicConfig("replies", settings({ keptDays }))["retention.ms"]).toBe(`${14 * 86_400_000}`)
    expect(topicConfig("quarantine", settings({ keptDays }))["retention.ms"]).toBe(`${30 * 86_400_000}`)
    expect(topicConfig("usage", settings({ keptDays }))["retention.ms"]).toBe("-1")
    expect(topicConfig("observations", settings({ keptDays }))["retention.ms"]).toBe("-1")
  })
})
