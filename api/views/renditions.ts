import { LRUCache } from "lru-cache"
import { instanceKey } from "../../schemas/feed.ts"
import type { Json } from "../../schemas/json.ts"
import type { ViewFreshness } from "../../schemas/view-record.ts"
import type { ApiLimits } from "../http/limits.ts"
import { type ProblemReply, rateLimited } from "../http/problems.ts"
import { type PreparedReply, prepareUncoded, type ReplyFacts } from "../http/representation.ts"
import { COSTLY, minuteShare, PrefixShare } from "../http/shares.ts"
import { type DataText, type MissingData, metaOf, missingOf, nextChangeMs } from "./compose.ts"
import { bytesOf, LazyCoding, type LazyReply } from "./lazy-coding.ts"
import { contentTypeFor, enclose, type Rendered, type RenditionRequest, render } from "./rendering.ts"

/** Estimated memory of an entry beside its bytes. */
const ENTRY_BYTES = 512
/** How long the parsed data of a list that is read page by page is held. */
const PARSED_KEPT_MS = 30_000

const UNREADABLE: MissingData = { resting: false, reason: "incomplete: a part of the data was never read" }

/** The data that is rendered, and its freshness. */
export interface RenditionInput {
  readonly data: DataText | null
  readonly freshness: ViewFreshness | null
}

/** The result of a request for a rendition. */
export type RenditionAnswer =
  | { readonly _tag: "Ready"; readonly prepared: PreparedReply }
  | { readonly _tag: "Missing"; readonly missing: MissingData }
  | { readonly _tag: "Refused"; readonly problem: ProblemReply }

/** A reply at one freshness, between two instants. */
interface RenderedReply extends LazyReply {
  readonly freshness: ViewFreshness | null
  readonly composedAtMs: number
  readonly changesAtMs: number
}

/** A rendition of one version of data, and the reply that was last composed of it. */
interface CachedRendition {
  readonly key: string
  readonly version: number
  /** Null where the data does not hold what is to be rendered. Its content is a part of the reply's body. */
  rendered: Rendered | null
  readonly cache: LRUCache<string, CachedRendition>
  reply: RenderedReply | null
}

const sizeOf = ({ key, rendered, reply }: CachedRendition): number => {
  const held = reply === null ? (rendered?.content.length ?? 0) : bytesOf(reply.prepared)
  return ENTRY_BYTES + 2 * key.length + held
}

/**
 * Formats and pages of the data of views, made when they are requested and kept as bytes by their parameters and the version
 * of the data, within a bound of bytes. A rendition that is not kept costs far more than a look-up, so these are limited for
 * each client and minute. Whole lists of keys that stand ready, of which there are few, are kept apart from the others, so
 * that requests for many others do not drive them out.
 */
export class Renditions {
  readonly #nowMs: () => number
  readonly #limits: ApiLimits
  readonly #misses: PrefixShare
  readonly #whole: LRUCache<string, CachedRendition>
  readonly #others: LRUCache<string, CachedRendition>
  /** The parsed data of the list that is read page by page. */
  readonly #parsed = new LRUCache<number, { readonly value: Json }>({ max: 1, ttl: PARSED_KEPT_MS, ttlAutopurge: true })
  /** Numbers for versions of data, so that a rendition of an earlier version does not hold that data in memory. */
  readonly #versions = new WeakMap<DataText, number>()
  #versionsSeen = 0
  readonly #coding = new LazyCoding()

  constructor(options: { readonly nowMs: () => number; readonly limits: ApiLimits }) {
    this.#nowMs = options.nowMs
    this.#limits = options.limits
    this.#misses = new PrefixShare(minuteShare(options.limits.renditionsPerMinute, COSTLY))
    const maxSize = Math.ceil(options.limits.renditionBytesMax / 2)
    this.#whole = new LRUCache({ maxSize })
    this.#others = new LRUCache({ maxSize })
  }

