import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { dayMs } from "../day.ts"
import { Instant, instant } from "../event.ts"

/**
 * A query parameter: the schema of its text, its default, and its documentation.
 * A required parameter has neither `default` nor `optional`.
 */
export interface Parameter<A = unknown> {
  readonly schema: Schema.Codec<A, string>
  readonly description: string
  /** What tool definitions say in its place, as a language model reads those of many tools at once. */
  readonly toolDescription?: string
  readonly unit?: string
  /** The text used when the parameter is absent. */
  readonly default?: string
  /** Whether the parameter may be absent, which decodes to undefined. */
  readonly optional?: boolean
  /** The effect of a wrong value: 400 unless given, or the defaults of ALL parameters. */
  readonly whenWrong?: "refuse" | "defaults"
  /** Error code of the 400 for a wrong value; `invalid_parameter` unless given. */
  readonly errorCode?: string
  /**
   * False for a parameter that is left out of tool definitions, as its replies would harm a program that acts on them by
   * itself. True unless given.
   */
  readonly forAgents?: false
  /**
   * What documents say of a right text (of each one, in a list) beside its type, where that does not follow from the schema.
   * Every regular expression engine reads the pattern: it looks neither ahead nor behind.
   */
  readonly text?: { readonly pattern: string; readonly minLength?: number; readonly maxLength?: number }
  readonly example: string
}

export type ParameterSet = Readonly<Record<string, Parameter>>

/** The decoded values of a parameter set, as a handler or a view gets them. */
export type ParameterValues<P extends ParameterSet> = {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer A>
    ? P[Name] extends { optional: true }
      ? A | undefined
      : A
    : never
}

/** A parameter whose text is one of a few words. */
export const choice = <const Words extends ReadonlyArray<string>>(
  words: Words,
  rest: Omit<Parameter, "schema" | "example"> & { readonly example?: Words[number] },
): Parameter<Words[number]> => ({
  schema: Schema.Literals(words),
  example: rest.example ?? rest.default ?? words[0] ?? "",
  ...rest,
})

/** The accepted values of a parameter that is a choice of words; else null. */
export const allowedWords = (schema: Schema.Top): ReadonlyArray<string> | null => {
  if (!("literals" in schema) || !Array.isArray(schema.literals)) return null
  return schema.literals.map(String)
}

const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/
const TEXT_MAX_CHARACTERS = 40

/**
 * A decimal number within bounds, rounded to a number of decimals after the check of its bounds. The text is a plain
 * or exponent form: no hexadecimal, no NaN, no infinity, no blanks, no empty text. Encoding gives the one canonical text of the value
 * (`34.05`, never `34.050` or `-0`), so that equal places have equal keys.
 */
export const decimal = (bounds: {
  readonly minimum: number
  readonly maximum: number
  readonly decimals: number
}): Schema.Codec<number, string> => {
  const factor = 10 ** bounds.decimals
  const isWithin = (text: string): boolean => {
    const value = Number(text)
    return text.length <= TEXT_MAX_CHARACTERS && NUMBER.test(text) && value >= bounds.minimum && value <= bounds.maximum
  }
  const message = `must be a decimal number from ${bounds.minimum} to ${bounds.maximum}`
  return Schema.String.check(Schema.makeFilter((text) => (isWithin(text) ? undefined : message))).pipe(
    Schema.decodeTo(
      Schema.Finite.check(Schema.isBetween({ minimum: bounds.minimum, maximum: bounds.maximum })).annotate({
        description: message,
      }),
      {
        // Adding zero turns the -0 that rounding can leave into 0.
        decode: SchemaGetter.transform((text) => Math.round(Number(text) * factor) / factor + 0),
        encode: SchemaGetter.transform((value) => String(value)),
      },
    ),
  )
}

/** Latitude in degrees north, at two decimals (about a kilometre). */
export const latitude = decimal({ minimum: -90, maximum: 90, decimals: 2 })

/** Longitude in degrees east, at two decimals. */
export const longitude = decimal({ minimum: -180, maximum: 180, decimals: 2 })

