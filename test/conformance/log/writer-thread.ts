import { parentPort, workerData } from "node:worker_threads"
import * as Effect from "effect/Effect"
import { type AdapterSpec, openAdapter, record } from "./harness.ts"

// A writer in its own thread: commits its numbers one after the other, then waits for a message to end, which it obeys at
// once, even during a commit.

const { spec, name, count }: { readonly spec: AdapterSpec; readonly name: string; readonly count: number } = workerData

const work = Effect.gen(function* () {
  const log = yield* openAdapter(spec)
  const writer = yield* log.claim(name, ["observations", "views"])
  for (let n = 0; n < count; n++)
    yield* writer.commit([record("observations", name, `${n}`), record("views", name, `${n}`)])
  parentPort?.postMessage("done")
  yield* Effect.promise(() => new Promise<void>((resolve) => parentPort?.once("message", () => resolve())))
  const late = yield* Effect.flip(writer.commit([record("observations", name, "late")]))
  parentPort?.postMessage(late._tag)
})

parentPort?.on("message", (text) => {
  // Terminating a thread from outside during a call of the engine would crash the process.
  if (text === "end") process.exit()
})
await Effect.runPromise(Effect.scoped(work))
parentPort?.close()
