import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { afterAll, beforeAll } from "vitest"
import { dockerMissing, type KafkaBroker, startKafka } from "../../support/docker.ts"
import type { MakeHarness } from "../log/harness.ts"
import { ledgerConformance } from "./suite.ts"

const missing = await dockerMissing()
let broker: KafkaBroker | undefined

beforeAll(async () => {
  if (missing === undefined) broker = await startKafka()
})
afterAll(() => broker?.stop())

/** A log of its own on the one broker: its topics, writers and groups have a prefix that nobody else has. */
const makeHarness: MakeHarness = Effect.suspend(() => {
  if (broker === undefined) return Effect.die(new Error("there is no broker"))
  const { brokers, restart } = broker
  return Effect.succeed({
    adapter: {
      module: "test/conformance/log/kafka-quiet.ts",
      open: "open",
      options: { brokers, clientId: "conformance", topicPrefix: `${randomUUID()}.` },
    },
    restartEngine: Effect.promise(restart),
  })
})

ledgerConformance("Kafka", makeHarness, missing)
