import { applyPatch, decodePatch, PATCHED_BYTES_MIN, parsePatchKey, valueHash } from "./value-patch.ts"

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
export interface PatchedValues {
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
    if (bytes === null || bytes.length < PATCHED_BYTES_MIN) held.delete(key)
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
