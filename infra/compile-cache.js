import { enableCompileCache } from "node:module"
import { join } from "node:path"

/**
 * Keeps stripped and compiled code on disk, so that only the first start compiles it. Covers the modules that are loaded
 * afterwards: an entry point calls this first and loads everything else with `import()`. This file and the entry points are
 * JavaScript because TypeScript ones would be stripped before the cache is on, and the stripper stays in memory (30 MB).
 */
export const enableCodeCache = () => {
  enableCompileCache(join(import.meta.dirname, "..", "node_modules", ".cache", "tidewire"))
}
