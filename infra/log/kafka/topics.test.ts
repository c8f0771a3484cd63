import type { Admin, ITopicConfig } from "kafkajs"
import { describe, expect, it } from "vitest"
import { type Topic, topicNames } from "../../../schemas/topics.ts"
import type { KafkaSettings } from "./client.ts"
import { settings } from "./testing/settings.ts"
import { ensureTopics, readDurability, type TopicAdmin, TopicUnfit, topicConfig } from "./topics.ts"

interface Cluster {
  /** The number of partitions of each topic that exists. */
  readonly partitions?: Map<string, number>
  readonly brokers?: ReadonlyArray<number>
  readonly replicas?: (topic: string) => ReadonlyArray<number>
  readonly config?: (topic: string) => Readonly<Record<string, string>>
}

const cluster = ({ partitions = new Map(), brokers = [1], replicas = () => [1], config = () => ({}) }: Cluster) => {
  const created: Array<ITopicConfig> = []
  const admin: TopicAdmin = {
    listTopics: async () => [...partitions.keys()],
    describeCluster: async () => ({
      brokers: brokers.map((nodeId) => ({ nodeId, host: "127.0.0.1", port: 9092 })),
      controller: 1,
      clusterId: "c",
    }),
    createTopics: async ({ topics }) => {
      created.push(...topics)
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
          replicas: [...replicas(name)],
          isr: [1],
        })),
      })),
    }),
    describeConfigs: async ({ resources }) => {
      type Described = Awaited<ReturnType<Admin["describeConfigs"]>>
      const described = {
        throttleTime: 0,
        resources: resources.map(({ name, type }) => ({
          configEntries: Object.entries({
            "max.message.bytes": "16777216",
            "min.insync.replicas": "1",
            ...config(name),
          }).map(([configName, configValue]) => ({ configName, configValue })),
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
  return { admin, created }
}

/** All topics of the log as they exist on a cluster, with one partition each. */
const existing = () => new Map(topicNames.map((topic) => [`p.${topic}`, 1]))

describe("the topics on the cluster", () => {
  it("are created if they are missing, each with one partition", async () => {
    const partitions = new Map([["p.views", 1]])
    await ensureTopics(cluster({ partitions }).admin, settings())
    expect(partitions).toEqual(new Map(topicNames.map((topic) => [`p.${topic}`, 1])))
  })

  it("are refused when one has more than one partition", async () => {
    const partitions = new Map(topicNames.map((topic) => [`p.${topic}`, topic === "ledger" ? 3 : 1]))
    await expect(ensureTopics(cluster({ partitions }).admin, settings())).rejects.toThrow(TopicUnfit)
    await expect(ensureTopics(cluster({ partitions }).admin, settings())).rejects.toThrow(/p\.ledger has 3 partitions/)
  })

  it("accept the port's largest record, unless the cluster's limit is lower", async () => {
    const large = await ensureTopics(cluster({}).admin, settings())
    expect(large.get("views")?.recordBytesMax).toBe(12 * 1024 * 1024)
    const small = await ensureTopics(cluster({ config: () => ({ "max.message.bytes": "1048576" }) }).admin, settings())
    expect(small.get("views")?.recordBytesMax).toBeLessThan(1_048_576)
    expect(small.get("views")?.recordBytesMax).toBeGreaterThan(1_000_000)
  })

  it("keep archived topics until they are trimmed, and the latest record of each key of compacted ones", () => {
    const retentionMs = (topic: Topic) => topicConfig(topic, 1, settings())["retention.ms"]
    expect(
      ["observations", "deltas", "ledger", "views", "checkpoints"].map((topic) => retentionMs(topic as Topic)),
    ).toEqual(["-1", "-1", "-1", "-1", "-1"])
    expect(retentionMs("replies")).toBe(`${24 * 60 * 60 * 1000}`)
    expect(topicConfig("views", 1, settings())["cleanup.policy"]).toContain("compact")
    expect(topicConfig("observations", 1, settings())["cleanup.policy"]).toBe("delete")
  })

  it("of the ledger are flushed before an acknowledgement if they have no replicas", () => {
    const flush = (topic: Topic, replicas: number) => topicConfig(topic, replicas, settings())["flush.messages"]
    expect([flush("ledger", 1), flush("replies", 1), flush("views", 1), flush("ledger", 3)]).toEqual([
      "1",
      "1",
      undefined,
      undefined,
    ])
  })

  it("get as many replicas as there are brokers, 3 at most, of which one may be lost", async () => {
    const createdOn = async (brokers: ReadonlyArray<number>, more: Partial<KafkaSettings> = {}) => {
      const { admin, created } = cluster({ brokers })
      await ensureTopics(admin, settings(more))
      const of = (topic: Topic) => {
        const { replicationFactor, configEntries } = created.find((one) => one.topic === `p.${topic}`) ?? {}
        return [replicationFactor, configEntries?.find(({ name }) => name === "min.insync.replicas")?.value]
      }
      return { ledger: of("ledger"), views: of("views") }
    }
    expect(await createdOn([1])).toEqual({ ledger: [1, "1"], views: [1, "1"] })
    // Of two brokers both must have a payment: the other topics go on with one.
    expect(await createdOn([1, 2])).toEqual({ ledger: [2, "2"], views: [2, "1"] })
    expect(await createdOn([1, 2, 3])).toEqual({ ledger: [3, "2"], views: [3, "2"] })
    expect(await createdOn([1, 2, 3, 4, 5])).toEqual({ ledger: [3, "2"], views: [3, "2"] })
    expect(await createdOn([1, 2, 3], { replicationFactor: 1 })).toEqual({ ledger: [1, "1"], views: [1, "1"] })
  })

  it("are refused more replicas than there are brokers by name, and wait for brokers that are listed", async () => {
    const opened = (more: Partial<KafkaSettings>) => ensureTopics(cluster({ brokers: [1, 2] }).admin, settings(more))
    const refused = opened({ brokers: ["a:9092"], replicationFactor: 3 })
    await expect(refused).rejects.toThrow(TopicUnfit)
    await expect(refused).rejects.toThrow(
      "KAFKA_REPLICATION: topics are to be created with 3 replicas, and the cluster has 2 brokers",
    )
    const waits = opened({ brokers: ["a:9092", "b:9092", "c:9092"] })
    await expect(waits).rejects.not.toThrow(TopicUnfit)
    await expect(waits).rejects.toThrow(/2 brokers and 3 of KAFKA_BROKERS are waited for/)
    // What exists is used with the brokers that are there.
    const { admin } = cluster({ partitions: existing(), brokers: [1] })
    await ensureTopics(admin, settings({ brokers: ["a:9092", "b:9092", "c:9092"], replicationFactor: 3 }))
  })

  it("are a risk where the loss of one of several brokers may lose an acknowledged record, with the commands that change it", async () => {
    const risksOf = async (more: Cluster) => {
      const { admin } = cluster({ partitions: existing(), ...more })
      return (await readDurability(admin, settings({ brokers: ["a:9092"] }))).risks
    }
    const inSync = (value: string) => () => ({ "min.insync.replicas": value })
    const three = { brokers: [1, 2, 3], replicas: () => [2, 1, 3] }
    expect((await risksOf({ brokers: [1] })).size).toBe(0)
    expect((await risksOf({ ...three, config: inSync("2") })).size).toBe(0)
    expect([...(await risksOf({ ...three, config: inSync("1") })).keys()]).toEqual(topicNames)
    // A broker that is away is known by the copies that it holds.
    expect([
      ...(await risksOf({ brokers: [1], replicas: (name) => (name === "p.ledger" ? [1] : [1, 2]) })).keys(),
    ]).toEqual(["ledger"])
    const two = { brokers: [1, 2], replicas: () => [1, 2] }
    expect([...(await risksOf({ ...two, config: inSync("1") })).keys()]).toEqual(["ledger"])
    const risk = (await risksOf({ brokers: [1, 2, 3], replicas: () => [2] })).get("ledger")
    expect(risk).toBe(
      "the topic p.ledger has a single replica on a cluster of 3 brokers: one broker's loss may lose acknowledged records. " +
        `To change it: echo '{"version":1,"partitions":[{"topic":"p.ledger","partition":0,"replicas":[2,1,3]}]}' > p.ledger.json && ` +
        "kafka-reassign-partitions --bootstrap-server a:9092 --reassignment-json-file p.ledger.json --execute && " +
        "kafka-configs --bootstrap-server a:9092 --alter --entity-type topics --entity-name p.ledger --add-config min.insync.replicas=2",
    )
  })

  it("keeps aged topics as long as the setting, and leaves archived topics to the trimmer", () => {
    const keptDays = { replies: 14, usage: 14, observations: 60 }
    expect(topicConfig("replies", 1, settings({ keptDays }))["retention.ms"]).toBe(`${14 * 86_400_000}`)
    expect(topicConfig("quarantine", 1, settings({ keptDays }))["retention.ms"]).toBe(`${30 * 86_400_000}`)
    expect(topicConfig("usage", 1, settings({ keptDays }))["retention.ms"]).toBe("-1")
    expect(topicConfig("observations", 1, settings({ keptDays }))["retention.ms"]).toBe("-1")
  })
})
