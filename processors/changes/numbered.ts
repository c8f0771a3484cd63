import { type Cursor, sequenceOf } from "../../schemas/change.ts"
import type { Offset, StoredRecord } from "../../schemas/ports/event-log.ts"

const decoder = new TextDecoder()

/** A numbered event, as log or archive hold it. */
export interface NumberedRecord {
  readonly cursor: Cursor
  readonly offset: Offset
  readonly value: Uint8Array
}

/** The numbered events among records of `deltas`. */
export const numberedIn = (records: ReadonlyArray<StoredRecord>): ReadonlyArray<NumberedRecord> =>
  records.flatMap(({ offset, value }) => {
    const cursor = value === null ? null : sequenceOf(decoder.decode(value))
    return cursor === null || value === null ? [] : [{ cursor, offset, value }]
  })
