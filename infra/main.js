import { enableCodeCache, fillCodeCache } from "./compile-cache.js"
import { loadEffectFromBundle } from "./effect-bundle.js"

enableCodeCache()
fillCodeCache()
loadEffectFromBundle()
const { returnFreedMemory } = await import("./system/memory.ts")
returnFreedMemory()
const { start } = await import("./start.ts")
await start()
