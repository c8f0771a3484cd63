import { dockerMissing } from "../../support/docker.ts"
import { historyCrashSuite } from "./crash-suite.ts"
import { startServer } from "./server.ts"

historyCrashSuite("a ClickHouse server", startServer, await dockerMissing())