/**
 * A comma list of one or more distinct words of a set. Encoding gives them in the order of `words`, so that equal choices
 * have one text. `literals` lists the words for refusals and the catalog.
 */
export const wordList = <const Words extends ReadonlyArray<string>>(
  words: Words,
): Schema.Codec<ReadonlyArray<Words[number]>, string> & { readonly literals: Words } => {
  const chosen = (text: string): ReadonlyArray<string> => text.split(",").map((word) => word.trim())
  const known = (word: string): boolean => words.includes(word)
  const message = `must be a comma list of ${words.join(", ")}`
  const schema = Schema.String.check(
    Schema.makeFilter((text) => (chosen(text).every(known) ? undefined : message)),
  ).pipe(
    Schema.decodeTo(
      Schema.Array(Schema.Literals(words)).check(Schema.isMinLength(1)).annotate({ description: message }),
      {
        decode: SchemaGetter.transform((text) => words.filter((word) => chosen(text).includes(word))),
        encode: SchemaGetter.transform((list) => list.join(",")),
      },
    ),
  )
  return Object.assign(schema, { literals: words })
}

const DAY = /^(19[7-9]\d|20\d{2})-\d{2}-\d{2}$/

/** A day of the calendar in UTC, from 1970 to 2099, as YYYY-MM-DD; one that does not exist is refused. */
export const day: Schema.Codec<string, string> = Schema.String.check(
  Schema.makeFilter((text) => (dayMs(text) === null ? "must be a day of the calendar" : undefined)),
  Schema.isPattern(DAY),
).annotate({ identifier: "Day", description: "Day in UTC, YYYY-MM-DD" })

/** A whole number within bounds, in decimal digits. Encoding gives it without leading zeros. */
export const wholeNumber = (bounds: {
  readonly minimum: number
  readonly maximum: number
}): Schema.Codec<number, string> => {
  const message = `must be a whole number from ${bounds.minimum} to ${bounds.maximum}`
  const isWithin = (text: string): boolean =>
    /^-?\d{1,15}$/.test(text) && Number(text) >= bounds.minimum && Number(text) <= bounds.maximum
  return Schema.String.check(Schema.makeFilter((text) => (isWithin(text) ? undefined : message))).pipe(
    Schema.decodeTo(Schema.Int.check(Schema.isBetween(bounds)).annotate({ description: message }), {
      decode: SchemaGetter.transform((text) => Number(text) + 0),
      encode: SchemaGetter.transform(String),
    }),
  )
}

/** Day, hour, minute, second, fraction and offset. The plus of an offset that was sent unencoded arrives as a blank. */
const ISO_8601 = /^(\d{4}-\d\d-\d\d)T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,9}))?)?(?:Z|([+ -])(.+))$/i
const OFFSET = /^([01]\d|2[0-3])(?::?([0-5]\d))?$/
const MINUTE_MS = 60_000
/** The last instant whose year has four digits. */
const INSTANT_MAX_MS = Date.parse("9999-12-31T23:59:59.999Z")

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
  return ms >= 0 && ms <= INSTANT_MAX_MS ? ms : null
}

/** What documents say of an instant with its zone; not that its day exists. */
export const INSTANT_WITH_ZONE =
  /^(19[7-9]\d|[2-9]\d{3})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d([.,]\d{1,9})?)?(Z|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)$/

const MESSAGE = "must be an ISO 8601 instant with its zone, such as 2026-08-17T20:35:00Z"

/** The `Instant` of an ISO 8601 text with a zone; null where it is none. */
export const readInstant = (text: string): string | null => {
  const ms = instantMs(text)
  return ms === null ? null : instant(ms)
}

const DAY_MS = 86_400_000

/** The two instants that a day could mean, its beginning and its end in UTC; null for a text that is no day. */
export const instantsOfDay = (text: string): readonly [string, string] | null => {
  const ms = dayMs(text)
  return ms === null ? null : [instant(ms), instant(ms + DAY_MS)]
}

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
