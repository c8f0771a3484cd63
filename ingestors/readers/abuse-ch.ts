import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { INDICATOR_MAX_CHARACTERS, TAG_MAX_CHARACTERS, TAGS_MAX } from "../../schemas/values.ts"
import { type Document, type Upstream, UpstreamError } from "../document.ts"
import { abuseCh } from "../providers/abuse-ch.ts"
import type { CollectInput } from "../source.ts"
import { termsOf } from "../terms.ts"
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

/** An id as text or as a number: decodes to its text. */
const EntryId: Schema.Codec<string, unknown> = Schema.Union([
  Schema.NonEmptyString,
  Schema.Natural.pipe(
    Schema.decodeTo(Schema.String, {
      decode: SchemaGetter.transform(String),
      encode: SchemaGetter.transform(Number),
    }),
  ),
])

/** The members that the entries of both data sets have; tags are null where there are none. */
export const entryMembers = { id: EntryId, tags: maybe(Schema.Array(Schema.String)) }

/** The members of an item that are made alike of the entries of both. */
export const entryItem = (
  { id, tags }: { readonly id: string; readonly tags?: ReadonlyArray<string> | null },
  threat: string | null | undefined,
) => ({
  id: cleanText(id, 40),
  threat: cleanText(threat ?? "", 80) || "unknown",
  tags: [...new Set((tags ?? []).map((tag) => cleanText(tag, TAG_MAX_CHARACTERS)))]
    .filter((tag) => tag !== "")
    .slice(0, TAGS_MAX),
})

/** The headers of a request with the key. */
export const abuseChHeaders = (key: string | null): Readonly<Record<string, string>> =>
  key === null ? {} : { "auth-key": key }

/**
 * The rows of an answer, or why it has none: the outcome stands in `query_status`, with status 200 as well. Its words are not
 * quoted.
 */
const abuseChRows = (queryStatus: string, rows: unknown): ReadonlyArray<unknown> | UpstreamError => {
  if (queryStatus === "ok")
    return Array.isArray(rows) ? rows : new UpstreamError({ message: "the answer holds no list" })
  if (/auth_key/i.test(queryStatus)) return new UpstreamError({ message: "the key is refused", reason: "key_refused" })
  return new UpstreamError({
    message: /^no_results?$/.test(queryStatus) ? "the answer has no results" : "the query is refused",
  })
}

/** An indicator exactly as it is written; null if it would have to be cleaned, as a changed indicator names something else. */
export const indicatorOrNull = (text: string): string | null => exactText(text, INDICATOR_MAX_CHARACTERS)

/** What the sources of both data sets declare alike; `rowsOf` gives the rows of an answer, if it has any. */
export const abuseChDataSet = <Answer extends { readonly query_status: string }>({
  provider,
  siteUrl,
  termsUrl,
  recent,
  rowsOf,
}: {
  readonly provider: string
  readonly siteUrl: string
  readonly termsUrl: string
  readonly recent: Document<string | null, Answer>
  readonly rowsOf: (answer: Answer) => unknown
}) => ({
  access: abuseCh,
  documents: { recent },
  collect: (upstream: Upstream, { key }: CollectInput) => upstream.fetch(recent, key),
  rows: (answer: Answer) => abuseChRows(answer.query_status, rowsOf(answer)),
  attribution: { provider, licence: "CC0, within fair use of the service", url: siteUrl },
  terms: termsOf({
    use: "restricted",
    url: termsUrl,
    clause: "abuse.ch, 2025-11-04: not for profit; commercial use through Spamhaus",
    sold: "no",
  }),
})
