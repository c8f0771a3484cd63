import { enableCompileCache } from "node:module"
import { join } from "node:path"

// Types are stripped and code is compiled once, not at every start. Must run before anything else is loaded. This file is
// JavaScript because a TypeScript one would be stripped before the cache is on, and the stripper stays in memory (30 MB).
enableCompileCache(join(import.meta.dirname, "..", "node_modules", ".cache", "tidewire"))
const { returnFreedMemory } = await import("./config/memory.ts")
returnFreedMemory()
await import("./start.ts")
