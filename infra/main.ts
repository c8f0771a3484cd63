import { enableCompileCache } from "node:module"
import { join } from "node:path"

// Types are stripped and code is compiled once, not at every start. It must come before anything else is loaded.
enableCompileCache(join(import.meta.dirname, "..", "node_modules", ".cache", "tidewire"))
const { returnFreedMemory } = await import("./config/memory.ts")
returnFreedMemory()
await import("./start.ts")
