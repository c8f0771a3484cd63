import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import { endOf, readThrough } from "./harness.ts"

// Fills the disk of the log in its argument, trims, continues, and prints the results. Runs in its own process, as the disk
// is mounted for this process only.

// Random bytes, which cannot be compressed.
const VALUE = randomBytes(64 * 1024)
const ATTEMPTS_MAX = 1_000

const fill = Effect.gen(function* () {
  const log = yield* openLmdbLog({ path: process.argv[2] ?? "" })
  const writer = yield* log.claim("ingest", ["observations", "deltas"])
  const untilFull = Effect.gen(function* () {
    const offsets: Array<number> = []
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const exit = yield* Effect.exit(
        writer.commit([
          { topic: "observations", key: "n", value: VALUE },
          { topic: "deltas", key: "n", value: new Uint8Array(1) },
        ]),
      )
      if (Exit.isFailure(exit)) {
        const error = Exit.findErrorOption(exit)
        return { offsets, error: error._tag === "Some" ? error.value._tag : "defect" }
      }
      offsets.push(...exit.value.offsets.slice(0, 1))
    }
    return { offsets, error: "none" }
  })
  const first = yield* untilFull
  const kept = yield* readThrough(log, "observations", 0, endOf(first.offsets))
  const together = (yield* log.end("deltas")) === (yield* log.end("observations"))
  yield* log.trim("observations", yield* log.end("observations"))
  const second = yield* untilFull
  return {
    first: { committed: first.offsets.length, kept: kept.length, together, error: first.error },
    second: { committed: second.offsets.length, error: second.error },
  }
})

const said = await Effect.runPromise(Effect.scoped(fill))
process.stdout.write(`${JSON.stringify(said)}\n`)
