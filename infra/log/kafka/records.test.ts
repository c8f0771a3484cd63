import { createRequire } from "node:module"
import { describe, expect, it } from "vitest"
import "./session.ts"
import { decodeBatches } from "./records.ts"

// Batches as kafkajs writes them: an encoder that has nothing in common with the decoder under test.
const load = createRequire(import.meta.url)
const { RecordBatch } = load("kafkajs/src/protocol/recordBatch/v0/index.js")
const encodeRecord = load("kafkajs/src/protocol/recordBatch/record/v0/index.js")
const Long = load("kafkajs/src/utils/long.js")

const ATTRIBUTES_AT = 21
const CONTROL_FLAG = 0x20
const COMPRESSION = { gzip: 1, zstd: 4 } as const

interface Written {
  readonly at: number
  readonly texts: ReadonlyArray<string | null>
  readonly producer?: number
  /** Offsets that the batch takes, where compaction has left fewer records. */
  readonly span?: number
  readonly packed?: "gzip" | "zstd"
  readonly headers?: Readonly<Record<string, string>>
}

const batch = async ({ at, texts, producer, span, packed, headers }: Written): Promise<Buffer> => {
  const records = texts.map((text, offsetDelta) =>
    encodeRecord({
      offsetDelta,
      key: Buffer.from(`k${at + offsetDelta}`),
      value: text === null ? null : Buffer.from(text),
      headers: offsetDelta === 0 ? headers : {},
    }),
  )
  const encoded = await RecordBatch({
    compression: packed === undefined ? 0 : COMPRESSION[packed],
    firstOffset: Long.fromNumber(at),
    lastOffsetDelta: (span ?? texts.length) - 1,
    transactional: producer !== undefined,
    producerId: Long.fromNumber(producer ?? -1),
    records,
  })
  return encoded.buffer
}

/** The record that ends a transaction; none where compaction has taken it. */
const marker = async (at: number, producer: number, kind: "commit" | "abort"): Promise<Buffer> => {
  const key = Buffer.from([0, 0, 0, kind === "commit" ? 1 : 0])
  const encoded = await RecordBatch({
    firstOffset: Long.fromNumber(at),
    transactional: true,
    producerId: Long.fromNumber(producer),
    records: [encodeRecord({ key, value: Buffer.alloc(6) })],
  })
  const bytes: Buffer = encoded.buffer
  bytes.writeInt16BE(bytes.readInt16BE(ATTRIBUTES_AT) | CONTROL_FLAG, ATTRIBUTES_AT)
  return bytes
}

const seen = (
  bytes: Buffer,
  from: number,
  aborted: ReadonlyArray<{ readonly producerId: bigint; readonly firstOffset: number }> = [],
) => {
  const { records, next } = decodeBatches(bytes, from, aborted)
  return { next, records: records.map(({ offset, value }) => [offset, value?.toString() ?? null]) }
}

describe("decoding record batches", () => {
  it("gives every record from the requested offset on, with key, value and headers", async () => {
    const bytes = Buffer.concat([
      await batch({ at: 5, texts: ["a", null, ""], headers: { name: "wert" } }),
      await batch({ at: 8, texts: ["d"], packed: "gzip" }),
      await batch({ at: 9, texts: ["e", null], packed: "zstd" }),
    ])
    expect(seen(bytes, 5)).toEqual({
      next: 11,
      records: [
        [5, "a"],
        [6, null],
        [7, ""],
        [8, "d"],
        [9, "e"],
        [10, null],
      ],
    })
    expect(seen(bytes, 7).records).toEqual([
      [7, ""],
      [8, "d"],
      [9, "e"],
      [10, null],
    ])
    const { records } = decodeBatches(bytes, 5, [])
    expect(records.map(({ key }) => key)).toEqual(["k5", "k6", "k7", "k8", "k9", "k10"])
    expect([...(records[0]?.headers ?? [])]).toEqual([["name", "wert"]])
    expect(records[1]?.headers.size).toBe(0)
  })

  it("leaves a truncated batch for the next fetch", async () => {
    const whole = await batch({ at: 0, texts: ["a"] })
    const cut = await batch({ at: 1, texts: ["b"] })
    for (let bytes = 0; bytes < cut.length; bytes += 7) {
      const found = seen(Buffer.concat([whole, cut.subarray(0, bytes)]), 0)
      expect(found).toEqual({ next: 1, records: [[0, "a"]] })
    }
  })

  it("advances over the offsets of batches that compaction has emptied", async () => {
    const emptied = await batch({ at: 3, texts: [], span: 40, producer: 9 })
    expect(seen(emptied, 3)).toEqual({ next: 43, records: [] })
    expect(seen(Buffer.concat([emptied, await batch({ at: 50, texts: ["x"], span: 10 })]), 3)).toEqual({
      next: 60,
      records: [[50, "x"]],
    })
  })

  it("omits the records of aborted transactions, even if several overlap and began before the fetch", async () => {
    const bytes = Buffer.concat([
      await batch({ at: 10, texts: ["second, aborted"], producer: 2 }),
      await batch({ at: 11, texts: ["first, aborted"], producer: 1 }),
      await batch({ at: 12, texts: ["third, committed"], producer: 3 }),
      await marker(13, 2, "abort"),
      await batch({ at: 14, texts: ["second, later"], producer: 2 }),
      await marker(15, 1, "abort"),
      await marker(16, 2, "commit"),
      await marker(17, 3, "commit"),
      await batch({ at: 18, texts: ["without a transaction"] }),
    ])
    const aborted = [
      { producerId: 1n, firstOffset: 2 },
      { producerId: 2n, firstOffset: 4 },
    ]
    expect(seen(bytes, 10, aborted)).toEqual({
      next: 19,
      records: [
        [12, "third, committed"],
        [14, "second, later"],
        [18, "without a transaction"],
      ],
    })
  })

  it("refuses an unknown format or compression", async () => {
    const bytes = await batch({ at: 0, texts: ["a"] })
    const lz4 = Buffer.from(bytes)
    lz4.writeInt16BE(3, ATTRIBUTES_AT)
    expect(() => decodeBatches(lz4, 0, [])).toThrow(/compression 3/)
    const old = Buffer.from(bytes)
    old.writeInt8(1, 16)
    expect(() => decodeBatches(old, 0, [])).toThrow(/format 1/)
  })
})
