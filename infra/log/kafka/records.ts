import { gunzipSync, zstdDecompressSync } from "node:zlib"
import type { Message } from "kafkajs"
import type { Offset, StoredRecord } from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"

/** The batch in which a record was written. */
export interface FetchedBatch {
  /** The offsets that it took, which stay its own when compaction removes records. */
  readonly base: Offset
  readonly last: Offset
  /** The headers of its first record that is still there. */
  readonly headers: ReadonlyMap<string, string>
}

/** A record with its headers and its batch, which only this adapter uses. */
export interface FetchedRecord extends StoredRecord {
  readonly headers: ReadonlyMap<string, string>
  readonly batch: FetchedBatch
}

/** The committed records of one fetched partition, in order. */
export interface Fetched {
  readonly errorCode: number
  readonly records: ReadonlyArray<FetchedRecord>
  /** The offset to fetch next: after every complete batch, including those that compaction has emptied. */
  readonly next: Offset
  /** Below this offset every transaction has ended. */
  readonly stableEnd: Offset
}

const NO_HEADERS: ReadonlyMap<string, string> = new Map()
const BATCH_PREFIX_BYTES = 12
const BATCH_HEADER_BYTES = 61
const MAGIC = 2
const COMPRESSION_MASK = 0x7
const GZIP = 1
const ZSTD = 4
/** The largest batch after decompression: several times the largest commit. */
const UNPACKED_MAX_BYTES = 256 * 1024 * 1024
const TRANSACTIONAL_FLAG = 0x10
const CONTROL_FLAG = 0x20
/** The type in the key of a control record that ends an aborted transaction; 1 ends a committed one. */
const ABORT_MARKER = 0

class ByteReader {
  readonly bytes: Buffer
  position: number

  constructor(bytes: Buffer, position = 0) {
    this.bytes = bytes
    this.position = position
  }

  int16(): number {
    this.position += 2
    return this.bytes.readInt16BE(this.position - 2)
  }

  int32(): number {
    this.position += 4
    return this.bytes.readInt32BE(this.position - 4)
  }

  /** Offsets stay below 2^53: at a million records a second that is 285 years. */
  int64(): number {
    this.position += 8
    return Number(this.bytes.readBigInt64BE(this.position - 8))
  }

  /** A producer's id, which is only compared. */
  id(): bigint {
    this.position += 8
    return this.bytes.readBigInt64BE(this.position - 8)
  }

  string(): string {
    const length = this.int16()
    return length < 0 ? "" : this.take(length).toString("utf8")
  }

  varint(): number {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = this.bytes.readUInt8(this.position++)
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2
    }
  }

  take(length: number): Buffer {
    this.position += length
    return this.bytes.subarray(this.position - length, this.position)
  }

  /** Length-prefixed bytes; null if the length is -1. */
  bytesOrNull(): Buffer | null {
    const length = this.varint()
    return length < 0 ? null : this.take(length)
  }
}

interface Aborted {
  readonly producerId: bigint
  readonly firstOffset: Offset
}

/** Decodes the one partition of a fetch response, version 11. `fetchedFrom` is the requested offset. */
export const decodeFetch = (response: Buffer, fetchedFrom: Offset): Fetched => {
  const cursor = new ByteReader(response)
  cursor.int32() // throttle time
  const requestError = cursor.int16()
  cursor.int32() // session
  if (requestError !== 0 || cursor.int32() === 0) {
    return { errorCode: requestError, records: [], next: fetchedFrom, stableEnd: fetchedFrom }
  }
  cursor.string()
  cursor.int32() // partitions: one
  cursor.int32() // its number: 0
  const errorCode = cursor.int16()
  cursor.int64() // high watermark
  const stableEnd = cursor.int64()
  cursor.int64() // start
  const abortedCount = cursor.int32()
  const aborted: Array<Aborted> = []
  for (let n = 0; n < abortedCount; n++) aborted.push({ producerId: cursor.id(), firstOffset: cursor.int64() })
  cursor.int32() // preferred replica
  const length = Math.max(0, cursor.int32())
  return { errorCode, stableEnd, ...decodeBatches(cursor.take(length), fetchedFrom, aborted) }
}

/**
 * Decodes the committed records of consecutive batches, from `fetchedFrom` on. A truncated last batch is left for the next
 * fetch. Batches of aborted transactions, markers and batches that compaction has emptied yield no records, but their
 * offsets advance `next`.
 */
export const decodeBatches = (
  bytes: Buffer,
  fetchedFrom: Offset,
  aborted: ReadonlyArray<Aborted>,
): Pick<Fetched, "records" | "next"> => {
  const waiting = [...aborted].sort((a, b) => a.firstOffset - b.firstOffset)
  const inAborted = new Set<bigint>()
  const records: Array<FetchedRecord> = []
  let next = fetchedFrom
  for (let start = 0; start + BATCH_HEADER_BYTES <= bytes.length; ) {
    const end = start + BATCH_PREFIX_BYTES + bytes.readInt32BE(start + 8)
    if (end > bytes.length) break
    const batch = new ByteReader(bytes.subarray(start, end))
    start = end
    const base = batch.int64()
    batch.position = 16
    const magic = batch.bytes.readInt8(batch.position)
    if (magic !== MAGIC) throw new Error(`record batch of an unknown format ${magic}`)
    batch.position = 21
    const attributes = batch.int16()
    const last = base + batch.int32()
    batch.position = 43
    const producerId = batch.id()
    next = Math.max(next, last + 1)
    while (waiting[0] !== undefined && waiting[0].firstOffset <= last) {
      inAborted.add(waiting[0].producerId)
      waiting.shift()
    }
    batch.position = 57
    if ((attributes & CONTROL_FLAG) !== 0) {
      if (markerType(batch) === ABORT_MARKER) inAborted.delete(producerId)
    } else if ((attributes & TRANSACTIONAL_FLAG) === 0 || !inAborted.has(producerId)) {
      decodeRecords(batch, attributes, base, last, fetchedFrom, records)
    }
  }
  return { records, next }
}

