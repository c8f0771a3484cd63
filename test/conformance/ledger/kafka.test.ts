import { brokerUnderTest } from "../log/kafka-broker.ts"
import { ledgerConformance } from "./suite.ts"

const { missing, makeHarness } = await brokerUnderTest()

ledgerConformance("Kafka", makeHarness, { missing })
