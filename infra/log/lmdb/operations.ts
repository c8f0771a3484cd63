import { createHash } from "node:crypto"
import type { Offset, StoredRecord } from "../../../schemas/ports/event-log.ts"
import { type Topic, topicNames } from "../../../schemas/topics.ts"
import type { Entry, Frame, Store, TopicStore } from "./store.ts"

// The reads and writes of the log's databases. Those marked so run inside a write transaction.

/** Removals that a compacted topic keeps for readers that are behind. */
export const REMOVALS_KEPT = 100_000

/** Bounds of one read: between two of them no part of the log is held, and other work can run. */
const SLICE_MAX_RECORDS = 1_000
const SLICE_MAX_BYTES = 4 * 1024 * 1024

/** LMDB bounds the length of keys. */
const INDEX_KEY_MAX_BYTES = 500

/** The end of a topic, the bytes of the records that it keeps, and how many of them are removals. */
interface Head {
  readonly end: Offset
  readonly bytes: number
  readonly removals: number
}

/** Consecutive records of a topic, the offset to continue from, and the end of the topic. */
interface Slice {
  readonly records: ReadonlyArray<StoredRecord>
  readonly next: Offset
  readonly end: Offset
}

/** The records would exceed the bytes that the log may keep. Thrown inside a transaction, it rolls it back. */
export class BytesExceeded extends Error {}

/** The key of a record in the index: its bytes, or their hash if they are too long. */
const indexKey = (key: string): Uint8Array => {
  const bytes = Buffer.from(key)
  return bytes.length <= INDEX_KEY_MAX_BYTES
    ? Buffer.concat([Buffer.from([0]), bytes])
    : Buffer.concat([Buffer.from([1]), createHash("sha256").update(bytes).digest()])
}

const topicStore = (store: Store, topic: Topic): TopicStore => {
  const databases = store.topics.get(topic)
  if (databases === undefined) throw new Error(`no topic ${topic}`)
  return databases
}

const headKey = (topic: Topic) => `topic/${topic}`
const EMPTY: Head = { end: 0, bytes: 0, removals: 0 }

const headOf = (store: Store, topic: Topic): Head => {
  // Written by `write` and `trimSlice` only.
  const head = store.meta.get(headKey(topic)) as Head | undefined
  return head ?? EMPTY
}

const writerKey = (writer: string) => `writer/${writer}`

/** Inside a transaction: claims a writer's name. Gives the epoch of the claim and the ends of the topics. */
export const claimName = (store: Store, writer: string, topics: ReadonlyArray<Topic>) => {
  const epoch = Number(store.meta.get(writerKey(writer)) ?? 0) + 1
  void store.meta.put(writerKey(writer), epoch)
  return { epoch, ends: Object.fromEntries(topics.map((topic) => [topic, headOf(store, topic).end])) }
}

/** Inside a transaction: tests whether a claim is still the latest of its name. */
export const isLatestClaim = (store: Store, writer: string, epoch: number): boolean =>
  store.meta.get(writerKey(writer)) === epoch

/** Removes a record and its entries in `index` and `removals`. Gives its bytes. */
const drop = ({ records, compaction }: TopicStore, offset: Offset, entry: Entry): number => {
  if (compaction !== undefined) {
    const key = indexKey(entry.key)
    if (compaction.index.get(key)?.offset === offset) void compaction.index.remove(key)
    if (entry.value === null) void compaction.removals.remove(offset)
  }
  void records.remove(offset)
  return entry.bytes
}

/** Drops the oldest removals beyond `removalsKept`. */
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
 * than `bytesMax`. A commit of removals only is always accepted, since it frees space.
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

/** Inside a transaction: drops one slice of the records below an offset. Gives whether there are more. */
export const trimSlice = (store: Store, name: Topic, before: Offset): boolean => {
  const topic = topicStore(store, name)
  const dropped: Array<readonly [Offset, Entry]> = []
  let sliceBytes = 0
  let more = false
  for (const { key, value } of topic.records.getRange({ end: before })) {
    if (dropped.length === SLICE_MAX_RECORDS || sliceBytes >= SLICE_MAX_BYTES) {
      more = true
      break
    }
    dropped.push([key, value])
    sliceBytes += value.bytes
  }
  let { bytes, removals } = headOf(store, name)
  for (const [offset, entry] of dropped) {
    bytes -= drop(topic, offset, entry)
    if (topic.compaction !== undefined && entry.value === null) removals -= 1
  }
  if (dropped.length > 0) void store.meta.put(headKey(name), { end: headOf(store, name).end, bytes, removals })
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
  // A log that is opened for reading may lack a topic.
  const [first] = store.topics.get(topic)?.records.getKeys({ limit: 1 }) ?? []
  return first ?? headOf(store, topic).end
}

/** Reads records of [from, upTo), bounded by count and bytes; at least one if there is one. */
export const readSlice = (store: Store, topic: Topic, from: Offset, upTo: Offset): Slice => {
  store.root.resetReadTxn()
  const end = headOf(store, topic).end
  const last = Math.min(upTo, end)
  if (from >= last) return { records: [], next: from, end }
  const records: Array<StoredRecord> = []
  let bytes = 0
  for (const { key, value } of topicStore(store, topic).records.getRange({ start: from, end: last })) {
    records.push({ offset: key, key: value.key, value: value.value })
    bytes += value.bytes
    if (records.length === SLICE_MAX_RECORDS || bytes >= SLICE_MAX_BYTES) return { records, next: key + 1, end }
  }
  return { records, next: Math.max(from, last), end }
}
