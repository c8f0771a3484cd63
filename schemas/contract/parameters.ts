import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { dayMs } from "../day.ts"

/**
 * A query parameter: the schema of its text, its default, and its documentation.
 * A required parameter has neither `default` nor `optional`.
 */
export interface Parameter<A = unknown> {
  readonly schema: Schema.Codec<A, string>
  readonly description: string
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

const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/
const TEXT_LENGTH_MAX = 40

/**
 * A decimal number within bounds, rounded to a number of decimals after the check of its bounds. The text is a plain
 * or exponent form: no hexadecimal, no NaN, no infinity, no blanks, no empty text. Encoding gives the one canonical text of the value
 * (`34.05`, never `34.050` or `-0`), so that equal places have equal keys.
 */
const decimal = (bounds: {
  readonly minimum: number
  readonly maximum: number
  readonly decimals: number
}): Schema.Codec<number, string> => {
  const factor = 10 ** bounds.decimals
  const within = (text: string): boolean => {
    const value = Number(text)
    return text.length <= TEXT_LENGTH_MAX && NUMBER.test(text) && value >= bounds.minimum && value <= bounds.maximum
  }
  const message = `must be a decimal number from ${bounds.minimum} to ${bounds.maximum}`
  return Schema.String.check(Schema.makeFilter((text) => (within(text) ? undefined : message))).pipe(
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
