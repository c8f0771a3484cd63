import fc from "fast-check"
import { register } from "prom-client"
import { describe, expect, it } from "vitest"
import type { Topic } from "../../../schemas/topics.ts"
import { Cursor, REPEAT_MAX_OFFSETS } from "./read.ts"
import type { Fetched, FetchedRecord } from "./records.ts"

interface Written {
  /** Which commit it is of; none for a fence. */
  readonly commit: number | null
  readonly records: number
  /** Offsets of other records and markers before it. */
  readonly gap: number
}

const batchId = (commit: number) => `00000000-0000-4000-8000-${String(commit).padStart(12, "0")}/0`

/** The records of batches, in order. */
const logOf = (batches: ReadonlyArray<Written>): ReadonlyArray<FetchedRecord> => {
  let end = 0
  return batches.flatMap(({ commit, records, gap }) => {
    const base = end + gap
    end = base + records
    const headers = new Map(commit === null ? [] : [["tidewire-transaction", batchId(commit)]])
    const batch = { base, last: end - 1, headers }
    return Array.from({ length: records }, (_, n) => ({
      offset: base + n,
      key: `${commit}`,
      value: null,
      headers: n === 0 ? headers : new Map<string, string>(),
      batch,
    }))
  })
}

/** What a reader sees from an offset on, if each fetch gives the records of at most `fetchOffsets` offsets. */
const readFrom = (
  log: ReadonlyArray<FetchedRecord>,
  from: number,
  fetchOffsets: number,
  topic: Topic = "views",
): ReadonlyArray<number> => {
  const end = (log.at(-1)?.offset ?? -1) + 1
  const cursor = new Cursor(topic, from)
  const seen: Array<number> = []
  while (cursor.position < end) {
    const next = cursor.position + fetchOffsets
    const records = log.filter(({ offset }) => offset >= cursor.position && offset < next)
    const fetched: Pick<Fetched, "records" | "next"> = { records, next }
    seen.push(...cursor.take(fetched).map(({ offset }) => offset))
  }
  return seen
}

const someBatches: fc.Arbitrary<ReadonlyArray<Written>> = fc.array(
  fc.record({
    commit: fc.option(fc.nat(6), { freq: 5 }),
    records: fc.integer({ min: 1, max: 3 * REPEAT_MAX_OFFSETS }),
    gap: fc.oneof(fc.nat(3), fc.nat(2 * REPEAT_MAX_OFFSETS)),
  }),
  { maxLength: 20 },
)

describe("a commit that stands twice in the log", () => {
  it("is counted from 0, so that its alert sees the first one", async () => {
    new Cursor("quarantine", 0)
    expect(await register.getSingleMetric("tidewire_log_kafka_repeated_commits_total")?.get()).toMatchObject({
      values: expect.arrayContaining([{ labels: { topic: "quarantine" }, value: 0 }]),
    })
  })

  it("is seen once: its first copy", () => {
    const log = logOf([
      { commit: 1, records: 2, gap: 0 },
      { commit: 1, records: 2, gap: 0 },
      { commit: null, records: 1, gap: 0 },
      { commit: 2, records: 1, gap: 0 },
      { commit: 1, records: 2, gap: 20 },
      { commit: 2, records: 1, gap: REPEAT_MAX_OFFSETS },
    ])
    expect(readFrom(log, 0, 1_000)).toEqual([0, 1, 4, 5, 92])
  })

  it("is the same for readers that begin at any offset, within a batch too, and for fetches of any size", () =>
    fc.assert(
      fc.property(someBatches, fc.integer({ min: 1, max: 300 }), (batches, fetchOffsets) => {
        const log = logOf(batches)
        const all = readFrom(log, 0, 10_000)
        for (let from = 0; from <= (log.at(-1)?.offset ?? 0) + 1; from += 1 + (from % 7))
          expect(readFrom(log, from, fetchOffsets)).toEqual(all.filter((offset) => offset >= from))
      }),
      { numRuns: 25 },
    ))

  it("stays where its records may be repeated anyway", () => {
    const log = logOf([
      { commit: 1, records: 1, gap: 0 },
      { commit: 1, records: 1, gap: 0 },
    ])
    expect(readFrom(log, 0, 1_000, "usage")).toEqual([0, 1])
  })
})
