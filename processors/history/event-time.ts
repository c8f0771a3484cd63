import type { StoredRecord } from "../../schemas/ports/event-log.ts"

/** The time of an event is among its first members. */
const ENVELOPE_MAX_BYTES = 2_048

/** The time of a record's event, in milliseconds since the epoch, read without decoding its data; null where it has none. */
export const eventTimeOf = ({ value }: Pick<StoredRecord, "value">): number | null => {
  if (value === null) return null
  const time = /"time":"([^"]+)"/.exec(Buffer.from(value.subarray(0, ENVELOPE_MAX_BYTES)).toString("latin1"))?.[1]
  const epochMs = time === undefined ? Number.NaN : Date.parse(time)
  return Number.isNaN(epochMs) ? null : epochMs
}
