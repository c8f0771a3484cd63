import { topicNames } from "../../../../schemas/topics.ts"
import type { KafkaSettings } from "../client.ts"

/** The settings of a client that asks no broker, for tests. */
export const settings = (more: Partial<KafkaSettings> = {}): KafkaSettings => ({
  brokers: [],
  clientId: "test",
  topics: topicNames,
  replicationFactor: null,
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
