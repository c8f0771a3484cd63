import { parentPort, workerData } from "node:worker_threads"
import { Effect } from "effect"
import { type AdapterSpec, openAdapter, record } from "./harness.ts"

// A writer in a thread of its own: commits its numbers one after the other, then waits for its end. Told to end, it does so
// at once, whatever it has under way.

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
  // Ended from outside, a thread that stands in a call of the engine takes the whole process with it.
  if (text === "end") process.exit()
})
await Effect.runPromise(Effect.scoped(work))
parentPort?.close()
