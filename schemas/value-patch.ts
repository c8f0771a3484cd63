import { hash } from "node:crypto"

// Topics `views` and `checkpoints` hold the latest value of each key. A change of a large value is written as a patch over
// the value before, under a key of its own: `<key>#patch/0001`, then `0002` and so on. From time to time the value is
// written whole again under its key, and the patches over the one before it are removed behind it in the same commit.

/** Separates the key of a value from the number of a patch in a log key. `#` never occurs in a parameter of a key. */
const PATCH_KEY = "#patch/"
const NUMBER_DIGITS = 4
const NUMBER = /^\d{4}$/
/** The largest number of a patch. */
export const PATCH_NUMBER_MAX = 10 ** NUMBER_DIGITS - 1
/** A smaller value is always written whole, so readers need not keep it as a base of patches. */
export const PATCHED_MIN_BYTES = 1024
/** 18 bytes of SHA-256: long enough that an upstream cannot construct a collision. */
const HASH_CHARACTERS = 24
const HEAD = "#patch/1"
const NEW_LINE = 10

/** The hash that identifies the values before and after a patch. */
export const valueHash = (value: Uint8Array): string => hash("sha256", value, "base64url").slice(0, HASH_CHARACTERS)

/** The log key of a patch of a value. */
export const patchKey = (valueKey: string, number: number): string =>
  `${valueKey}${PATCH_KEY}${String(number).padStart(NUMBER_DIGITS, "0")}`

/** The value and the number that the log key of a patch names; null for every other key. */
export const parsePatchKey = (logKey: string): { readonly valueKey: string; readonly number: number } | null => {
  const at = logKey.length - NUMBER_DIGITS - PATCH_KEY.length
  const digits = logKey.slice(-NUMBER_DIGITS)
  return at >= 0 && logKey.startsWith(PATCH_KEY, at) && NUMBER.test(digits)
    ? { valueKey: logKey.slice(0, at), number: Number(digits) }
    : null
}

/** The key of the value that a log key belongs to. */
export const valueKeyOf = (logKey: string): string => parsePatchKey(logKey)?.valueKey ?? logKey

/** A part of a value: `count` bytes of the value before, from `from` on, or bytes that the patch itself holds. */
export type PatchPart = { readonly from: number; readonly count: number } | Uint8Array

/** A patch of a value, with the hashes of the values before and after it. */
export interface ValuePatch {
  readonly before: string
  readonly after: string
  readonly parts: ReadonlyArray<PatchPart>
}

/** The plan of a patch: for each part the number of its own bytes, or where it begins in the value before, and its length. */
export type PatchPlan = ReadonlyArray<number | readonly [from: number, count: number]>

/** The plan of parts, and the bytes that they hold themselves, one after the other. */
export const planOf = (parts: ValuePatch["parts"]): { readonly plan: PatchPlan; readonly own: Buffer } => ({
  plan: parts.map((part) => (part instanceof Uint8Array ? part.length : ([part.from, part.count] as const))),
  own: Buffer.concat(parts.filter((part) => part instanceof Uint8Array)),
})

const isNatural = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

/** The inverse of `planOf`; null where the plan is none, or is that of other bytes. */
export const partsOf = (plan: unknown, own: Uint8Array): ValuePatch["parts"] | null => {
  if (!Array.isArray(plan)) return null
  const parts: Array<PatchPart> = []
  let at = 0
  for (const one of plan as ReadonlyArray<unknown>)
    if (isNatural(one)) {
      parts.push(own.subarray(at, at + one))
      at += one
    } else if (Array.isArray(one) && isNatural(one[0]) && isNatural(one[1])) parts.push({ from: one[0], count: one[1] })
    else return null
  return at === own.length ? parts : null
}

/** Encodes a patch: one line of text with its hashes and the plan of its parts, then the bytes that it holds itself. */
export const encodePatch = ({ before, after, parts }: ValuePatch): Uint8Array => {
  const { plan, own } = planOf(parts)
  return Buffer.concat([Buffer.from(`${HEAD} ${before} ${after} ${JSON.stringify(plan)}\n`), own])
}

