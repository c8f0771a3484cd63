import type { Message } from "kafkajs"
import type { LogRecord, Offset } from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"
import type { FetchedBatch, FetchedRecord } from "./records.ts"
import type { TopicLimits } from "./topics.ts"

/** Header of fence records: the claim that wrote it, and the offset of that claim. Readers never see fences. */
const FENCE_HEADER = "tidewire-fence"
/** Header of the first record of each batch: the transaction's id, and the number of its earlier records in the topic. */
const TRANSACTION_HEADER = "tidewire-transaction"
/** Upper bound of a record's bytes in a batch beside key and value: lengths, deltas and the header. */
const RECORD_OVERHEAD_BYTES = 160
/** The largest produce request over all topics: far below the broker's limit of 100 MiB. */
const REQUEST_BYTES_MAX = 32 * 1024 * 1024

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

/** The size of a record as the port counts it: key and value, in bytes. */
export const recordBytes = (record: LogRecord): number =>
  Buffer.byteLength(record.key) + (record.value?.byteLength ?? 0)

/** The position of a record within a transaction: its index among the records of its topic. */
interface Place {
  readonly topic: Topic
  readonly index: number
}

/** A transaction's records as consecutive produce requests, with the place of each record. */
export interface Layout {
  readonly id: string | null
  readonly requests: ReadonlyArray<ReadonlyMap<Topic, TopicBatch>>
  readonly places: ReadonlyArray<Place>
}

interface TopicBatch {
  /** The number of the topic's records in earlier requests. */
  readonly firstIndex: number
  readonly messages: ReadonlyArray<Message>
}

/** A transaction of one fence: it can be committed only while the claim is the latest. */
export const layOutProof = (id: string, fence: Message): Layout => ({
  id,
  requests: [new Map([[FENCE_TOPIC, { firstIndex: 0, messages: [fence] }]])],
  places: [],
})

/** Lays records out in their order. `id` names the transaction in the log; null for records that are not committed in one. */
export const layOut = (
  id: string | null,
  records: ReadonlyArray<LogRecord>,
  limits: ReadonlyMap<Topic, TopicLimits>,
): Layout => {
  const requests: Array<Map<Topic, { firstIndex: number; messages: Array<Message>; bytes: number }>> = []
  const counts = new Map<Topic, number>()
  const places: Array<Place> = []
  let requestBytes = Number.POSITIVE_INFINITY
  for (const record of records) {
    const bytes = recordBytes(record) + RECORD_OVERHEAD_BYTES
    const batchBytes = requests.at(-1)?.get(record.topic)?.bytes ?? 0
    const batchBytesMax = limits.get(record.topic)?.batchBytesMax ?? 0
    if (requestBytes + bytes > REQUEST_BYTES_MAX || (batchBytes > 0 && batchBytes + bytes > batchBytesMax)) {
      requests.push(new Map())
      requestBytes = 0
    }
    const request = requests.at(-1) ?? new Map()
    const index = counts.get(record.topic) ?? 0
    const batch = request.get(record.topic) ?? { firstIndex: index, messages: [], bytes: 0 }
    request.set(record.topic, batch)
    batch.messages.push({
      key: Buffer.from(record.key),
      value: record.value === null ? null : bufferOf(record.value),
      ...(id !== null && batch.messages.length === 0 ? { headers: { [TRANSACTION_HEADER]: `${id}/${index}` } } : {}),
    })
    batch.bytes += bytes
    requestBytes += bytes
    counts.set(record.topic, index + 1)
    places.push({ topic: record.topic, index })
  }
  return { id, requests, places }
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Offsets of the first records of batches, from produce replies or from the log. */
export class Bases {
  readonly #bases = new Map<Topic, Array<{ readonly firstIndex: number; readonly offset: Offset }>>()

  /** Of a batch that stands twice in the log, the first copy counts: it is the one that readers see. */
  add(topic: Topic, firstIndex: number, offset: Offset): void {
    const bases = this.#bases.get(topic) ?? []
    if (bases.some((base) => base.firstIndex === firstIndex)) return
    bases.push({ firstIndex, offset })
    this.#bases.set(topic, bases)
  }

  /** Adds a record of the log if it is the first of a batch of the transaction. */
  addWhenOf(id: string | null, topic: Topic, record: FetchedRecord): void {
    const [of, firstIndex] = record.headers.get(TRANSACTION_HEADER)?.split("/") ?? []
    if (of !== undefined && of === id) this.add(topic, Number(firstIndex), record.offset)
  }

  has(topic: Topic): boolean {
    return this.#bases.has(topic)
  }

  /** Gives the offsets of a layout's records, in their order. The records of a batch have consecutive offsets. */
  offsetsOf(layout: Layout): ReadonlyArray<Offset> {
    return layout.places.map(({ topic, index }) => {
      const base = this.#bases.get(topic)?.findLast(({ firstIndex }) => firstIndex <= index)
      if (base === undefined) throw new Error(`no offset is known for record ${index} in ${topic}`)
      return base.offset + (index - base.firstIndex)
    })
  }
}
