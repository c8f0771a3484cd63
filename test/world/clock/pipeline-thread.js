import "./simulated-date.js"
import { parentPort } from "node:worker_threads"
import { bootThread } from "../../../infra/boot.js"

// The entry point of the pipeline's thread in the demo's service.
await bootThread()
const { threadTime } = await import("./thread-time.ts")
const time = threadTime()
const { runPipeline } = await import("../../../infra/roles/pipeline-run.ts")
runPipeline(parentPort, time)