/** Decodes a patch; null if the record is not one of this version. */
export const decodePatch = (record: Uint8Array): ValuePatch | null => {
  const lineEnd = record.indexOf(NEW_LINE)
  const [head, before, after, plan = ""] = Buffer.from(record.subarray(0, Math.max(0, lineEnd)))
    .toString("latin1")
    .split(" ")
  if (head !== HEAD || before === undefined || after === undefined) return null
  try {
    const parts = partsOf(JSON.parse(plan), record.subarray(lineEnd + 1))
    return parts === null ? null : { before, after, parts }
  } catch {
    return null
  }
}

/**
 * Applies a patch to the value before it; null if that value is too short, which shows that the patch belongs to another one.
 * `memoryOf` gives the memory of the new value, of exactly that many bytes; by default memory of its own.
 */
export const applyPatch = (
  value: Uint8Array,
  { parts }: Pick<ValuePatch, "parts">,
  memoryOf: (bytes: number) => Uint8Array = Buffer.allocUnsafe,
): Uint8Array | null => {
  let bytes = 0
  for (const part of parts) {
    if (!(part instanceof Uint8Array) && part.from + part.count > value.length) return null
    bytes += part instanceof Uint8Array ? part.length : part.count
  }
  const patched = memoryOf(bytes)
  let at = 0
  for (const part of parts) {
    const piece = part instanceof Uint8Array ? part : value.subarray(part.from, part.from + part.count)
    patched.set(piece, at)
    at += piece.length
  }
  return patched
}

/** A record of a compacted topic. */
interface CompactedRecord {
  readonly offset: number
  readonly key: string
  readonly value: Uint8Array | null
}

/** The value of a key after the applied records; `null`: the key is removed. Its memory is its own, and never changes. */
interface ChangedValue {
  readonly key: string
  readonly value: Uint8Array | null
}

/**
 * Assembles the values of `views` or `checkpoints` from their records in order.
 *
 * Compaction during a read may remove the base of a patch, or earlier patches: they were replaced by a whole value, which
 * follows. Such a value is broken until that record is read, and damaged only if it is still broken at the end of the log.
 * Only values that were committed are ever given: a patched one is checked against the hash in its last patch.
 */
interface PatchedValues {
  readonly apply: (record: CompactedRecord) => void
  /** The values that have changed since the last call. */
  readonly changed: () => ReadonlyArray<ChangedValue>
  /** The offset of the record at which each broken value broke, by its key. */
  readonly broken: ReadonlyMap<string, number>
}

interface HeldValue {
  readonly bytes: Uint8Array
  /** The hash of the value in its last patch; null if the value was written whole. */
  readonly hash: string | null
  readonly offset: number
}

/** Starts empty. Keeps only values that can be patched. */
export const makePatchedValues = (): PatchedValues => {
  const held = new Map<string, HeldValue>()
  const broken = new Map<string, number>()
  const waiting = new Map<string, Uint8Array | null>()

  const breakAt = (key: string, offset: number): void => {
    held.delete(key)
    waiting.delete(key)
    broken.set(key, offset)
  }

  const applyWhole = ({ offset, key, value }: CompactedRecord): void => {
    broken.delete(key)
    // A copy: a record may share its memory with the whole batch that was read with it.
    const bytes = value === null ? null : new Uint8Array(value)
    if (bytes === null || bytes.length < PATCHED_MIN_BYTES) held.delete(key)
    else held.set(key, { bytes, hash: null, offset })
    waiting.set(key, bytes)
  }

  const applyTo = (key: string, offset: number, record: Uint8Array): void => {
    const before = held.get(key)
    const patch = before === undefined ? null : decodePatch(record)
    const isNext = before !== undefined && patch !== null && (before.hash ?? patch.before) === patch.before
    const bytes = isNext ? applyPatch(before.bytes, patch) : null
    if (patch === null || bytes === null) breakAt(key, offset)
    else {
      held.set(key, { bytes, hash: patch.after, offset })
      waiting.set(key, bytes)
    }
  }

  return {
    broken,
    apply: (record) => {
      const patch = parsePatchKey(record.key)
      if (patch === null) applyWhole(record)
      // A patch is removed behind the whole value that replaced it.
      else if (record.value !== null) applyTo(patch.valueKey, record.offset, record.value)
    },
    changed: () => {
      const changes: Array<ChangedValue> = []
      for (const [key, value] of waiting) {
        const last = held.get(key)
        if (last !== undefined && last.hash !== null && valueHash(last.bytes) !== last.hash) breakAt(key, last.offset)
        else changes.push({ key, value })
      }
      waiting.clear()
      return changes
    },
  }
}
