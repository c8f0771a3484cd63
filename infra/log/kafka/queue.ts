import type { LogRecord } from "../../../schemas/ports/event-log.ts"
import { recordBytes } from "./transaction.ts"

/** Records that share one request or transaction: at most so many, unless one caller alone brings more. */
const GROUP_RECORDS_MAX = 5_000
const GROUP_BYTES_MAX = 12 * 1024 * 1024

/** What one caller wants written, and who is told what became of it. */
export interface Waiting<Success, Failure> {
  readonly records: ReadonlyArray<LogRecord>
  readonly succeed: (result: Success) => void
  readonly fail: (error: Failure) => void
}

/** Callers that wait for one thing that writes: in order, one group at a time. */
export interface GroupQueue<Success, Failure> {
  /** Takes a caller at the end. The result takes it out again, when it is not on its way yet. */
  readonly push: (waiting: Waiting<Success, Failure>) => () => void
  readonly waiting: () => number
  readonly failAll: (error: Failure) => void
  /** Until nothing is on its way. */
  readonly idle: () => Promise<void>
}

/** A queue over `write`, which settles every caller of the group that it is given and never rejects. */
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
      return index > 0 && (records > GROUP_RECORDS_MAX || bytes > GROUP_BYTES_MAX)
    })
    return queue.splice(0, beyond < 0 ? queue.length : beyond)
  }

  const pump = async () => {
    // One turn of the event loop, so that calls made at the same time share the first group too.
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
