import { createHash } from "node:crypto"
import { closeSync, fsyncSync, mkdirSync, openSync, realpathSync } from "node:fs"
import { dirname } from "node:path"
import { type Database, open, type RootDatabase, type RootDatabaseOptions } from "lmdb"
import type { LogRecord, Offset, StoredRecord } from "../../../schemas/ports/event-log.ts"
import { type Topic, topicNames, topicPolicy } from "../../../schemas/topics.ts"
import { makeRoom, type Room } from "../../config/disk.ts"
import { type Gate, makeGate, openAlone } from "./gate.ts"

// How the log lies in LMDB. Every topic has a database of its own, with the offset as key: its order is [topic, offset],
// and an append is an append to the end of a tree, which fills pages whole. Beside it, for a compacted topic:
//
// - an index, from key to the one record of that key that is kept;
// - the removals, in the order of their offsets.
//
// A removal is itself a record (without a value) at an offset of its own, and takes the place of what it removes: a
// reader that was away finds it and drops the key too. Removals would add up for ever, so the oldest goes when there are
// more than `REMOVALS_KEPT`. A reader that is further behind than that must begin again from the start of the topic.
//
// Visible is durable: transactions are flushed before they are committed (no overlapping sync), so nobody reads, folds or
// passes on a record that a power cut could take back.

/** Removals that a compacted topic keeps for readers that are behind. */
export const REMOVALS_KEPT = 100_000

/** One slice of reading: between two slices nothing of the log is held, and other work has its turn. */
export const SLICE_RECORDS_MAX = 1_000
export const SLICE_BYTES_MAX = 4 * 1024 * 1024

/**
 * How much of the file is mapped: address space, neither memory nor disk. Left to itself, the library maps the file anew
 * when it outgrows its map, from any thread and without a lock (`mdb_env_set_mapsize`). 256 GiB fit where addresses have 39
 * bits.
 */
const MAP_BYTES = 256 * 1024 * 1024 * 1024

const FORMAT = 2
/**
 * Topics whose records LMDB packs (LZ4): a document takes a fifth to a quarter of its room, at no processor time that
 * shows beside the commit (`npm run bench -- log-compression`). Entries of the ledger, and counts of requests, are smaller than what is packed at
 * all, and stand in the file as they are.
 */
export const COMPRESSED: ReadonlyArray<Topic> = [
  "observations",
  "views",
  "checkpoints",
  "digests",
  "deltas",
  "replies",
  "quarantine",
]
/** A smaller record gains nothing. */
const COMPRESSED_BYTES_MIN = 1_000

const FORMAT_KEY = "format"
const HEADER_BYTES = 5
const INDEX_KEY_BYTES_MAX = 500
const VALUE = 0
const REMOVAL = 1

/** The end of a topic, the bytes of the records it keeps, and how many of them are removals. */
interface Head {
  readonly end: Offset
  readonly bytes: number
  readonly removals: number
}

/** What the index of a compacted topic knows of the record that it keeps for a key. */
interface Kept {
  readonly offset: Offset
  readonly bytes: number
  readonly removal: boolean
}

interface Compaction {
  readonly index: Database<Kept, Uint8Array>
  readonly removals: Database<true, number>
}

interface TopicStore {
  readonly records: Database<Entry, number>
  readonly compaction: Compaction | undefined
}

/** The databases of one opened log. */
export interface Store {
  readonly root: RootDatabase<unknown, string>
  readonly meta: Database<unknown, string>
  readonly topics: ReadonlyMap<Topic, TopicStore>
  /** Where every transaction that writes must pass. */
  readonly gate: Gate
  /** Whether the disk takes what is written. */
  readonly room: Room
}

/** A record as it is written: encoded before the transaction begins, so that the lock is held for less. */
export interface Frame {
  readonly topic: Topic
  readonly key: string
  readonly entry: Entry
}

/** What stands at an offset. `encoded` is there when it comes from us, not when it comes from the disk. */
interface Entry {
  readonly key: string
  readonly value: Uint8Array | null
  readonly bytes: number
  readonly encoded?: Buffer
}

/** Some records of a topic from an offset on, the offset to go on from, and the end of the topic. */
export interface Slice {
  readonly records: ReadonlyArray<StoredRecord>
  readonly next: Offset
  readonly end: Offset
}

/** The records would exceed the bytes that the log may keep. Thrown inside a transaction, it undoes it. */
export class BytesExceeded extends Error {}

/** A record with its bytes: what kind, how long the key, the key, the value. */
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
  /** The bytes belong to the library, which uses them again: what leaves here is a copy, small ones from one pool. */
  decode: (bytes: Uint8Array): Entry => {
    const frame = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    const valueStart = HEADER_BYTES + frame.readUInt32LE(1)
    const removal = frame[0] === REMOVAL
    const value = removal ? null : Buffer.allocUnsafe(frame.length - valueStart)
    if (value !== null) frame.copy(value, 0, valueStart, frame.length)
    return { key: frame.toString("utf8", HEADER_BYTES, valueStart), value, bytes: frame.length }
  },
}

