import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { INDICATOR_MAX_CHARACTERS, TAG_MAX_CHARACTERS, TAGS_MAX } from "../../schemas/indicator.ts"
import { UpstreamError } from "../document.ts"
import { cleanText, exactText } from "./text.ts"
import { isoMs, maybe } from "./wire.ts"

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d( UTC)?$/

/** Milliseconds since the epoch of `2026-08-01 17:35:53 UTC`, with or without its zone; null if it is invalid. */
export const abuseChMs = (text: string | null | undefined): number | null =>
  text !== null && text !== undefined && TIME.test(text) ? isoMs(text.replace(/( UTC)?$/, "Z")) : null

/** Wire schema of such a time: decodes to milliseconds since the epoch. */
export const AbuseChTime: Schema.Codec<number, unknown> = Schema.String.check(
  Schema.makeFilter((text: string) => abuseChMs(text) !== null || "not a time, YYYY-MM-DD HH:MM:SS UTC"),
).pipe(
  Schema.decodeTo(Schema.Finite, {
    decode: SchemaGetter.transform((text: string) => abuseChMs(text) ?? 0),
    encode: SchemaGetter.transform((ms: number) => new Date(ms).toISOString()),
  }),
)

/** Wire schema of the id of an entry, as text or as a number: decodes to its text. */
export const AbuseChId: Schema.Codec<string, unknown> = Schema.Union([
  Schema.NonEmptyString,
  Schema.Natural.pipe(
    Schema.decodeTo(Schema.String, {
      decode: SchemaGetter.transform(String),
      encode: SchemaGetter.transform(Number),
    }),
  ),
])

/** Wire schema of tags, which are null where there are none. */
export const AbuseChTags = maybe(Schema.Array(Schema.String))

/** The headers of a request with the key. */
export const abuseChHeaders = (key: string | null): Readonly<Record<string, string>> =>
  key === null ? {} : { "auth-key": key }

/**
 * The rows of an answer, or why it has none: the outcome stands in `query_status`, with status 200 as well. Its words are not
 * quoted.
 */
export const abuseChRows = (queryStatus: string, rows: unknown): ReadonlyArray<unknown> | UpstreamError => {
  if (queryStatus === "ok")
    return Array.isArray(rows) ? rows : new UpstreamError({ message: "the answer holds no list" })
  if (/auth_key/i.test(queryStatus)) return new UpstreamError({ message: "the key is refused", reason: "key_refused" })
  return new UpstreamError({
    message: /^no_results?$/.test(queryStatus) ? "the answer has no results" : "the query is refused",
  })
}

/** An indicator as it is written; null where it cannot be shown as it is, because a changed one is another one. */
export const indicatorOrNull = (text: string): string | null => exactText(text, INDICATOR_MAX_CHARACTERS)

/** Tags, cleaned, each once. */
export const tagsOf = (tags: ReadonlyArray<string> | null | undefined): ReadonlyArray<string> =>
  [...new Set((tags ?? []).map((tag) => cleanText(tag, TAG_MAX_CHARACTERS)))]
    .filter((tag) => tag !== "")
    .slice(0, TAGS_MAX)
