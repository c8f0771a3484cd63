import { enableCompileCache } from "node:module"
import { join } from "node:path"

// A thread compiles for itself, and for the reason of main.js this file is JavaScript as well.
enableCompileCache(join(import.meta.dirname, "..", "..", "node_modules", ".cache", "tidewire"))
await import("./pipeline-run.ts")
