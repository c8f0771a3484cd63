import { enableCodeCache, fillCodeCache } from "./compile-cache.js"
import { loadEffectFromBundle } from "./effect-bundle.js"

enableCodeCache()
fillCodeCache()
loadEffectFromBundle()
const { boundBufferPools, returnFreedMemory } = await import("./system/memory.ts")
returnFreedMemory()
boundBufferPools()
// Before any declaration of the contract is loaded.
const { installFrom } = await import("./config/installation.ts")
installFrom(process.env)
const { start } = await import("./start.ts")
await start()
