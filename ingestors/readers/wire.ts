import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { dayMs } from "../../schemas/day.ts"

/** The last millisecond of an ISO 8601 instant with a year of four digits. */
const EPOCH_MAX_MS = 253_402_300_799_999
/** A decimal of at most 100 characters: old markets send numbers of some forty digits. */
const DECIMAL = /^(?=.{1,100}$)[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i
const DAY_LENGTH = "YYYY-MM-DD".length
/** Date and time with a zone, which an instant requires. */
const ISO_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,12})?)?(Z|[+-]\d\d(:?\d\d)?)$/

/**
 * Milliseconds since the epoch of an ISO 8601 text with a zone (`Z`, `-07:00`, `+0000` or `+00`; any number of fraction
 * digits, of which milliseconds are kept), or null if the text is invalid or the day does not exist.
 */
export const isoMs = (text: string | null | undefined): number | null => {
  if (text === null || text === undefined || !ISO_TIME.test(text) || dayMs(text.slice(0, DAY_LENGTH)) === null)
    return null
  const ms = Date.parse(
    text.replace(" ", "T").replace(/([+-]\d\d):?(\d\d)?$/, (_, hours, minutes) => `${hours}:${minutes ?? "00"}`),
  )
  return Number.isFinite(ms) && ms >= 0 && ms <= EPOCH_MAX_MS ? ms : null
}

/** Wire schema of a day (`YYYY-MM-DD`, from 1970 on) that exists; decodes to the same text. */
export const Day: Schema.Codec<string, unknown> = Schema.String.check(
  Schema.makeFilter((text: string) => dayMs(text) !== null || "not a day, YYYY-MM-DD"),
)

/** Wire schema of an ISO 8601 text with a zone: decodes to milliseconds since the epoch. */
export const IsoTime: Schema.Codec<number, unknown> = Schema.String.check(
  Schema.makeFilter((text: string) => isoMs(text) !== null || "not an ISO 8601 time with a zone"),
).pipe(
  Schema.decodeTo(Schema.Finite, {
    decode: SchemaGetter.transform((text: string) => isoMs(text) ?? 0),
    encode: SchemaGetter.transform((ms: number) => new Date(ms).toISOString()),
  }),
)

/** Wire schema of a decimal, as a number or as its text (`"0.0100"`, `"1e-8"`; never an empty text). */
export const Decimal: Schema.Codec<number, unknown> = Schema.Union([
  Schema.Finite,
  Schema.String.check(Schema.isPattern(DECIMAL)).pipe(
    Schema.decodeTo(Schema.Finite, {
      decode: SchemaGetter.transform(Number),
      encode: SchemaGetter.transform(String),
    }),
  ),
])

/** Wire schema of seconds since the epoch, as a number or as its text. */
export const EpochSeconds: Schema.Codec<number, unknown> = Decimal.pipe(
  Schema.decodeTo(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: Math.floor(EPOCH_MAX_MS / 1000) }))),
)

/** Wire schema of milliseconds since the epoch. */
export const EpochMs: Schema.Codec<number, unknown> = Schema.Finite.check(
  Schema.isBetween({ minimum: 0, maximum: EPOCH_MAX_MS }),
)

/** A member that upstreams omit or send as null if they have no value. */
export const maybe = <Wire>(schema: Schema.Codec<Wire, unknown>) => Schema.optionalKey(Schema.NullOr(schema))