// The library takes an encoder for any database; its types know it for the root alone.
const framesOf = (compressed: boolean): RootDatabaseOptions => ({
  encoder: frameEncoder,
  compression: compressed ? { threshold: COMPRESSED_BYTES_MIN } : false,
})

/** The key of a record in the index. LMDB bounds the length of keys; a longer one is represented by its hash. */
const indexKey = (key: string): Uint8Array => {
  const bytes = Buffer.from(key)
  return bytes.length <= INDEX_KEY_BYTES_MAX
    ? Buffer.concat([Buffer.from([0]), bytes])
    : Buffer.concat([Buffer.from([1]), createHash("sha256").update(bytes).digest()])
}

/** Makes the names in a directory durable: a flushed file is of no use when a power cut takes its name. */
const flushDirectory = (path: string): void => {
  // Windows cannot open a directory, and keeps names in order by itself.
  if (process.platform === "win32") return
  const descriptor = openSync(path, "r")
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

const openStore = (path: string, compressed: ReadonlyArray<Topic>): Store => {
  const root: RootDatabase<unknown, string> = open({
    path,
    noSubdir: false,
    overlappingSync: false,
    // A turn of our own: a failed batch of a turn rejects a promise of the library that nobody could handle.
    eventTurnBatching: false,
    mapSize: MAP_BYTES,
    maxDbs: 4 * topicNames.length + 1,
  })
  const meta = root.openDB<unknown, string>("meta", { encoding: "json" })
  const format = meta.get(FORMAT_KEY)
  if (format === undefined) {
    meta.putSync(FORMAT_KEY, FORMAT)
    flushDirectory(path)
    flushDirectory(dirname(path))
  } else if (format !== FORMAT) {
    void root.close()
    throw new Error(
      `its format is ${String(format)}, this Tidewire reads ${FORMAT}: export it with the Tidewire that wrote it and import it here, or choose another DATA_DIR`,
    )
  }
  const topics = new Map(
    topicNames.map((topic): readonly [Topic, TopicStore] => [
      topic,
      {
        records: root.openDB<Entry, number>(`records/${topic}`, framesOf(compressed.includes(topic))),
        compaction:
          topicPolicy(topic).kept === "compacted"
            ? {
                index: root.openDB<Kept, Uint8Array>(`index/${topic}`, { encoding: "json", keyEncoding: "binary" }),
                removals: root.openDB<true, number>(`removals/${topic}`, { encoding: "json" }),
              }
            : undefined,
      },
    ]),
  )
  return { root, meta, topics, gate: makeGate(path), room: makeRoom(path) }
}

interface Shared {
  readonly store: Store
  holders: number
}

// One opening for each path and thread: two in one thread would wait for each other's transactions, and so for ever.
const opened = new Map<string, Shared>()

/** Opens the log at a path, or takes a share in this thread's opening of it. Throws when it cannot be used. */
export const acquireStore = (
  directory: string,
  compressed: ReadonlyArray<Topic> = COMPRESSED,
): { readonly path: string; readonly store: Store } => {
  mkdirSync(directory, { recursive: true })
  const path = realpathSync(directory)
  const shared = opened.get(path) ?? { store: openAlone(path, () => openStore(path, compressed)), holders: 0 }
  opened.set(path, shared)
  shared.holders += 1
  return { path, store: shared.store }
}

/** Gives a share back. The last one waits for what is being written, and closes. */
export const releaseStore = async (path: string): Promise<void> => {
  const shared = opened.get(path)
  if (shared === undefined) return
  shared.holders -= 1
  if (shared.holders > 0) return
  opened.delete(path)
  await shared.store.root.close()
  shared.store.gate.close()
}

const topicStore = (store: Store, topic: Topic): TopicStore => {
  const found = store.topics.get(topic)
  if (found === undefined) throw new Error(`no topic ${topic}`)
  return found
}

const headKey = (topic: Topic) => `topic/${topic}`
const EMPTY: Head = { end: 0, bytes: 0, removals: 0 }

const headOf = (store: Store, topic: Topic): Head => {
  // Written by `write` and `trim` only.
  const head = store.meta.get(headKey(topic)) as Head | undefined
  return head ?? EMPTY
}

const writerKey = (writer: string) => `writer/${writer}`

/** Inside a transaction: takes a writer's name, and says from which epoch on and where its topics end. */
export const takeName = (store: Store, writer: string, topics: ReadonlyArray<Topic>) => {
  const epoch = Number(store.meta.get(writerKey(writer)) ?? 0) + 1
  void store.meta.put(writerKey(writer), epoch)
  return { epoch, ends: Object.fromEntries(topics.map((topic) => [topic, headOf(store, topic).end])) }
}

/** Inside a transaction: whether a claim is still the latest of its name. */
export const holdsName = (store: Store, writer: string, epoch: number): boolean =>
  store.meta.get(writerKey(writer)) === epoch

/** Takes a record away, with what the index and the removals know of it. Gives the bytes that it had. */
const drop = ({ records, compaction }: TopicStore, offset: Offset, entry: Entry): number => {
  if (compaction !== undefined) {
    const key = indexKey(entry.key)
    if (compaction.index.get(key)?.offset === offset) void compaction.index.remove(key)
    if (entry.value === null) void compaction.removals.remove(offset)
  }
  void records.remove(offset)
  return entry.bytes
}

/** Drops the oldest removals beyond those that are kept. */
const dropOldRemovals = (topic: TopicStore, head: Head, removalsKept: number): Head => {
  const excess = head.removals - removalsKept
  if (topic.compaction === undefined || excess <= 0) return head
  let bytes = head.bytes
  for (const offset of [...topic.compaction.removals.getKeys({ limit: excess })]) {
    const entry = topic.records.get(offset)
    if (entry !== undefined) bytes -= drop(topic, offset, entry)
  }
  return { ...head, bytes, removals: removalsKept }
}

const append = (topic: TopicStore, head: Head, { entry }: Frame): Head => {
  const { records, compaction } = topic
  const offset = head.end
  let { bytes, removals } = head
  if (compaction !== undefined) {
    const key = indexKey(entry.key)
    const older = compaction.index.get(key)
    if (older !== undefined) {
      bytes -= older.bytes
      void records.remove(older.offset)
      if (older.removal) {
        removals -= 1
        void compaction.removals.remove(older.offset)
      }
    }
    void compaction.index.put(key, { offset, bytes: entry.bytes, removal: entry.value === null })
    if (entry.value === null) {
      removals += 1
      void compaction.removals.put(offset, true)
    }
  }
  void records.put(offset, entry)
  return { end: offset + 1, bytes: bytes + entry.bytes, removals }
}

/**
 * Inside a transaction: appends records and gives their offsets. Throws `BytesExceeded` when the log would keep more
 * than `bytesMax`; removals alone are always taken, as they make room.
 */
export const write = (
  store: Store,
  frames: ReadonlyArray<Frame>,
  bytesMax: number,
  removalsKept: number,
): ReadonlyArray<Offset> => {
  const heads = new Map<Topic, Head>()
  const offsets = frames.map((frame) => {
    const head = heads.get(frame.topic) ?? headOf(store, frame.topic)
    heads.set(frame.topic, append(topicStore(store, frame.topic), head, frame))
    return head.end
  })
  for (const [topic, head] of heads)
    void store.meta.put(headKey(topic), dropOldRemovals(topicStore(store, topic), head, removalsKept))
  if (bytesMax !== Number.POSITIVE_INFINITY && frames.some(({ entry }) => entry.value !== null)) {
    const bytes = topicNames.reduce((sum, topic) => sum + headOf(store, topic).bytes, 0)
    if (bytes > bytesMax) throw new BytesExceeded()
  }
  return offsets
}

/** Inside a transaction: drops some records below an offset. Says whether there are more. */
export const trimSome = (store: Store, name: Topic, before: Offset): boolean => {
  const topic = topicStore(store, name)
  const doomed: Array<readonly [Offset, Entry]> = []
  let sliceBytes = 0
  let more = false
  for (const { key, value } of topic.records.getRange({ end: before })) {
    if (doomed.length === SLICE_RECORDS_MAX || sliceBytes >= SLICE_BYTES_MAX) {
      more = true
      break
    }
    doomed.push([key, value])
    sliceBytes += value.bytes
  }
  let { bytes, removals } = headOf(store, name)
  for (const [offset, entry] of doomed) {
    bytes -= drop(topic, offset, entry)
    if (topic.compaction !== undefined && entry.value === null) removals -= 1
  }
  if (doomed.length > 0) void store.meta.put(headKey(name), { end: headOf(store, name).end, bytes, removals })
  return more
}

/** The offset after the last record of a topic, as it is on disk now. */
export const endOf = (store: Store, topic: Topic): Offset => {
  store.root.resetReadTxn()
  return headOf(store, topic).end
}

/** The bytes of the records that a topic keeps. */
export const bytesOf = (store: Store, topic: Topic): number => {
  store.root.resetReadTxn()
  return headOf(store, topic).bytes
}

/** The offset of the first record that a topic keeps, or its end. */
export const startOf = (store: Store, topic: Topic): Offset => {
  store.root.resetReadTxn()
  const [first] = topicStore(store, topic).records.getKeys({ limit: 1 })
  return first ?? headOf(store, topic).end
}

/** Reads the records in [from, upTo), bounded by count and bytes, though at least one where there is one. */
export const sliceOf = (store: Store, topic: Topic, from: Offset, upTo: Offset): Slice => {
  store.root.resetReadTxn()
  const end = headOf(store, topic).end
  const last = Math.min(upTo, end)
  const records: Array<StoredRecord> = []
  let bytes = 0
  for (const { key, value } of topicStore(store, topic).records.getRange({ start: from, end: last })) {
    records.push({ offset: key, key: value.key, value: value.value })
    bytes += value.bytes
    if (records.length === SLICE_RECORDS_MAX || bytes >= SLICE_BYTES_MAX) return { records, next: key + 1, end }
  }
  return { records, next: Math.max(from, last), end }
}
