import { parentPort } from "node:worker_threads"
import { bootThread } from "../boot.js"

// The entry point of the thread.
await bootThread()
const { runPipeline } = await import("./pipeline-run.ts")
runPipeline(parentPort)
