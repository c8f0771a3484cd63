import { type PreparedReply, prepare } from "../http/representation.ts"
import { assets } from "./assets.ts"

/** The media type of a page, which a browser shows with the stylesheet and the modules. */
export const HTML_TYPE = "text/html"

/** Pages are never stored for others, and are revalidated each time: their data goes on. */
const CACHE_CONTROL = "private, no-cache"

/** Prepares the reply with a page, in HTML or Markdown. `policy`: directives in place of the common ones. */
export const preparePage = (
  text: string,
  facts: {
    readonly mediaType: string
    readonly nowMs: number
    readonly headers: ReadonlyArray<string>
    readonly policy?: Readonly<Record<string, string>>
  },
): Promise<PreparedReply> =>
  prepare(Buffer.from(text), {
    preparedAtMs: facts.nowMs,
    ttlMs: 0,
    changesAtMs: null,
    asOf: null,
    stale: null,
    missing: null,
    contentType: `${facts.mediaType}; charset=utf-8`,
    cacheControl: CACHE_CONTROL,
    headers: facts.headers,
    ...(facts.mediaType === HTML_TYPE ? { contentPolicy: assets().policyOf(facts.policy) } : {}),
  })
