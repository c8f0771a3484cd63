import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import { benchmark, interleaved } from "../benchmark.ts"

const RECORD_BYTES = 300
const RECORDS = 1_000_000
const GROUP = 5_000
const ROUNDS = 9

/** The time to open a log of many records and read the last one, or to claim a writer. */
export const logOpen = benchmark({
  name: "log-open",
  title: `opening an embedded log of ${RECORDS.toLocaleString("en-US")} records`,
  budget: [
    { label: "open and read the last record", of: "value", atMost: 100 },
    { label: "open and claim", of: "value", atMost: 100 },
  ],
  run: async () => {
    const path = await mkdtemp(join(tmpdir(), "tidewire-bench-"))
    const value = new Uint8Array(RECORD_BYTES).fill(120)
    const fill = Effect.gen(function* () {
      const log = yield* openLmdbLog({ path })
      const writer = yield* log.claim("bench", ["observations"])
      const group = Array.from({ length: GROUP }, () => ({ topic: "observations" as const, key: "bench", value }))
      for (let n = 0; n < RECORDS; n += GROUP) yield* writer.commit(group)
    })
    const timed = async <E>(work: Effect.Effect<unknown, E>) => {
      const begin = performance.now()
      await Effect.runPromise(work)
      return performance.now() - begin
    }
    const opened = (job: "read" | "claim") => {
      let doneMs = 0
      const work = Effect.gen(function* () {
        const begin = performance.now()
        const log = yield* openLmdbLog({ path })
        if (job === "claim") yield* log.claim("bench", ["observations"])
        else {
          const end = yield* log.end("observations")
          const batches = yield* log.read("observations", end - 1).pipe(Stream.runCollect)
          if (end !== RECORDS || batches[0]?.records.length !== 1) throw new Error("the last record is not there")
        }
        doneMs = performance.now() - begin
      })
      return Effect.runPromise(Effect.scoped(work)).then(() => doneMs)
    }
    try {
      const fillMs = await timed(Effect.scoped(fill))
      const figures = await interleaved(ROUNDS, { read: () => opened("read"), claim: () => opened("claim") })
      return [
        { label: "open and read the last record", value: figures.read, unit: "ms" },
        { label: "open and claim", value: figures.claim, unit: "ms" },
        { label: `writing them, ${GROUP} a commit`, value: (RECORDS * 1000) / fillMs, unit: "records/s" },
      ]
    } finally {
      await rm(path, { recursive: true, force: true })
    }
  },
})
