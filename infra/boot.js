import { enableCodeCache, fillCodeCache } from "./compile-cache.js"
import { loadEffectFromBundle } from "./effect-bundle.js"

// What an entry point does before it loads any other code. Each thread needs its own code cache, its own hooks, and its own
// bound of buffers.

/** Prepares the main thread of a process. */
export const bootProcess = async () => {
  enableCodeCache()
  fillCodeCache()
  loadEffectFromBundle()
  const { boundBufferPools, returnFreedMemory } = await import("./system/memory.ts")
  returnFreedMemory()
  boundBufferPools()
  await install()
}

/** Prepares the pipeline's thread. */
export const bootThread = async () => {
  enableCodeCache()
  loadEffectFromBundle()
  const { boundBufferPools } = await import("./system/memory.ts")
  boundBufferPools()
  await install()
}

/** Before any declaration of the contract is loaded. */
const install = async () => {
  const { installFrom } = await import("./config/installation.ts")
  installFrom(process.env)
}
