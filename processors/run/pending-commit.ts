import type { Json } from "../../schemas/json.ts"
import type { LogRecord } from "../../schemas/ports/event-log.ts"
import { jsonText } from "./rendered.ts"
import { recordsBytes, type ValueTopic } from "./stored-values.ts"
import type { LogValue } from "./value-store.ts"

/** A changed value. `text` is undefined where the value is rendered only when it is committed or measured. */
export interface PendingValue {
  readonly topic: ValueTopic
  readonly key: string
  readonly value: Json | null
  readonly text: string | null | undefined
}

/** The content of a fold's next commit: the last value of each key, and records that are all kept. */
export interface PendingCommit {
  readonly set: (value: PendingValue) => void
  readonly add: (record: LogRecord) => void
  /** The size in bytes; `bytesOf` measures a value. Values that were measured before are not measured again. */
  readonly bytes: (bytesOf: (value: LogValue) => number) => number
  /** Gives the content and empties it. */
  readonly take: () => { readonly values: ReadonlyArray<LogValue>; readonly records: ReadonlyArray<LogRecord> }
}

interface Entry {
  readonly pending: PendingValue
  value: LogValue | null
  /** Null until measured. */
  bytes: number | null
}

const logValueOf = (entry: Entry): LogValue => {
  const { topic, key, value, text } = entry.pending
  entry.value ??= { topic, key, text: text === undefined ? jsonText(value) : text }
  return entry.value
}

/** Makes an empty pending commit. */
export const makePendingCommit = (): PendingCommit => {
  const entries = { views: new Map<string, Entry>(), checkpoints: new Map<string, Entry>() }
  const unmeasured = new Set<Entry>()
  let records: Array<LogRecord> = []
  let bytes = 0
  return {
    set: (pending) => {
      const { topic, key } = pending
      const before = entries[topic].get(key)
      if (before !== undefined) {
        unmeasured.delete(before)
        bytes -= before.bytes ?? 0
      }
      const entry: Entry = { pending, value: null, bytes: null }
      entries[topic].set(key, entry)
      unmeasured.add(entry)
    },
    add: (record) => {
      records.push(record)
      bytes += recordsBytes([record])
    },
    bytes: (bytesOf) => {
      for (const entry of unmeasured) {
        entry.bytes = bytesOf(logValueOf(entry))
        bytes += entry.bytes
      }
      unmeasured.clear()
      return bytes
    },
    take: () => {
      const values = [...entries.views.values(), ...entries.checkpoints.values()].map(logValueOf)
      const taken = { values, records }
      entries.views.clear()
      entries.checkpoints.clear()
      unmeasured.clear()
      records = []
      bytes = 0
      return taken
    },
  }
}
