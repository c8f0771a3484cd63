import {
  type CommitFailed,
  type LogRecord,
  LogUnavailable,
  RecordTooLarge,
  UnknownTopic,
} from "../../../schemas/ports/event-log.ts"
import type { Topic } from "../../../schemas/topics.ts"
import { isTooLarge, sentenceOf } from "./client.ts"
import type { TopicLimits } from "./topics.ts"
import { recordBytes } from "./transaction.ts"

/** The largest commit over all its topics: it must end well within the timeout of a transaction. */
const COMMIT_BYTES_MAX = 64 * 1024 * 1024

/** Checks records before they are sent. Gives the reason why they cannot be committed, if any. */
export const unacceptable = (
  records: ReadonlyArray<LogRecord>,
  limitsByTopic: ReadonlyMap<Topic, TopicLimits>,
): CommitFailed | undefined => {
  let bytes = 0
  for (const record of records) {
    const limits = limitsByTopic.get(record.topic)
    if (limits === undefined) return new UnknownTopic({ topic: record.topic })
    const size = recordBytes(record)
    if (size > limits.recordBytesMax) return tooLarge(record, size, limits.recordBytesMax)
    bytes += size
    if (bytes > COMMIT_BYTES_MAX) return tooLarge(record, bytes, COMMIT_BYTES_MAX)
  }
  return undefined
}

/** Maps the error of a write that wrote nothing to the port's error. */
export const writeFailure = (
  records: ReadonlyArray<LogRecord>,
  error: unknown,
  limitsByTopic: ReadonlyMap<Topic, TopicLimits>,
): CommitFailed => {
  const largest = records.reduce<LogRecord | undefined>(
    (candidate, record) =>
      candidate === undefined || recordBytes(record) > recordBytes(candidate) ? record : candidate,
    undefined,
  )
  if (isTooLarge(error) && largest !== undefined) {
    const size = recordBytes(largest)
    return tooLarge(largest, size, Math.min(size, limitsByTopic.get(largest.topic)?.recordBytesMax ?? size))
  }
  return new LogUnavailable({ problem: sentenceOf(error), cause: error })
}

const tooLarge = (record: LogRecord, sizeBytes: number, maxBytes: number): RecordTooLarge =>
  new RecordTooLarge({ topic: record.topic, key: record.key, sizeBytes, maxBytes })
