import { brokerUnderTest } from "./kafka-broker.ts"
import { eventLogConformance } from "./suite.ts"

const { missing, makeHarness } = await brokerUnderTest()

eventLogConformance("Kafka", makeHarness, { missing, modelRuns: Number(process.env.ROUNDS ?? 4) })
