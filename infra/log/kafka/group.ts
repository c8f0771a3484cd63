import type { Message } from "kafkajs"
import { type LogRecord, type Offset, RecordTooLarge, UnknownTopic } from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"
import { FENCE_TOPIC, type FetchedRecord, TRANSACTION_HEADER } from "./records.ts"
import type { TopicLimits } from "./topics.ts"

/*
 * What is written together. Callers wait in a queue and are written in groups, one at a time; the records of a group are laid
 * out as produce requests, and their offsets follow from those of the first records.
 */

/** The most records that share one request or transaction, unless one caller alone has more. */
const GROUP_MAX_RECORDS = 5_000
const GROUP_MAX_BYTES = 12 * 1024 * 1024
/** Upper bound of a record's bytes in a batch beside key and value: lengths, deltas and the header. */
const RECORD_OVERHEAD_BYTES = 160
/** The largest produce request over all topics: far below the broker's limit of 100 MiB. */
const REQUEST_MAX_BYTES = 32 * 1024 * 1024

/** The records of one caller, and the callbacks for their outcome. */
export interface Waiting<Success, Failure> {
  readonly records: ReadonlyArray<LogRecord>
  readonly succeed: (result: Success) => void
  readonly fail: (error: Failure) => void
}

/** Callers that wait for one writer, in their order; they are written in groups, one at a time. */
export interface GroupQueue<Success, Failure> {
  /** Appends a caller. The result removes it again, unless it is being written already. */
  readonly push: (waiting: Waiting<Success, Failure>) => () => void
  readonly waiting: () => number
  readonly failAll: (error: Failure) => void
  /** Resolves when no group is being written. */
  readonly idle: () => Promise<void>
}

/** Makes a queue over `write`, which must settle every caller of its group and never reject. */
export const makeGroupQueue = <Success, Failure>(
  write: (group: ReadonlyArray<Waiting<Success, Failure>>) => Promise<void>,
): GroupQueue<Success, Failure> => {
  const queue: Array<Waiting<Success, Failure>> = []
  let pumping: Promise<void> | undefined

  const takeGroup = () => {
    let records = 0
    let bytes = 0
    const beyond = queue.findIndex((waiting, index) => {
      records += waiting.records.length
      for (const record of waiting.records) bytes += recordBytes(record)
      return index > 0 && (records > GROUP_MAX_RECORDS || bytes > GROUP_MAX_BYTES)
    })
    return queue.splice(0, beyond < 0 ? queue.length : beyond)
  }

  const pump = async () => {
    // Waits one turn of the event loop, so that calls of the same turn share the first group.
    await new Promise((resolve) => setImmediate(resolve))
    while (queue.length > 0) await write(takeGroup())
    pumping = undefined
  }

  return {
    push: (waiting) => {
      queue.push(waiting)
      pumping ??= pump()
      return () => {
        const index = queue.indexOf(waiting)
        if (index >= 0) queue.splice(index, 1)
      }
    },
    waiting: () => queue.length,
    failAll: (error) => {
      for (const waiting of queue.splice(0)) waiting.fail(error)
    },
    idle: () => pumping ?? Promise.resolve(),
  }
}

/** The size of a record as the port counts it: key and value, in bytes. */
export const recordBytes = (record: LogRecord): number =>
  Buffer.byteLength(record.key) + (record.value?.byteLength ?? 0)

/** Why a record cannot be written: its topic is not open here, or it is too large. Undefined if it can. */
export const refusalOf = (
  record: LogRecord,
  limitsByTopic: ReadonlyMap<Topic, TopicLimits>,
): UnknownTopic | RecordTooLarge | undefined => {
  const limits = limitsByTopic.get(record.topic)
  if (limits === undefined) return new UnknownTopic({ topic: record.topic })
  const sizeBytes = recordBytes(record)
  return sizeBytes > limits.recordBytesMax ? tooLarge(record, sizeBytes, limits.recordBytesMax) : undefined
}

/** The port's error for a record, or a commit that ends with it, of this size. */
export const tooLarge = ({ topic, key }: LogRecord, sizeBytes: number, maxBytes: number): RecordTooLarge =>
  new RecordTooLarge({ topic, key, sizeBytes, maxBytes })

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
    if (requestBytes + bytes > REQUEST_MAX_BYTES || (batchBytes > 0 && batchBytes + bytes > batchBytesMax)) {
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
