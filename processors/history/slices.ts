import type { Batch, Offset, StoredRecord } from "../../schemas/ports/event-log.ts"

/** The records of a topic in [from, to), in order. */
export interface Slice {
  readonly from: Offset
  readonly to: Offset
  readonly records: ReadonlyArray<StoredRecord>
}

/** Bounds of one slice. */
const SLICE_RECORDS_MAX = 5_000
export const SLICE_BYTES_MAX = 2 * 1024 * 1024

/** Splits consecutive batches into slices of a bounded size; a single record may exceed the bound. */
export const slicesOf = (
  from: Offset,
  batches: ReadonlyArray<Batch>,
  recordsMax: number = SLICE_RECORDS_MAX,
  bytesMax: number = SLICE_BYTES_MAX,
): ReadonlyArray<Slice> => {
  const slices: Array<Slice> = []
  let start = from
  let records: Array<StoredRecord> = []
  let bytes = 0
  const cut = (to: Offset) => {
    slices.push({ from: start, to, records })
    start = to
    records = []
    bytes = 0
  }
  for (const batch of batches)
    for (const record of batch.records) {
      if (record.offset < start) continue
      const size = record.value?.byteLength ?? 0
      if (records.length > 0 && (records.length >= recordsMax || bytes + size > bytesMax)) cut(record.offset)
      records.push(record)
      bytes += size
    }
  const next = batches.at(-1)?.next ?? from
  if (next > start) cut(next)
  return slices
}

/** The part of a slice in [from, to). */
export const part = (slice: Slice, from: Offset, to: Offset): Slice => ({
  from: Math.max(slice.from, from),
  to: Math.min(slice.to, to),
  records: slice.records.filter(({ offset }) => offset >= from && offset < to),
})
