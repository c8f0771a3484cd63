import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { describe } from "vitest"
import { openLmdbLog } from "../../../infra/log/lmdb/event-log.ts"
import { exportLog } from "../../../infra/log/transfer/export.ts"
import { exportedTopics } from "../../../infra/log/transfer/export-file.ts"
import { importLog } from "../../../infra/log/transfer/import.ts"
import type { LogRecord } from "../../../schemas/ports/event-log.ts"
import { topicNames, topicPolicy } from "../../../schemas/topics.ts"
import { scopedDirectory } from "../../support/scoped-directory.ts"
import { endOf, type MakeHarness, openAdapter, readThrough } from "./harness.ts"

const KEYS = 5
const RECORDS = 400

/** Records of every topic: text, other bytes, empty values, and removals in compacted topics. */
const records: ReadonlyArray<LogRecord> = Array.from({ length: RECORDS }, (_, n) => {
  const topic = exportedTopics[n % exportedTopics.length] ?? "deltas"
  const key = `key/${n % KEYS}`
  if (topicPolicy(topic).kept === "compacted" && n % 7 === 3) return { topic, key, value: null }
  if (n % 5 === 0)
    return { topic, key, value: Uint8Array.from({ length: n % 50 }, (_byte, index) => (n + index * 89) % 256) }
  return { topic, key, value: new TextEncoder().encode(JSON.stringify({ n, said: "\u2028 ünd \u0000" })) }
})

/** The number of records in the trailer of an export. */
const recordsIn = (lines: ReadonlyArray<string>): unknown => JSON.parse(lines.at(-1) ?? "{}").trailer.records

/** Export and import from this engine to the embedded one and back. */
export const transferTests = (makeHarness: MakeHarness): void => {
  describe("export and import", () => {
    it.live("carry the log to the embedded engine and back, byte for byte", () =>
      Effect.gen(function* () {
        const log = yield* openAdapter((yield* makeHarness).adapter)
        const writer = yield* log.claim("ingest", topicNames)
        for (let n = 0; n < RECORDS; n += 50) {
          const group = records.slice(n, n + 50)
          const { offsets } = yield* writer.commit(group)
          for (const topic of topicNames)
            yield* readThrough(log, topic, 0, endOf(offsets.filter((_, index) => group[index]?.topic === topic)))
        }
        const lines = yield* exportLog(log).pipe(Stream.runCollect)
        expect(lines.length).toBeGreaterThan(RECORDS / 2)

        const embedded = yield* openLmdbLog({ path: yield* scopedDirectory })
        expect(yield* importLog(embedded, Stream.fromIterable(lines))).toEqual({
          records: recordsIn(lines),
          resumedFrom: 0,
        })
        const there = yield* exportLog(embedded).pipe(Stream.runCollect)
        expect(there).toEqual(lines)

        const back = yield* openAdapter((yield* makeHarness).adapter)
        expect(yield* importLog(back, Stream.fromIterable(there))).toEqual({
          records: recordsIn(lines),
          resumedFrom: 0,
        })
        // The next claim of the name has every commit of the import below its ends.
        yield* back.claim("import", topicNames)
        expect(yield* exportLog(back).pipe(Stream.runCollect)).toEqual(lines)
      }),
    )
  })
}
