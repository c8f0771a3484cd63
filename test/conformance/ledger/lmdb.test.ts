import * as Effect from "effect/Effect"
import { scopedDirectory } from "../../support/scoped-directory.ts"
import { ledgerConformance } from "./suite.ts"

const makeHarness = Effect.map(scopedDirectory, (path) => ({
  adapter: { module: "infra/log/lmdb/event-log.ts", open: "openLmdbLog", options: { path } },
}))

ledgerConformance("LMDB", makeHarness)
ledgerConformance("LMDB, its state kept on disk", makeHarness, { keepsState: true })
