import * as Effect from "effect/Effect"
import { describe } from "vitest"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import { scopedDirectory } from "../../support/scoped-directory.ts"
import { eventLogConformance } from "./suite.ts"
import { monitorTests } from "./suite-monitor.ts"

const SMALL_BYTES = 4 * 1024 * 1024

const makeHarness = Effect.map(scopedDirectory, (path) => ({
  adapter: { module: "infra/log/lmdb/event-log.ts", open: "openLmdbLog", options: { path } },
  openSmall: openLmdbLog({ path, bytesMax: SMALL_BYTES }),
}))

eventLogConformance("LMDB", makeHarness, { modelRuns: 60 })

// A week of commits, whose table no adapter decides.
describe("the feeds of a week", () => monitorTests(makeHarness))
