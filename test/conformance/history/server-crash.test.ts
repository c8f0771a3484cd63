import { describe, it } from "vitest"
import { dockerMissing } from "../../support/docker.ts"
import { historyCrashSuite } from "./crash-suite.ts"
import { startServer } from "./server.ts"

const missing = await dockerMissing()

if (missing === undefined) historyCrashSuite("a ClickHouse server", startServer)
else describe.skip(`a ClickHouse server: ${missing}`, () => it("is not tested", () => {}))
