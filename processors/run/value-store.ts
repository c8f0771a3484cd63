import type { LogRecord } from "../../schemas/ports/event-log.ts"
import {
  encodePatch,
  PATCH_NUMBER_MAX,
  PATCHED_BYTES_MIN,
  parsePatchKey,
  patchKey,
  valueHash,
} from "../../schemas/values/value-patch.ts"
import { diffBytes } from "./diff-bytes.ts"
import { recordsBytes, type ValueTopic } from "./stored-values.ts"

/** The latest value of a key; `null` removes it. */
export interface LogValue {
  readonly topic: ValueTopic
  readonly key: string
  readonly text: string | null
}

/** A larger share of the value's bytes, and the value is written whole instead of the patch. */
const PATCH_SHARE_MAX = 0.5
/** Patches after which a value is written whole, which bounds the work of a reader. */
const PATCHES_MAX = 200

/** The stored form of a value. */
interface KnownValue {
  /** The value written last; null after a start: the next one is then written whole. */
  readonly last: { readonly bytes: Uint8Array; readonly hash: string } | null
  /** The numbers of its patches in the log. */
  readonly patches: ReadonlyArray<number>
  readonly patchBytes: number
}

/** The records that store one value, in order, their size, and the stored form once they are committed. */
interface PlannedValue {
  readonly text: string | null
  readonly records: ReadonlyArray<LogRecord>
  readonly sizeBytes: number
  readonly known: KnownValue
}

/** Encodes values as records, whole or as patches over the values written before. There is one for each writer. */
export interface ValueStore {
  /** Bytes that a value adds to the next commit. */
  readonly bytesOf: (value: LogValue) => number
  /** The records of a value. They must be committed: the next patch of the key has this value as its base. */
  readonly recordsOf: (value: LogValue) => ReadonlyArray<LogRecord>
}

const encoder = new TextEncoder()
const NOTHING: KnownValue = { last: null, patches: [], patchBytes: 0 }

const planned = (text: string | null, records: ReadonlyArray<LogRecord>, known: KnownValue): PlannedValue => ({
  text,
  records,
  sizeBytes: recordsBytes(records),
  known,
})

/** The whole value, then the removal of the patches of the one before: a reader that stops in between has a whole value. */
const planWhole = ({ topic, key, text }: LogValue, bytes: Uint8Array | null, { patches }: KnownValue): PlannedValue => {
  const records = [
    { topic, key, value: bytes },
    ...patches.map((number): LogRecord => ({ topic, key: patchKey(key, number), value: null })),
  ]
  const canBePatched = bytes !== null && bytes.length >= PATCHED_BYTES_MIN
  return planned(text, records, { ...NOTHING, last: canBePatched ? { bytes, hash: valueHash(bytes) } : null })
}

const plan = (value: LogValue, known: KnownValue, isWhole: boolean): PlannedValue => {
  const { topic, key, text } = value
  const bytes = text === null ? null : encoder.encode(text)
  const { last, patches, patchBytes } = known
  const number = (patches.at(-1) ?? 0) + 1
  if (bytes === null || last === null || isWhole || patches.length >= PATCHES_MAX || number > PATCH_NUMBER_MAX)
    return planWhole(value, bytes, known)
  const hash = valueHash(bytes)
  const patch = encodePatch({ before: last.hash, after: hash, parts: diffBytes(last.bytes, bytes) })
  // The patches of a value never exceed its own size, so writing it whole at most doubles the bytes.
  return patch.length > bytes.length * PATCH_SHARE_MAX || patchBytes + patch.length > bytes.length
    ? planWhole(value, bytes, known)
    : planned(text, [{ topic, key: patchKey(key, number), value: patch }], {
        last: { bytes, hash },
        patches: [...patches, number],
        patchBytes: patchBytes + patch.length,
      })
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
  const plans = { checkpoints: new Map<string, PlannedValue>(), views: new Map<string, PlannedValue>() }
  const planFor = (value: LogValue): PlannedValue => {
    const { topic, key } = value
    const before = plans[topic].get(key)
    if (before !== undefined && before.text === value.text) return before
    const made = plan(value, known[topic].get(key) ?? NOTHING, isWhole)
    plans[topic].set(key, made)
    return made
  }
  return {
    bytesOf: (value) => planFor(value).sizeBytes,
    recordsOf: (value) => {
      const { topic, key } = value
      const { records, known: after } = planFor(value)
      plans[topic].delete(key)
      if (after.last === null) known[topic].delete(key)
      else known[topic].set(key, after)
      return records
    },
  }
}
