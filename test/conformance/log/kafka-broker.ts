import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll } from "vitest"
import type { KafkaOptions } from "../../../infra/log/kafka/client.ts"
import { dockerMissing, type KafkaBroker, startKafka } from "../../support/docker.ts"
import type { MakeHarness } from "./harness.ts"

/** The broker of a test file. */
export interface BrokerUnderTest {
  /** The reason to skip its tests, if no broker can be started. */
  readonly missing: string | undefined
  /** The options of a new log on the broker, with a unique prefix of its topics, writers and groups. */
  readonly optionsOf: (more?: Partial<KafkaOptions>) => KafkaOptions
  /** Such a log as the suite's subject. */
  readonly makeHarness: MakeHarness
}

/** Starts one broker before the tests of the file that calls this, and stops it after them. */
export const brokerUnderTest = async (start: () => Promise<KafkaBroker> = startKafka): Promise<BrokerUnderTest> => {
  const missing = await dockerMissing()
  let started: KafkaBroker | undefined
  beforeAll(async () => {
    if (missing === undefined) started = await start()
  })
  afterAll(() => started?.stop())
  const broker = (): KafkaBroker => {
    if (started === undefined) throw new Error("there is no broker")
    return started
  }
  const optionsOf: BrokerUnderTest["optionsOf"] = (more) => ({
    brokers: broker().brokers,
    clientId: "conformance",
    topicPrefix: `${randomUUID()}.`,
    ...more,
  })
  return {
    missing,
    optionsOf,
    makeHarness: Effect.sync(() => ({
      adapter: { module: "test/conformance/log/kafka-quiet.ts", open: "open", options: { ...optionsOf() } },
      restartEngine: Effect.promise(broker().restart),
    })),
  }
}
