import { enableCodeCache, fillCodeCache } from "./compile-cache.js"

enableCodeCache()
fillCodeCache()
const { returnFreedMemory } = await import("./config/memory.ts")
returnFreedMemory()
const { start } = await import("./start.ts")
await start()
