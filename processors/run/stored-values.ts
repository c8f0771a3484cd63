import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { EventLog, LogRecord, ReadFailed } from "../../schemas/ports/event-log.ts"
import {
  encodePatch,
  makePatchedValues,
  PATCH_NUMBER_MAX,
  PATCHED_MIN_BYTES,
  parsePatchKey,
  patchKey,
  valueHash,
} from "../../schemas/value-patch.ts"
import { diffBytes } from "./diff-bytes.ts"

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

/** The latest value of a key; `null` removes it. */
export interface LogValue {
  readonly topic: ValueTopic
  readonly key: string
  readonly text: string | null
  /** Renders the value that was committed before, if the fold holds it. */
  readonly before?: () => string
}

/** A larger share of the value's bytes, and the value is written whole instead of the patch. */
const PATCH_SHARE_MAX = 0.5
/** Patches after which a value is written whole, which bounds the work of a reader. */
const PATCHES_MAX = 200

/** The stored form of a value. */
interface KnownValue {
  /** The hash of the value written last; null after a start, and where the value is small: the next is written whole. */
  readonly hash: string | null
  /** Its bytes; null of `checkpoints`: their fold holds the value, and large ones would stand in memory twice. */
  readonly bytes: Uint8Array | null
  /** The numbers of its patches in the log. */
  readonly patches: ReadonlyArray<number>
  readonly patchBytes: number
}

/** The records that store one value, in order, and its stored form once they are committed. */
interface StoredValue {
  readonly records: ReadonlyArray<LogRecord>
  readonly known: KnownValue
}

/** Encodes values as records, whole or as patches over the values written before. There is one for each writer. */
export interface ValueStore {
  /** The records of a value. They must be committed: the next patch of the key has this value as its base. */
  readonly recordsOf: (value: LogValue) => ReadonlyArray<LogRecord>
}

const encoder = new TextEncoder()
const NOTHING: KnownValue = { hash: null, bytes: null, patches: [], patchBytes: 0 }

/** The bytes of the value written last; null where neither the store nor the fold has exactly these. */
const bytesBefore = ({ before }: LogValue, { bytes, hash }: KnownValue): Uint8Array | null => {
  if (bytes !== null || before === undefined) return bytes
  const rendered = encoder.encode(before())
  return valueHash(rendered) === hash ? rendered : null
}

/** The value as a patch over the one before; null where a patch is not possible, or would not be much smaller. */
const asPatch = (value: LogValue, bytes: Uint8Array, hash: string, known: KnownValue): StoredValue | null => {
  const { topic, key } = value
  const { patches, patchBytes } = known
  const number = (patches.at(-1) ?? 0) + 1
  if (known.hash === null || patches.length >= PATCHES_MAX || number > PATCH_NUMBER_MAX) return null
  const base = bytesBefore(value, known)
  if (base === null) return null
  const patch = encodePatch({ before: known.hash, after: hash, parts: diffBytes(base, bytes) })
  // The patches of a value never exceed its own size, so writing it whole at most doubles the bytes.
  if (patch.length > bytes.length * PATCH_SHARE_MAX || patchBytes + patch.length > bytes.length) return null
  return {
    records: [{ topic, key: patchKey(key, number), value: patch }],
    known: { hash, bytes, patches: [...patches, number], patchBytes: patchBytes + patch.length },
  }
}

/** The whole value, then the removal of the patches of the one before: a reader that stops in between has a whole value. */
const asWhole = (
  { topic, key }: LogValue,
  bytes: Uint8Array | null,
  hash: string | null,
  { patches }: KnownValue,
): StoredValue => ({
  records: [
    { topic, key, value: bytes },
    ...patches.map((number): LogRecord => ({ topic, key: patchKey(key, number), value: null })),
  ],
  known: { ...NOTHING, hash, bytes },
})

const stored = (value: LogValue, known: KnownValue, isWhole: boolean): StoredValue => {
  if (value.text === null) return asWhole(value, null, null, known)
  const bytes = encoder.encode(value.text)
  if (isWhole || bytes.length < PATCHED_MIN_BYTES) return asWhole(value, bytes, null, known)
  const hash = valueHash(bytes)
  return asPatch(value, bytes, hash, known) ?? asWhole(value, bytes, hash, known)
}

const knownValues = (logKeys: Iterable<string> = []): Map<string, KnownValue> => {
  const known = new Map<string, KnownValue>()
  for (const logKey of logKeys) {
    const patch = parsePatchKey(logKey)
    if (patch === null) continue
    const patches = [...(known.get(patch.valueKey)?.patches ?? []), patch.number]
    known.set(patch.valueKey, { ...NOTHING, patches })
  }
  return known
}

/**
 * Makes a store from the log keys that the log holds, by topic. With `isWhole`, for measurements only, every value is
 * written whole.
 */
export const makeValueStore = (
  logKeys: Readonly<Partial<Record<ValueTopic, Iterable<string>>>>,
  isWhole = false,
): ValueStore => {
  const known = { checkpoints: knownValues(logKeys.checkpoints), views: knownValues(logKeys.views) }
  return {
    recordsOf: (value) => {
      const { topic, key } = value
      const { records, known: after } = stored(value, known[topic].get(key) ?? NOTHING, isWhole)
      if (after.hash === null) known[topic].delete(key)
      else known[topic].set(key, topic === "checkpoints" ? { ...after, bytes: null } : after)
      return records
    },
  }
}
