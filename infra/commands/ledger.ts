import { enableCompileCache } from "node:module"
import { join } from "node:path"

// Types are stripped and code is compiled once, not at every call. It must come before anything else is loaded.
enableCompileCache(join(import.meta.dirname, "..", "..", "node_modules", ".cache", "tidewire"))
await import("./ledger/command-line.ts")
