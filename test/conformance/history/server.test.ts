import { dockerMissing } from "../../support/docker.ts"
import { startServer } from "./server.ts"
import { historySuite } from "./suite.ts"

historySuite("a ClickHouse server", startServer, await dockerMissing())
