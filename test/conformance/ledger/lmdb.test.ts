import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import type { LogHarness, MakeHarness } from "../log/harness.ts"
import { ledgerConformance } from "./suite.ts"

const makeHarness: MakeHarness = Effect.gen(function* () {
  const path = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "tidewire-ledger-"))),
    (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true })),
  )
  const harness: LogHarness = { adapter: { module: "infra/log/lmdb.ts", open: "openLmdbLog", options: { path } } }
  return harness
})

ledgerConformance("LMDB", makeHarness)
ledgerConformance("LMDB, its state kept on disk", makeHarness, undefined, true)
