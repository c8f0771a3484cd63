import { enableCompileCache } from "node:module"
import { join } from "node:path"

// Caches compiled code between calls. It must run before anything else is loaded.
enableCompileCache(join(import.meta.dirname, "..", "..", "node_modules", ".cache", "tidewire"))
await import("./ledger/command-line.ts")
