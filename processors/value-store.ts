import type { LogRecord } from "../schemas/ports/event-log.ts"
import {
  encodePatch,
  PATCH_NUMBER_MAX,
  PATCHED_BYTES_MIN,
  parsePatchKey,
  patchKey,
  valueHash,
} from "../schemas/value-patch.ts"
import { diffBytes } from "./diff-bytes.ts"
import { recordsBytes, type ValueTopic } from "./stored-values.ts"

/** The latest value of a key; `null` removes it. */
export interface LogValue {
  readonly topic: ValueTopic
  readonly key: string
  readonly text: string | null
}

/** A patch is written where it has less than this share of the bytes of the value. */
const PATCH_SHARE_MAX = 0.5
/** Patches after which a value is written whole, so that a reader need not apply many. */
const PATCHES_MAX = 200

/** What is known of a value. */
interface KnownValue {
  /** As it was written last; null after a start: the next one is then written whole. */
  readonly last: { readonly bytes: Uint8Array; readonly hash: string } | null
  /** The numbers of the patches that the log holds of it. */
  readonly patches: ReadonlyArray<number>
  readonly patchBytes: number
}

/** The records that store one value, in their order, what they add to a commit, and what is known once they are there. */
interface PlannedValue {
  readonly text: string | null
  readonly records: ReadonlyArray<LogRecord>
  readonly sizeBytes: number
  readonly known: KnownValue
}

/** Makes the records that store values, over what the log holds of them. One for each writer: it remembers what it wrote. */
export interface ValueStore {
  /** Bytes that a value adds to the next commit. */
  readonly bytesOf: (value: LogValue) => number
  /** The records of a value. The next ones of its key are made over these, so they must be committed. */
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

/** The value whole, and behind it the removal of the patches over the one before: a reader may stop between any two. */
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
  // Patches never add up to more than the value: writing it whole then costs at most as much again.
  return patch.length > bytes.length * PATCH_SHARE_MAX || patchBytes + patch.length > bytes.length
    ? planWhole(value, bytes, known)
    : planned(text, [{ topic, key: patchKey(key, number), value: patch }], {
        last: { bytes, hash },
        patches: [...patches, number],
        patchBytes: patchBytes + patch.length,
      })
}

const begun = (logKeys: Iterable<string> = []): Map<string, KnownValue> => {
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
 * Begins with the log keys that the log holds, by topic. `isWhole` is for comparison in measurements alone: every value is
 * written whole.
 */
export const makeValueStore = (
  logKeys: Readonly<Partial<Record<ValueTopic, Iterable<string>>>>,
  isWhole = false,
): ValueStore => {
  const known = { checkpoints: begun(logKeys.checkpoints), views: begun(logKeys.views) }
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
