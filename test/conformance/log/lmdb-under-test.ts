import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { AdapterSpec } from "./harness.ts"

/** The spec of the embedded log at a path. */
export const lmdbSpec = (path: string): AdapterSpec => ({
  module: "infra/log/lmdb/event-log.ts",
  open: "openLmdbLog",
  options: { path },
})

/** The path of a script of this folder. */
export const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** The reason to skip tests that trace or delay system calls; empty if they can run. */
export const straceMissing =
  spawnSync("strace", ["-o", "/dev/null", "true"]).status === 0 ? "" : " (skipped: no strace here)"
