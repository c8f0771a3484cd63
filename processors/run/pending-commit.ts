import type { Json } from "../../schemas/json.ts"
import type { LogRecord } from "../../schemas/ports/event-log.ts"
import { jsonText } from "./digest.ts"
import { type LogValue, recordsBytes, type ValueTopic } from "./stored-values.ts"

/** A changed value. `text` is undefined where the value is rendered only when it is committed or measured. */
interface PendingValue {
  readonly topic: ValueTopic
  readonly key: string
  readonly value: Json | null
  readonly text: string | null | undefined
  /** The value of the key until now, if the fold has it. */
  readonly before?: Json | undefined
}

/** The content of a fold's next commit: the last value of each key, and records that are all kept. */
export interface PendingCommit {
  /** `eventBytes` is the size of the event that changed the value. */
  readonly set: (value: PendingValue, eventBytes: number) => void
  readonly add: (record: LogRecord) => void
  /**
   * About the UTF-16 units of the content if every value were written whole: the bytes of a patch are known only once it is
   * made. A value that is rendered late counts as it was rendered last, or as the event that changed it if that is larger.
   */
  readonly wholeUnits: () => number
  readonly isEmpty: () => boolean
  /** Gives the content and empties it. */
  readonly take: () => { readonly values: ReadonlyArray<LogValue>; readonly records: ReadonlyArray<LogRecord> }
}

interface Entry {
  readonly pending: PendingValue
  readonly wholeUnits: number
  /** The value that was committed last, if the fold has it. */
  readonly committed: Json | undefined
}

/** Makes an empty pending commit. */
export const makePendingCommit = (): PendingCommit => {
  const entries = { views: new Map<string, Entry>(), checkpoints: new Map<string, Entry>() }
  /** The units of values that are rendered late, by key, as they were rendered last. */
  const sizes = new Map<string, number>()
  let records: Array<LogRecord> = []
  let wholeUnits = 0

  const textOf = ({ key, value, text }: PendingValue): string | null => {
    if (text !== undefined) return text
    const late = jsonText(value)
    sizes.set(key, late.length)
    return late
  }

  const sizeOf = (pending: PendingValue, eventBytes: number): number => {
    const { key, text } = pending
    const size = sizes.get(key)
    if (text === null) sizes.delete(key)
    return text === undefined && size !== undefined ? Math.max(size, eventBytes) : (textOf(pending)?.length ?? 0)
  }

  return {
    set: (pending, eventBytes) => {
      const { topic, key } = pending
      const replaced = entries[topic].get(key)
      const entry: Entry = {
        pending,
        wholeUnits: sizeOf(pending, eventBytes),
        committed: replaced === undefined ? pending.before : replaced.committed,
      }
      wholeUnits += entry.wholeUnits - (replaced?.wholeUnits ?? 0)
      entries[topic].set(key, entry)
    },
    add: (record) => {
      records.push(record)
      wholeUnits += recordsBytes([record])
    },
    wholeUnits: () => wholeUnits,
    isEmpty: () => entries.views.size === 0 && entries.checkpoints.size === 0 && records.length === 0,
    take: () => {
      const values = [...entries.views.values(), ...entries.checkpoints.values()].map(
        ({ pending, committed }): LogValue => ({
          topic: pending.topic,
          key: pending.key,
          text: textOf(pending),
          ...(committed === undefined ? {} : { before: () => jsonText(committed) }),
        }),
      )
      const taken = { values, records }
      entries.views.clear()
      entries.checkpoints.clear()
      records = []
      wholeUnits = 0
      return taken
    },
  }
}
