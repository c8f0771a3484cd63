import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { openLmdbLog } from "../../../infra/log/lmdb.ts"
import type { LogHarness } from "./harness.ts"
import { eventLogConformance } from "./suite.ts"

const SMALL_BYTES = 4 * 1024 * 1024

eventLogConformance(
  "LMDB",
  Effect.gen(function* () {
    const path = yield* Effect.acquireRelease(
      Effect.promise(() => mkdtemp(join(tmpdir(), "tidewire-log-"))),
      (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true })),
    )
    const harness: LogHarness = {
      adapter: { module: "infra/log/lmdb.ts", open: "openLmdbLog", options: { path } },
      openSmall: openLmdbLog({ path, bytesMax: SMALL_BYTES }),
    }
    return harness
  }),
  { modelRuns: 60 },
)
