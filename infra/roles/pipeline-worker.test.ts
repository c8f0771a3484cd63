import { once } from "node:events"
import { expect, it } from "vitest"
import { endPipelineWorker, loadPipelineWorker } from "./pipeline-worker.ts"

/** For the code to be loaded, however busy the machine is. */
const PATIENCE_MS = 300_000

it("lets a thread that still loads its code end by itself", async () => {
  const thread = loadPipelineWorker()
  // Ended from outside before it runs, it would end with 0 as well; from then on with 1.
  await once(thread, "online")
  const code = new Promise((resolve) => thread.once("exit", resolve))
  await endPipelineWorker(thread, PATIENCE_MS)
  expect(await code).toBe(0)
  await endPipelineWorker(thread, PATIENCE_MS)
})
