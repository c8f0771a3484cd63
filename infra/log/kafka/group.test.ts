import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { LogRecord } from "../../../schemas/ports/event-log.ts"
import { type Topic, topicNames } from "../../../schemas/topics.ts"
import { Bases, layOut } from "./group.ts"
import { type FetchedRecord, fenceMessage, isFence, isLaterClaim } from "./records.ts"

const BATCH_MAX_BYTES = 1_000
const limits = new Map(
  topicNames.map((topic) => [topic, { batchBytesMax: BATCH_MAX_BYTES, recordBytesMax: BATCH_MAX_BYTES }] as const),
)

const someRecords: fc.Arbitrary<ReadonlyArray<LogRecord>> = fc.array(
  fc.record({
    topic: fc.constantFrom<Topic>("views", "deltas", "checkpoints"),
    key: fc.string({ maxLength: 5 }),
    value: fc.option(fc.uint8Array({ maxLength: 300 })),
  }),
  { minLength: 1, maxLength: 60 },
)

const stored = (offset: number, key: string, headers: object | undefined): FetchedRecord => ({
  offset,
  key,
  value: Buffer.alloc(0),
  headers: new Map(Object.entries(headers ?? {})),
  batch: { base: offset, last: offset, headers: new Map(Object.entries(headers ?? {})) },
})

describe("a transaction's layout", () => {
  it("keeps the order of each topic's records, in batches within the broker's limit", () =>
    fc.assert(
      fc.property(someRecords, (records) => {
        const { requests } = layOut("id", records, limits)
        for (const topic of new Set(records.map((record) => record.topic))) {
          const messages = requests.flatMap((request) => request.get(topic)?.messages ?? [])
          const wanted = records.filter((record) => record.topic === topic)
          expect(messages.map(({ key }) => key?.toString())).toEqual(wanted.map(({ key }) => key))
          expect(messages.map(({ value }) => (value === null ? null : Buffer.from(value)))).toEqual(
            wanted.map(({ value }) => (value === null ? null : Buffer.from(value))),
          )
        }
        for (const request of requests) {
          for (const { messages } of request.values()) {
            const bytes = messages.reduce((sum, { value }) => sum + (value?.length ?? 0), 0)
            expect(messages.length === 1 || bytes <= BATCH_MAX_BYTES).toBe(true)
          }
        }
      }),
    ))

  it("finds its records in the log by their headers", () =>
    fc.assert(
      fc.property(someRecords, fc.array(fc.nat(5), { maxLength: 60 }), (records, gaps) => {
        const layout = layOut("id", records, limits)
        const ends = new Map<Topic, number>()
        const bases = new Bases()
        const offsets = new Map<Topic, Array<number>>()
        let batches = 0
        for (const request of layout.requests) {
          for (const [topic, { messages }] of request) {
            // Others write between two batches, never within one.
            let offset = (ends.get(topic) ?? 0) + (gaps[batches++] ?? 0)
            bases.addWhenOf("id", topic, stored(offset, "k", { "tidewire-transaction": "other/0" }))
            for (const { key, headers } of messages) {
              bases.addWhenOf("id", topic, stored(offset, String(key), headers))
              offsets.set(topic, [...(offsets.get(topic) ?? []), offset++])
            }
            ends.set(topic, offset)
          }
        }
        const expected = records.map(({ topic }) => offsets.get(topic)?.shift())
        expect(bases.offsetsOf(layout)).toEqual(expected)
      }),
    ))
})

describe("a commit that stands twice in the log", () => {
  it("has the offsets of its first copy", () => {
    const layout = layOut("id", [{ topic: "views", key: "k", value: null }], limits)
    const headers = layout.requests[0]?.get("views")?.messages[0]?.headers
    const bases = new Bases()
    for (const offset of [4, 9]) bases.addWhenOf("id", "views", stored(offset, "k", headers))
    expect(bases.offsetsOf(layout)).toEqual([4])
  })
})

describe("a fence", () => {
  const fence = (offset: number, writer: string, claim: string, claimedAt: number | null) => {
    const { key, headers } = fenceMessage(writer, claim, claimedAt)
    return stored(offset, String(key), headers)
  }

  it("is distinguished from a record", () => {
    expect(isFence(fence(1, "ingest", "a", null))).toBe(true)
    expect(isFence(stored(1, "__fence/ingest", undefined))).toBe(false)
  })

  it("ends the claims before it, and not those after it", () => {
    // Claimed at 10; found at 30.
    const later = (found: FetchedRecord) => isLaterClaim(found, "ingest", "mine", 10)
    expect(later(fence(30, "ingest", "theirs", null))).toBe(true)
    expect(later(fence(30, "ingest", "theirs", 20))).toBe(true)
    // An earlier holder that had not noticed: its fence stands later, its claim does not.
    expect(later(fence(30, "ingest", "theirs", 5))).toBe(false)
    expect(later(fence(30, "ingest", "mine", 10))).toBe(false)
    expect(later(fence(30, "other", "theirs", null))).toBe(false)
    expect(later(stored(30, "__fence/ingest", undefined))).toBe(false)
  })
})
