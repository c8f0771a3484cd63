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
import type { ValueTopic } from "./stored-values.ts"

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
  if (isWhole || bytes.length < PATCHED_BYTES_MIN) return asWhole(value, bytes, null, known)
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
