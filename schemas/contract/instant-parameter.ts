import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { dayMs } from "../day.ts"
import { Instant, instant } from "../event.ts"

/** Day, hour, minute, second, fraction and offset. The plus of an offset that was sent unencoded arrives as a blank. */
const ISO_8601 = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?(?:Z|([+ -])(.+))$/i
const OFFSET = /^([01]\d|2[0-3])(?::?([0-5]\d))?$/
const MINUTE_MS = 60_000
/** The last instant whose year has four digits. */
const INSTANT_MS_MAX = Date.parse("9999-12-31T23:59:59.999Z")

/** Minutes east of Greenwich; null if the text is not an offset. */
const offsetMinutes = (sign: string | undefined, text: string | undefined): number | null => {
  if (sign === undefined || text === undefined) return 0
  const [found, hours, minutes = "0"] = OFFSET.exec(text) ?? []
  if (found === undefined) return null
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

/**
 * Milliseconds since the epoch of an ISO 8601 instant with a zone, from 1970 on; null if the text is not one. Digits below
 * the millisecond are cut off. The seconds may be left out; a leap second is none.
 */
const instantMs = (text: string): number | null => {
  const [, day, hour, minute, second = "0", fraction = "", sign, offset] = ISO_8601.exec(text) ?? []
  const midnightMs = day === undefined ? null : dayMs(day)
  const east = offsetMinutes(sign, offset)
  if (midnightMs === null || east === null) return null
  const minutes = Number(hour) * 60 + Number(minute) - east
  const ms = midnightMs + minutes * MINUTE_MS + Number(second) * 1000 + Number(fraction.padEnd(3, "0").slice(0, 3))
  return ms >= 0 && ms <= INSTANT_MS_MAX ? ms : null
}

const MESSAGE = "must be an ISO 8601 instant with its zone, such as 2026-08-17T20:35:00Z"

/** An ISO 8601 instant with its zone. Decoding gives the instant in UTC with milliseconds, its one canonical text. */
export const instantText: Schema.Codec<string, string> = Schema.String.check(
  Schema.makeFilter((text) => (instantMs(text) === null ? MESSAGE : undefined)),
).pipe(
  Schema.decodeTo(Instant, {
    // The check above refuses texts without an instant.
    decode: SchemaGetter.transform((text) => instant(instantMs(text) ?? 0)),
    encode: SchemaGetter.transform((text) => text),
  }),
)
