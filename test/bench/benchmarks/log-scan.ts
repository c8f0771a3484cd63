import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { open } from "lmdb"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import { benchmark, interleaved } from "../benchmark.ts"

const RECORD_BYTES = 300
const RECORDS = 200_000
const GROUP = 1_000
const ROUNDS = 7

const perSecond = async (scan: () => Promise<number>): Promise<number> => {
  const begin = performance.now()
  const count = await scan()
  if (count !== RECORDS) throw new Error(`${count} of ${RECORDS} records were read`)
  return (count * 1000) / (performance.now() - begin)
}

/** Records read a second from the first to the last, beside a bare range over the same bytes. */
export const logScan = benchmark({
  name: "log-scan",
  title: `reading ${RECORDS.toLocaleString("en-US")} records of ${RECORD_BYTES} bytes, embedded log`,
  budget: [{ label: "log", of: "ratio", atLeast: 0.4 }],
  run: async () => {
    const directory = await mkdtemp(join(tmpdir(), "tidewire-bench-"))
    const value = new Uint8Array(RECORD_BYTES).fill(120)
    const bare = open<Buffer, number>({ path: join(directory, "bare"), noSubdir: false, encoding: "binary" })
    for (let n = 0; n < RECORDS; n += GROUP)
      await bare.batch(() => {
        for (let index = n; index < n + GROUP; index++) void bare.put(index, Buffer.from(value))
      })
    const range = async () => {
      let count = 0
      let bytes = 0
      for (const entry of bare.getRange({ start: 0 })) {
        count += 1
        bytes += entry.value.length
      }
      return bytes === RECORDS * RECORD_BYTES ? count : 0
    }
    const measure = Effect.gen(function* () {
      const log = yield* openLmdbLog({ path: join(directory, "log") })
      const writer = yield* log.claim("bench", ["observations"])
      const group = Array.from({ length: GROUP }, () => ({ topic: "observations" as const, key: "bench", value }))
      for (let n = 0; n < RECORDS; n += GROUP) yield* writer.commit(group)
      const scan = log.read("observations", 0).pipe(
        Stream.runFold(
          () => 0,
          (count, batch) => count + batch.records.length,
        ),
      )
      return yield* Effect.promise(() =>
        interleaved(ROUNDS, {
          log: () => perSecond(() => Effect.runPromise(scan)),
          range: () => perSecond(range),
        }),
      )
    })
    try {
      const figures = await Effect.runPromise(Effect.scoped(measure))
      return [
        { label: "bare range", value: figures.range, unit: "records/s" },
        { label: "log", value: figures.log, unit: "records/s", ratioTo: "bare range" },
      ]
    } finally {
      await bare.close()
      await rm(directory, { recursive: true, force: true })
    }
  },
})
