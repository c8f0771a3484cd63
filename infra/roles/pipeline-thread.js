import { parentPort } from "node:worker_threads"
import { enableCodeCache } from "../compile-cache.js"
import { loadEffectFromBundle } from "../effect-bundle.js"

// The entry point of the thread. Each thread needs its own code cache, its own hooks, and its own bound of buffers.
enableCodeCache()
loadEffectFromBundle()
const { boundBufferPools } = await import("../system/memory.ts")
boundBufferPools()
// Before any declaration of the contract is loaded.
const { installFrom } = await import("../config/installation.ts")
installFrom(process.env)
const { runPipeline } = await import("./pipeline-run.ts")
runPipeline(parentPort)
