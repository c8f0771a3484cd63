import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, expect } from "vitest"
import { type KafkaOptions, settingsOf } from "../../../infra/log/kafka/client.ts"
import { topicConfig } from "../../../infra/log/kafka/topics.ts"
import { topicNames } from "../../../schemas/topics.ts"
import { dockerMissing } from "../../support/docker.ts"
import { eventually } from "../../support/eventually.ts"
import { BROKER_IDS, type KafkaCluster, replicasFrom, startKafkaCluster } from "../../support/kafka-cluster.ts"
import type { MakeHarness } from "../log/harness.ts"

/** A lost reply is noticed after this time; a commit rides out the longest fault. */
const PATIENCE = { requestTimeoutMs: 2_500, operationTimeoutMs: 60_000, commitTimeoutMs: 120_000 }

/** The cluster of a test file. */
export interface ClusterUnderTest {
  /** The reason to skip its tests, if no cluster can be started. */
  readonly missing: string | undefined
  readonly cluster: () => KafkaCluster
  /** Makes a log whose topics, three replicas each, have their leaders on all three brokers in turn. */
  readonly makeLog: (more?: Partial<KafkaOptions>) => Promise<KafkaOptions & { readonly topicPrefix: string }>
  /** Such a log as the subject of a suite; its engine is the leader of one of its topics. */
  readonly makeHarness: (topic: "observations" | "ledger") => MakeHarness
}

/** Starts three brokers before the tests of the file that calls this, and stops them after. */
export const clusterUnderTest = async (): Promise<ClusterUnderTest> => {
  const missing = await dockerMissing()
  let started: KafkaCluster | undefined
  beforeAll(async () => {
    if (missing === undefined) started = await startKafkaCluster()
  })
  afterAll(() => started?.stop())
  const cluster = (): KafkaCluster => {
    if (started === undefined) throw new Error("there is no cluster")
    return started
  }
  const makeLog: ClusterUnderTest["makeLog"] = async (more) => {
    const topicPrefix = `${randomUUID()}.`
    const options = {
      brokers: cluster().brokers,
      clientId: "conformance",
      topicPrefix,
      replicationFactor: BROKER_IDS.length,
      ...PATIENCE,
      ...more,
    }
    const settings = await Effect.runPromise(settingsOf(options))
    await cluster().admin.createTopics({
      // They are waited for below: a broker that does not know them yet would end the wait of the client.
      waitForLeaders: false,
      topics: topicNames.map((topic, turn) => ({
        topic: `${topicPrefix}${topic}`,
        replicaAssignment: [{ partition: 0, replicas: replicasFrom(turn) }],
        configEntries: Object.entries(topicConfig(topic, BROKER_IDS.length, settings)).map(([name, value]) => ({
          name,
          value,
        })),
      })),
    })
    // A broker learns of a new topic a moment after the controller.
    const places = await eventually("the topics are known", async () => {
      const known = await cluster().places(topicPrefix)
      return known.length === topicNames.length && known.every(({ inSync }) => inSync.length === 3) ? known : undefined
    })
    const leaders = new Map(places.map(({ topic, leader }) => [topic, leader]))
    expect(leaders).toEqual(new Map(topicNames.map((topic, turn) => [`${topicPrefix}${topic}`, replicasFrom(turn)[0]])))
    return options
  }
  return {
    missing,
    cluster,
    makeLog,
    makeHarness: (topic) =>
      Effect.promise(async () => {
        const options = await makeLog()
        return {
          adapter: { module: "test/conformance/log/kafka-quiet.ts", open: "open", options: { ...options } },
          restartEngine: Effect.promise(async () => {
            const leader = await cluster().leaderOf(`${options.topicPrefix}${topic}`)
            await cluster().kill([leader])
            await cluster().heal()
          }),
        }
      }),
  }
}
