import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { EventLog, LogRecord, ReadFailed } from "../../schemas/ports/event-log.ts"
import { makePatchedValues } from "../../schemas/values/patched-values.ts"

/** A topic whose large values are written as patches. */
export type ValueTopic = "checkpoints" | "views"

/** The values of a topic, put together from the records of the log. */
export interface StoredValues {
  /** Every intact value, by its key. */
  readonly values: ReadonlyMap<string, Uint8Array>
  /** Keys of values whose records are incomplete or do not match their hash. */
  readonly damaged: ReadonlySet<string>
  /** The log keys of all records, patches among them. */
  readonly logKeys: ReadonlySet<string>
}

type CompactedTopic = ValueTopic | "digests"

/** Calls `visit` with the records of a compacted topic from an offset up to its current end; gives the next offset. */
const readFrom = (
  log: EventLog,
  topic: CompactedTopic,
  from: number,
  visit: (record: { readonly offset: number; readonly key: string; readonly value: Uint8Array | null }) => void,
): Effect.Effect<number, ReadFailed> =>
  Effect.suspend(() => {
    let reached = from
    return Stream.runForEach(log.read(topic, from), ({ records, next }) =>
      Effect.sync(() => {
        for (const record of records) visit(record)
        reached = next
      }),
    ).pipe(Effect.andThen(Effect.sync(() => reached)))
  })

/** The latest value of every key of a compacted topic that `wanted` accepts, up to the current end of the log. */
export const readCompacted = (
  log: EventLog,
  topic: CompactedTopic,
  wanted: (key: string) => boolean,
): Effect.Effect<Map<string, Uint8Array>, ReadFailed> =>
  Effect.gen(function* () {
    const latest = new Map<string, Uint8Array>()
    yield* readFrom(log, topic, yield* log.start(topic), ({ key, value }) => {
      if (!wanted(key)) return
      if (value === null) latest.delete(key)
      else latest.set(key, value)
    })
    return latest
  })

/** The log keys of a topic that have a value, up to the current end of the log. */
export const readLogKeys = (log: EventLog, topic: ValueTopic): Effect.Effect<ReadonlySet<string>, ReadFailed> =>
  Effect.gen(function* () {
    const keys = new Set<string>()
    yield* readFrom(log, topic, yield* log.start(topic), ({ key, value }) => {
      if (value === null) keys.delete(key)
      else keys.add(key)
    })
    return keys
  })

/**
 * The values of a topic whose keys begin with `prefix`. During concurrent writes, compaction may remove the base of a patch
 * before the patch is read. The whole value that replaced it is then already in the log, so the reader continues to the new
 * end: a value that is still broken there, by the same record, is damaged.
 */
export const readValues = (log: EventLog, topic: ValueTopic, prefix = ""): Effect.Effect<StoredValues, ReadFailed> =>
  Effect.gen(function* () {
    const patched = makePatchedValues()
    const values = new Map<string, Uint8Array>()
    const logKeys = new Set<string>()
    let next = yield* log.start(topic)
    let suspected = new Map<string, number>()
    for (;;) {
      next = yield* readFrom(log, topic, next, (record) => {
        if (!record.key.startsWith(prefix)) return
        if (record.value === null) logKeys.delete(record.key)
        else logKeys.add(record.key)
        patched.apply(record)
      })
      for (const { key, value } of patched.changed())
        if (value === null) values.delete(key)
        else values.set(key, value)
      const broken = new Map(patched.broken)
      if ([...broken].every(([key, offset]) => suspected.get(key) === offset)) {
        for (const key of broken.keys()) values.delete(key)
        return { values, damaged: new Set(broken.keys()), logKeys }
      }
      suspected = broken
    }
  })

/** Keys and values of records, in bytes. */
export const recordsBytes = (records: ReadonlyArray<LogRecord>): number =>
  records.reduce((sum, { key, value }) => sum + Buffer.byteLength(key) + (value?.length ?? 0), 0)
