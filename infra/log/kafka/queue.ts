import type { LogRecord } from "../../../schemas/ports/event-log.ts"
import { recordBytes } from "./transaction.ts"

/** The most records that share one request or transaction, unless one caller alone has more. */
const GROUP_RECORDS_MAX = 5_000
const GROUP_BYTES_MAX = 12 * 1024 * 1024

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
      return index > 0 && (records > GROUP_RECORDS_MAX || bytes > GROUP_BYTES_MAX)
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
