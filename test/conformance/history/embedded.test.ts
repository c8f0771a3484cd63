import { startEmbedded } from "./embedded.ts"
import { historySuite } from "./suite.ts"

historySuite("the embedded ClickHouse", startEmbedded)
