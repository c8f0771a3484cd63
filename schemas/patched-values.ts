import { applyPatch, decodePatch, PATCHED_BYTES_MIN, parsePatchKey, valueHash } from "./value-patch.ts"

/** A record of a compacted topic. */
interface CompactedRecord {
  readonly offset: number
  readonly key: string
  readonly value: Uint8Array | null
}

/** The value of a key after the records that were applied; `null`: it is removed. */
export interface ChangedValue {
  readonly key: string
  readonly value: Uint8Array | null
}

/**
 * Puts the values of `views` or `checkpoints` together from their records in order.
 *
 * A reader that compaction overtakes may meet patches whose value, or some of whose predecessors, have gone: all of them
 * were replaced by a whole value that follows. Such a value is broken until that comes, and damaged only if it is still
 * broken at the end of the log. Nothing else than a value that was once committed is ever given: a patched one is held
 * against the hash that its last patch names.
 */
export interface PatchedValues {
  readonly apply: (record: CompactedRecord) => void
  /** The values that have changed since this was asked last. */
  readonly changed: () => ReadonlyArray<ChangedValue>
  /** The offset of the record at which each broken value broke, by its key. */
  readonly broken: ReadonlyMap<string, number>
}

interface HeldValue {
  readonly bytes: Uint8Array
  /** What the last patch says that the value is; null where it came whole. */
  readonly hash: string | null
  readonly offset: number
}

/** Begins with nothing. Holds the values that can be patched, and no others. */
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
    if (value === null || value.length < PATCHED_BYTES_MIN) held.delete(key)
    // A copy: a record may share its memory with all that was read with it.
    else held.set(key, { bytes: new Uint8Array(value), hash: null, offset })
    waiting.set(key, held.get(key)?.bytes ?? value)
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