  /** Estimated bytes of the cache. */
  get keptBytes(): number {
    return this.#whole.calculatedSize + this.#others.calculatedSize
  }

  /** The reply to a request. `standsReady`: whether the data is that of one of the few keys that stand ready. */
  answer(
    request: RenditionRequest,
    { data, freshness }: RenditionInput,
    { client, standsReady }: { readonly client: string; readonly standsReady: boolean },
  ): RenditionAnswer {
    if (data === null) return { _tag: "Missing", missing: missingOf(freshness) }
    const nowMs = this.#nowMs()
    const version = this.#versionOf(data)
    const key = instanceKey(request.endpoint.path, request.parameters)
    const cache = standsReady && request.rendition.page === null ? this.#whole : this.#others
    let kept = cache.get(key)
    if (kept?.version !== version) {
      const { allowed, resetSeconds } = this.#misses.take(client, nowMs)
      const message = `At most ${this.#limits.renditionsPerMinute} formats and pages a minute that are not kept yet are made for one client, fewer for each of a busy network.`
      if (!allowed) return { _tag: "Refused", problem: rateLimited(resetSeconds, message) }
      const rendered = render(request, this.#valueOf(data, version, request.rendition.page !== null))
      kept = { key, version, rendered, cache, reply: null }
      cache.set(key, kept, { size: sizeOf(kept) })
    }
    if (kept.rendered === null) return { _tag: "Missing", missing: UNREADABLE }
    return { _tag: "Ready", prepared: this.#replyOf(request, kept, kept.rendered, { data, freshness }, nowMs).prepared }
  }

  #versionOf(data: DataText): number {
    const existing = this.#versions.get(data)
    if (existing !== undefined) return existing
    this.#versionsSeen += 1
    this.#versions.set(data, this.#versionsSeen)
    return this.#versionsSeen
  }

  /** Parses data. That of a list of which further pages may be requested is held for a while. */
  #valueOf({ bytes }: DataText, version: number, isPaged: boolean): Json {
    const known = this.#parsed.get(version)
    if (known !== undefined) return known.value
    const value: Json = JSON.parse(bytes.toString())
    if (isPaged) this.#parsed.set(version, { value })
    return value
  }

  #replyOf(
    request: RenditionRequest,
    kept: CachedRendition,
    { content, headers }: Rendered,
    { data, freshness }: RenditionInput,
    nowMs: number,
  ): RenderedReply {
    const before = kept.reply
    const isCurrent =
      before !== null &&
      before.freshness === freshness &&
      nowMs < before.changesAtMs &&
      // After the clock stepped back, what became stale may be fresh again.
      nowMs >= before.composedAtMs
    if (before !== null && isCurrent) {
      this.#coding.code(before, () => this.#weigh(kept))
      return before
    }
    const { endpoint, parameters, rendition } = request
    const meta = metaOf(freshness, { changedAt: data?.changedAt ?? null, missing: null }, nowMs)
    const changesAtMs = nextChangeMs(freshness, nowMs)
    const facts: ReplyFacts = {
      preparedAtMs: nowMs,
      ttlMs: endpoint.ttlMs(parameters),
      changesAtMs,
      asOf: meta.as_of,
      stale: meta.stale,
      missing: null,
      contentType: contentTypeFor(rendition),
      headers,
    }
    const body = enclose(request, content, meta)
    const reply: RenderedReply = {
      freshness,
      composedAtMs: nowMs,
      changesAtMs: changesAtMs ?? Number.POSITIVE_INFINITY,
      facts,
      prepared: prepareUncoded(body.bytes, facts),
      coding: "none",
    }
    kept.rendered = { content: body.content, headers }
    kept.reply = reply
    this.#weigh(kept)
    return reply
  }

  /** Updates the size of a rendition that is still cached. */
  #weigh(kept: CachedRendition): void {
    if (kept.cache.peek(kept.key) === kept) kept.cache.set(kept.key, kept, { size: sizeOf(kept) })
  }
}
