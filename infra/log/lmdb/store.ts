import { closeSync, fsyncSync, mkdirSync, openSync, realpathSync, renameSync } from "node:fs"
import { dirname } from "node:path"
import { type Database, open, type RootDatabase, type RootDatabaseOptions } from "lmdb"
import type { LogRecord, Offset } from "../../../schemas/ports/event-log.ts"
import { type Topic, topicNames, topicPolicy } from "../../../schemas/topics.ts"
import { makeRoom, type Room } from "../../system/disk.ts"
import { makeWriteGate, openAlone, type WriteGate } from "./gate.ts"

// The layout of the log in LMDB. Every topic has a database of records with the offset as key: an append adds to the end of
// a tree, which fills its pages. A compacted topic has two more:
//
// - `index`: from the key to the one record that is kept for it;
// - `removals`: the offsets of the removals, in order.
//
// A removal is a record without a value at its own offset, and replaces the record that it removes: a reader that was
// behind reads it and drops the key too. Beyond `REMOVALS_KEPT` the oldest removal is dropped; a reader that is further
// behind than that must start again at the first offset of the topic.
//
// Visible means durable: a transaction is flushed before it is committed (no overlapping sync), so no reader sees a record
// that a power cut could undo.

/**
 * Mapped address space; uses neither memory nor disk. By default the library remaps the file as it grows, from any thread
 * and without a lock (`mdb_env_set_mapsize`). 256 GiB fits into 39-bit address spaces.
 */
const MAP_BYTES = 256 * 1024 * 1024 * 1024

const FORMAT = 3
const FORMAT_KEY = "format"

/**
 * Topics whose records LMDB compresses (LZ4): documents shrink to a fifth or a quarter, with no processor time that is
 * measurable beside the commit (`npm run bench -- log-compression`). Records of `ledger` and `usage` are smaller than
 * the smallest record that is compressed.
 */
export const COMPRESSED: ReadonlyArray<Topic> = [
  "observations",
  "views",
  "checkpoints",
  "digests",
  "deltas",
  "versions",
  "replies",
  "quarantine",
]

/** The record that the index of a compacted topic holds for a key. */
interface IndexedRecord {
  readonly offset: Offset
  readonly bytes: number
  readonly removal: boolean
}

interface Compaction {
  readonly index: Database<IndexedRecord, Uint8Array>
  readonly removals: Database<true, number>
}

/** The databases of one topic; `compaction` is absent for topics that are not compacted. */
export interface TopicStore {
  readonly records: Database<Entry, number>
  readonly compaction: Compaction | undefined
}

/** The databases of one opened log. */
export interface Store {
  readonly root: RootDatabase<unknown, string>
  readonly meta: Database<unknown, string>
  readonly topics: ReadonlyMap<Topic, TopicStore>
  /** Every write transaction passes through it. */
  readonly gate: WriteGate
  /** Refuses writes while the disk is known to be full. */
  readonly room: Room
}

/** Flushes the names of a directory: after a power cut a flushed file is lost if its name was not flushed. */
const flushDirectory = (path: string): void => {
  // Windows cannot open a directory; NTFS journals its names.
  if (process.platform === "win32") return
  const descriptor = openSync(path, "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Names a closed log's folder, so that the name survives a power cut. */
export const renameDurably = (from: string, to: string): void => {
  renameSync(from, to)
  flushDirectory(dirname(to))
}

const openStore = (path: string, compressed: ReadonlyArray<Topic>, readOnly: boolean): Store => {
  const root: RootDatabase<unknown, string> = open({
    path,
    readOnly,
    noSubdir: false,
    overlappingSync: false,
    // Batches of an event turn are off: a failed one rejects an internal promise that cannot be handled.
    eventTurnBatching: false,
    mapSize: MAP_BYTES,
    maxDbs: 4 * topicNames.length + 1,
  })
  const meta = root.openDB<unknown, string>("meta", { encoding: "json" })
  const format = meta.get(FORMAT_KEY)
  if (format === undefined && !readOnly) {
    meta.putSync(FORMAT_KEY, FORMAT)
    flushDirectory(path)
    flushDirectory(dirname(path))
  } else if (format !== FORMAT) {
    void root.close()
    throw new Error(
      `its format is ${format === undefined ? "none" : String(format)}, this Tidewire reads ${FORMAT}: choose another DATA_DIR, or keep the Tidewire that wrote it`,
    )
  }
  const topics = new Map(
    topicNames.flatMap((topic): ReadonlyArray<readonly [Topic, TopicStore]> => {
      const options = recordDatabaseOptions(compressed.includes(topic))
      // Opened for reading, a database that the log does not have yet is undefined, whatever its type says.
      const records: Database<Entry, number> | undefined = root.openDB<Entry, number>(`records/${topic}`, options)
      if (records === undefined) return []
      const compaction =
        topicPolicy(topic).kept === "compacted"
          ? {
              index: root.openDB<IndexedRecord, Uint8Array>(`index/${topic}`, {
                encoding: "json",
                keyEncoding: "binary",
              }),
              removals: root.openDB<true, number>(`removals/${topic}`, { encoding: "json" }),
            }
          : undefined
      return [[topic, { records, compaction }]]
    }),
  )
  return { root, meta, topics, gate: makeWriteGate(path), room: makeRoom(path) }
}

interface SharedStore {
  readonly store: Store
  holders: number
}

// One store for each path and thread: two in one thread would wait for each other's transactions and deadlock.
const sharedStores = new Map<string, SharedStore>()

/**
 * Opens the log at a path, or shares this thread's open store. Throws if it cannot be used. Release with `releaseStore`. With
 * `readOnly` nothing is written or created: topics that the log does not have yet cannot be read, and every write fails.
 */
export const acquireStore = (
  directory: string,
  compressed: ReadonlyArray<Topic> = COMPRESSED,
  readOnly = false,
): { readonly path: string; readonly store: Store } => {
  if (!readOnly) mkdirSync(directory, { recursive: true })
  const path = realpathSync(directory)
  const shared = sharedStores.get(path) ?? {
    store: openAlone(path, () => openStore(path, compressed, readOnly)),
    holders: 0,
  }
  sharedStores.set(path, shared)
  shared.holders += 1
  return { path, store: shared.store }
}

/** Releases a share. The last release waits for pending writes and closes the store. */
export const releaseStore = async (path: string): Promise<void> => {
  const shared = sharedStores.get(path)
  if (shared === undefined) return
  shared.holders -= 1
  if (shared.holders > 0) return
  sharedStores.delete(path)
  await shared.store.root.close()
  shared.store.gate.close()
}

// The bytes of a record on disk: kind (value or removal), length of the key, key, value.

const HEADER_BYTES = 5
const VALUE = 0
const REMOVAL = 1
/** LMDB compresses larger records only: smaller ones gain nothing. */
const COMPRESSED_MIN_BYTES = 1_000

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
const recordDatabaseOptions = (compressed: boolean): RootDatabaseOptions => ({
  encoder: frameEncoder,
  compression: compressed ? { threshold: COMPRESSED_MIN_BYTES } : false,
})
