import { describe, it } from "vitest"
import { dockerMissing } from "../../support/docker.ts"
import { historyCrashSuite } from "./crash-suite.ts"
import { startServer } from "./server.ts"

const missing = await dockerMissing()

if (missing === undefined) historyCrashSuite("a ClickHouse server", startServer)
// A file without any test counts as failed: this one says aloud what was skipped, and why.
else describe.skip(`a ClickHouse server: ${missing}`, () => it("is not tested", () => {}))
