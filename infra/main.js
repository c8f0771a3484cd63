import { enableCodeCache } from "./compile-cache.js"

enableCodeCache()
const { returnFreedMemory } = await import("./config/memory.ts")
returnFreedMemory()
await import("./start.ts")
