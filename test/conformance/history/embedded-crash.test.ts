import { historyCrashSuite } from "./crash-suite.ts"
import { startEmbedded } from "./embedded.ts"

historyCrashSuite("the embedded ClickHouse", startEmbedded)
