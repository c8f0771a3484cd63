import { expect, it } from "vitest"
import { endPipelineWorker, loadPipelineWorker } from "./pipeline-worker.ts"

it("lets a thread that still loads its code end by itself", async () => {
  const thread = loadPipelineWorker()
  // 1 would tell that it was ended from outside.
  const code = new Promise((resolve) => thread.once("exit", resolve))
  await endPipelineWorker(thread)
  expect(await code).toBe(0)
  await endPipelineWorker(thread)
})
