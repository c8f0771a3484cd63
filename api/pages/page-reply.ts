import { LRUCache } from "lru-cache"
import { type PreparedReply, prepare } from "../http/representation.ts"
import { assets } from "./assets.ts"

/** The media type of a page, which a browser shows with the stylesheet and the modules. */
export const HTML_TYPE = "text/html"

/** No shared cache stores a page, and a browser revalidates it each time, as its data changes. */
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

/** Rendered pages that are reused. A page is some 20 to 100 kB in three codings. */
const KEPT_MAX = 48

interface Kept {
  readonly reply: Promise<PreparedReply | null>
  readonly untilMs: number
}

/** Rendered pages by their keys. Each is made once for its lifetime; concurrent requests share one rendering. */
export class KeptReplies {
  readonly #kept = new LRUCache<string, Kept>({ max: KEPT_MAX })
  readonly #nowMs: () => number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** The reply of a key, made by `make` unless one of the last `keptMs` is cached. Failures and null are not cached. */
  get(key: string, keptMs: number, make: () => Promise<PreparedReply | null>): Promise<PreparedReply | null> {
    const nowMs = this.#nowMs()
    const known = this.#kept.get(key)
    // An entry of the future was stored before the clock was set back, and has expired.
    if (known !== undefined && nowMs < known.untilMs && known.untilMs - nowMs <= keptMs) return known.reply
    const reply = make()
    const kept = { reply, untilMs: nowMs + keptMs }
    this.#kept.set(key, kept)
    const forget = () => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key)
    }
    reply.then((made) => made === null && forget(), forget)
    return reply
  }
}
