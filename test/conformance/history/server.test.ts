import { describe, it } from "vitest"
import { dockerMissing } from "../../support/docker.ts"
import { startServer } from "./server.ts"
import { historySuite } from "./suite.ts"

const missing = await dockerMissing()

if (missing === undefined) historySuite("a ClickHouse server", startServer)
// A file without any test counts as failed: this one says aloud what was skipped, and why.
else describe.skip(`a ClickHouse server: ${missing}`, () => it("is not tested", () => {}))