const markerType = (batch: ByteReader): number | undefined => {
  // Compaction may have removed the record of the marker's batch.
  if (batch.int32() === 0) return undefined
  batch.varint()
  batch.position += 1
  batch.varint()
  batch.varint()
  return batch.bytesOrNull()?.readInt16BE(2)
}

/** Decompresses the records of a batch. */
const decompress = (batch: ByteReader, compression: number): ByteReader => {
  if (compression === 0) return batch
  const packed = batch.bytes.subarray(batch.position)
  const bounds = { maxOutputLength: UNPACKED_MAX_BYTES }
  if (compression === GZIP) return new ByteReader(gunzipSync(packed, bounds))
  if (compression === ZSTD) return new ByteReader(zstdDecompressSync(packed, bounds))
  throw new Error(
    `record batch with compression ${compression}; the topic's compression.type must be producer, zstd or gzip`,
  )
}

const decodeRecords = (
  batch: ByteReader,
  attributes: number,
  base: Offset,
  last: Offset,
  fetchedFrom: Offset,
  into: Array<FetchedRecord>,
): void => {
  const count = batch.int32()
  const cursor = decompress(batch, attributes & COMPRESSION_MASK)
  let own: FetchedBatch | undefined
  for (let n = 0; n < count; n++) {
    const length = cursor.varint()
    const end = cursor.position + length
    cursor.position += 1
    cursor.varint() // timestamp
    const offset = base + cursor.varint()
    // A fetch returns whole batches: records before the requested offset are skipped.
    if (own === undefined || offset >= fetchedFrom) {
      const key = cursor.bytesOrNull()
      const value = cursor.bytesOrNull()
      const headers = decodeHeaders(cursor)
      own ??= { base, last, headers }
      if (offset >= fetchedFrom)
        into.push({ offset, key: key === null ? "" : key.toString("utf8"), value, headers, batch: own })
    }
    cursor.position = end
  }
}

const decodeHeaders = (cursor: ByteReader): ReadonlyMap<string, string> => {
  const count = cursor.varint()
  if (count === 0) return NO_HEADERS
  const headers = new Map<string, string>()
  for (let n = 0; n < count; n++) {
    const name = cursor.bytesOrNull()?.toString("utf8") ?? ""
    headers.set(name, cursor.bytesOrNull()?.toString("utf8") ?? "")
  }
  return headers
}

/** Header of fence records: the claim that wrote it, and the offset of that claim. Readers never see fences. */
const FENCE_HEADER = "tidewire-fence"
/** Header of the first record of each batch: the transaction's id, and the number of its earlier records in the topic. */
export const TRANSACTION_HEADER = "tidewire-transaction"

const BATCH_ID = /^[0-9a-f-]{36}\/\d+$/

/** The id of a batch: its transaction, and its place in it. Null for fences, and for what is not written in a commit. */
export const batchIdOf = ({ headers }: FetchedBatch): string | null => {
  const id = headers.get(TRANSACTION_HEADER)
  return id !== undefined && BATCH_ID.test(id) ? id : null
}

/** Tests whether a record is a claim's fence. */
export const isFence = (record: FetchedRecord): boolean => record.headers.has(FENCE_HEADER)

const fenceKey = (writer: string): string => `__fence/${writer}`

/**
 * The topic that every claim fences beside its own: the offset of a claim's first fence in it orders all claims, and the
 * latest claim of a name is the valid one.
 */
export const FENCE_TOPIC: Topic = "checkpoints"

/**
 * Makes a fence: `claimedAt` is the offset of the claim's first fence in `FENCE_TOPIC`, null in that first one. It has a key
 * and an empty value, so that compaction keeps the latest fence of each writer.
 */
export const fenceMessage = (writer: string, claim: string, claimedAt: Offset | null): Message => ({
  key: fenceKey(writer),
  value: Buffer.alloc(0),
  headers: { [FENCE_HEADER]: claimedAt === null ? claim : `${claim}/${claimedAt}` },
})

/** Tests whether a record of `FENCE_TOPIC` is the fence of a claim of the same name after the one at `claimedAt`. */
export const isLaterClaim = (record: FetchedRecord, writer: string, claim: string, claimedAt: Offset): boolean => {
  const [by, at] = record.headers.get(FENCE_HEADER)?.split("/") ?? []
  if (by === undefined || by === claim || record.key !== fenceKey(writer)) return false
  return (at === undefined ? record.offset : Number(at)) > claimedAt
}
