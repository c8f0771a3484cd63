import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Batch } from "../../schemas/ports/event-log.ts"
import { part, readLog, slicesOf } from "./slices.ts"
import { insertsOf } from "./targets.ts"

/** Batches of a topic whose offsets have gaps, with records of the given sizes. */
const batchesOf = (sizes: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<Batch> => {
  let offset = 0
  return sizes.map((batch) => {
    const records = batch.map((size) => {
      offset += 1 + (size % 3)
      return { offset, key: "k", value: new Uint8Array(size) }
    })
    offset += 2
    return { topic: "deltas" as const, records, next: offset }
  })
}

describe("slices", () => {
  it("cover the batches without gap or overlap, in order, within their bounds", () => {
    fc.assert(
      fc.property(fc.array(fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 12 }), { maxLength: 6 }), (sizes) => {
        const batches = batchesOf(sizes)
        const slices = slicesOf(0, batches, 5, 60)
        expect(slices.flatMap(({ records }) => records)).toEqual(batches.flatMap(({ records }) => records))
        let from = 0
        for (const slice of slices) {
          expect(slice.from).toBe(from)
          from = slice.to
          expect(slice.records.length).toBeLessThanOrEqual(5)
          const bytes = slice.records.reduce((sum, { value }) => sum + (value?.byteLength ?? 0), 0)
          expect(bytes <= 60 || slice.records.length === 1).toBe(true)
          for (const { offset } of slice.records) expect(offset >= slice.from && offset < slice.to).toBe(true)
        }
        expect(from).toBe(batches.at(-1)?.next ?? 0)
      }),
    )
  })

  it("leave out records before their start", () => {
    const batches = batchesOf([[1, 1, 1, 1]])
    const [slice] = slicesOf(5, batches)
    expect(slice?.from).toBe(5)
    expect(slice?.records.every(({ offset }) => offset >= 5)).toBe(true)
    expect(slice && part(slice, 6, 7).records.every(({ offset }) => offset === 6)).toBe(true)
  })
})

describe("readLog", () => {
  it("ends where it is told to, also in the midst of a batch that makes several slices", async () => {
    const batches = batchesOf([[1, 2], [1_400_000, 1_400_000, 1_400_000, 1_400_000, 1], [3]])
    const all = batches.flatMap(({ records }) => records.map(({ offset }) => offset))
    const log = { read: () => Stream.fromIterable(batches) }
    for (let to = 0; to <= (batches.at(-1)?.next ?? 0); to++) {
      const slices = await Effect.runPromise(Stream.runCollect(readLog(log, "deltas", 0, to)))
      let next = 0
      for (const slice of slices) {
        expect(slice.from, `to ${to}`).toBe(next)
        expect(slice.to, `to ${to}`).toBeGreaterThan(next)
        next = slice.to
      }
      expect(next).toBe(to)
      expect(slices.flatMap(({ records }) => records.map(({ offset }) => offset))).toEqual(
        all.filter((offset) => offset < to),
      )
    }
  })
})

describe("insertsOf", () => {
  const placed = (partition: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({ partition, row: { index, partition } }))

  it("gives each ClickHouse partition an insert with its own token, in a fixed order", () => {
    const inserts = insertsOf("t@0/1-9", [...placed("202602", 2), ...placed("202601", 1), ...placed("202602", 1)])
    expect(inserts.map(({ token, rows }) => [token, rows.length])).toEqual([
      ["t@0/1-9/202601/0", 1],
      ["t@0/1-9/202602/0", 3],
    ])
  })

  it("splits many rows in the same way each time", () => {
    const inserts = insertsOf("t", placed("p", 45_000))
    expect(inserts.map(({ rows }) => rows.length)).toEqual([20_000, 20_000, 5_000])
    expect(new Set(inserts.map(({ token }) => token)).size).toBe(3)
  })
})
