import { enableCompileCache } from "node:module"
import { join } from "node:path"

// A thread compiles for itself; see main.ts.
enableCompileCache(join(import.meta.dirname, "..", "..", "node_modules", ".cache", "tidewire"))
await import("./pipeline-run.ts")
