import { spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { enableCompileCache, getCompileCacheDir } from "node:module"
import { join } from "node:path"
import { isEffectBundled } from "./effect-bundle.js"

const FILL_MAX_MS = 120_000

/**
 * Keeps stripped and compiled code on disk, so that only the first start compiles it. Covers the modules that are loaded
 * afterwards: an entry point calls this first and loads everything else with `import()`. This file and the entry points are
 * JavaScript because TypeScript ones would be stripped before the cache is on, and the stripper stays in memory (20 MB a
 * thread).
 */
export const enableCodeCache = () => {
  enableCompileCache(join(import.meta.dirname, "..", "node_modules", ".cache", "tidewire"))
}

/**
 * Fills an empty cache and makes the bundle of Effect, in a process of its own so that stripper and bundler end with it. The
 * cache belongs to this Node and its flags. Where it cannot be written or filled, the service starts without it.
 */
export const fillCodeCache = () => {
  const directory = getCompileCacheDir()
  if (directory === undefined || (readdirSync(directory).length > 0 && isEffectBundled())) return
  const program = join(import.meta.dirname, "fill-code-cache.js")
  spawnSync(process.execPath, [...process.execArgv, program], { stdio: "ignore", timeout: FILL_MAX_MS })
}
