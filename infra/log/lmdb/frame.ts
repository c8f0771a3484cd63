import type { RootDatabaseOptions } from "lmdb"
import type { LogRecord } from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"

// The bytes of a record on disk: kind (value or removal), length of the key, key, value.

const HEADER_BYTES = 5
const VALUE = 0
const REMOVAL = 1
/** LMDB compresses larger records only: smaller ones gain nothing. */
const COMPRESSED_BYTES_MIN = 1_000

/** A stored record. `encoded` is present before a write and absent after a read. */
export interface Entry {
  readonly key: string
  readonly value: Uint8Array | null
  readonly bytes: number
  readonly encoded?: Buffer
}

/** A record to write. It is encoded before the transaction begins, which shortens the time under the write lock. */
export interface Frame {
  readonly topic: Topic
  readonly key: string
  readonly entry: Entry
}

/** Encodes a record. */
export const frameOf = ({ topic, key, value }: LogRecord): Frame => {
  const keyBytes = Buffer.byteLength(key)
  const encoded = Buffer.allocUnsafe(HEADER_BYTES + keyBytes + (value?.length ?? 0))
  encoded.writeUInt8(value === null ? REMOVAL : VALUE, 0)
  encoded.writeUInt32LE(keyBytes, 1)
  encoded.write(key, HEADER_BYTES)
  if (value !== null) encoded.set(value, HEADER_BYTES + keyBytes)
  return { topic, key, entry: { key, value, bytes: encoded.length, encoded } }
}

const frameEncoder = {
  encode: ({ encoded }: Entry): Buffer | undefined => encoded,
  /** Copies the value: the library reuses the memory of `bytes`. */
  decode: (bytes: Uint8Array): Entry => {
    const frame = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    const valueStart = HEADER_BYTES + frame.readUInt32LE(1)
    const removal = frame[0] === REMOVAL
    const value = removal ? null : Buffer.allocUnsafe(frame.length - valueStart)
    if (value !== null) frame.copy(value, 0, valueStart, frame.length)
    return { key: frame.toString("utf8", HEADER_BYTES, valueStart), value, bytes: frame.length }
  },
}

/** Options of a database of records. The library accepts `encoder` for every database; its types declare it for the root. */
export const recordDatabaseOptions = (compressed: boolean): RootDatabaseOptions => ({
  encoder: frameEncoder,
  compression: compressed ? { threshold: COMPRESSED_BYTES_MIN } : false,
})
