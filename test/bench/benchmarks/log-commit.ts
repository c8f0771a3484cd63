import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import { openBareLmdb } from "../bare-lmdb.ts"
import { benchmark, interleaved, ratePerSecond } from "../benchmark.ts"

const RECORD_BYTES = 300
const ROUND_MS = 1_000
const ROUNDS = 5
const CROWD = 64

/** Durable commits a second, beside bare puts of the same bytes that await their flush. */
export const logCommit = benchmark({
  name: "log-commit",
  title: `durable commits of one record of ${RECORD_BYTES} bytes, embedded log`,
  budget: [
    { label: "log, 1 caller", of: "ratio", atLeast: 0.5 },
    { label: `log, ${CROWD} callers`, of: "ratio", atLeast: 0.5 },
  ],
  profile:
    "Of many callers, the bare puts share one transaction. Each commit of the log is a transaction of its own within the flushed one, as it may fail alone: it tests its claim, gives each record the next offset of its topic, writes the counts, and wakes the followers.",
  run: async () => {
    const directory = await mkdtemp(join(tmpdir(), "tidewire-bench-"))
    const value = new Uint8Array(RECORD_BYTES).fill(120)
    const bare = openBareLmdb(join(directory, "bare"), RECORD_BYTES)
    const measure = Effect.gen(function* () {
      const log = yield* openLmdbLog({ path: join(directory, "log") })
      const writer = yield* log.claim("bench", ["observations"])
      const commit = () => Effect.runPromise(writer.commit([{ topic: "observations", key: "bench", value }]))
      return yield* Effect.promise(() =>
        interleaved(ROUNDS, {
          one: () => ratePerSecond(1, ROUND_MS, commit),
          bareOne: () => ratePerSecond(1, ROUND_MS, bare.put),
          crowd: () => ratePerSecond(CROWD, ROUND_MS, commit),
          bareCrowd: () => ratePerSecond(CROWD, ROUND_MS, bare.put),
        }),
      )
    })
    try {
      const figures = await Effect.runPromise(Effect.scoped(measure))
      const unit = "commits/s"
      return [
        { label: "bare put and flush, 1 caller", value: figures.bareOne, unit },
        { label: "log, 1 caller", value: figures.one, unit, ratioTo: "bare put and flush, 1 caller" },
        { label: `bare put and flush, ${CROWD} callers`, value: figures.bareCrowd, unit },
        {
          label: `log, ${CROWD} callers`,
          value: figures.crowd,
          unit,
          ratioTo: `bare put and flush, ${CROWD} callers`,
        },
      ]
    } finally {
      await bare.close()
      await rm(directory, { recursive: true, force: true })
    }
  },
})
