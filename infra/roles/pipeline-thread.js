import { parentPort } from "node:worker_threads"
import { enableCodeCache } from "../compile-cache.js"

// The entry point of the thread. Each thread needs its own code cache.
enableCodeCache()
const { runPipeline } = await import("./pipeline-run.ts")
runPipeline(parentPort)
