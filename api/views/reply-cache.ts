import { LRUCache } from "lru-cache"
import type { ViewFreshness } from "../../schemas/view-record.ts"
import { type ProblemReply, rateLimited } from "../http/problems.ts"
import {
  bytesOf,
  type CachedCoding,
  type Coder,
  type PreparedReply,
  prepareUncoded,
  type ReplyFacts,
} from "../http/representation.ts"
import { COSTLY, minuteShare, PrefixShare } from "../http/shares.ts"

/** Estimated memory of an entry beside its bytes. */
const ENTRY_BYTES = 512
/** The version of a view that has no data. */
export const COLD = 0

/** The freshness and the instants between which something that was made of data is right. */
export interface Timed {
  readonly freshness: ViewFreshness | null
  readonly fromMs: number
  /** When a source becomes stale. */
  readonly untilMs: number
}

/** Whether the same would be made now. After the clock stepped back, what became stale may be fresh again. */
export const isCurrent = ({ freshness, fromMs, untilMs }: Timed, now: ViewFreshness | null, nowMs: number): boolean =>
  freshness === now && fromMs <= nowMs && nowMs < untilMs

/** What is made of one version of a view's data for one key, and the reply that was last composed of it. */
export interface CachedReply<Made> {
  readonly key: string
  /** See `ReplyCache.versionOf`. */
  readonly version: number
  made: Made
  /** Bytes of `made` that are not a part of its reply's body. */
  bytes: number
  readonly area: Area
  reply: (CachedCoding & Timed) | null
}

/** Half of a cache: requests that fill the `common` one do not drive out what is in `reserved`. */
type Area = "common" | "reserved"

/** The key of the entry in the reserved area with which a key shares its reply. */
type SharedKey = string

/** The body of a reply, and the facts of its headers. */
interface ComposedReply<Made> {
  readonly bytes: Buffer
  readonly facts: ReplyFacts
  /** What the body is made of, as a part of it, so that it is held once. */
  readonly enclosed?: Made
}

/**
 * Replies that are made when they are requested, kept by their keys and the version of the data that they are made of, within
 * a bound of bytes (an estimate). A reply is sent uncompressed at first, and compressed on another thread when it is requested
 * again. As a reply that is not kept costs far more than a look-up, these are limited for each client and minute.
 */
export class ReplyCache<Made> {
  readonly #areas: Readonly<Record<Area, LRUCache<string, CachedReply<Made> | SharedKey>>>
  readonly #coder: Coder
  readonly #misses: PrefixShare
  readonly #missMessage: string
  /** Numbers for versions of data, so that an entry of an earlier version does not hold that data in memory. */
  readonly #versions = new WeakMap<object, number>()
  #versionsSeen = COLD

  constructor(options: {
    readonly coder: Coder
    readonly bytesMax: number
    readonly missesPerMinute: number
    /** What a refusal of a client with too many misses says. */
    readonly missMessage: string
  }) {
    const maxSize = Math.ceil(options.bytesMax / 2)
    this.#areas = { common: new LRUCache({ maxSize }), reserved: new LRUCache({ maxSize }) }
    this.#coder = options.coder
    this.#misses = new PrefixShare(minuteShare(options.missesPerMinute, COSTLY))
    this.#missMessage = options.missMessage
  }

  /** Estimated bytes of the cache. */
  get keptBytes(): number {
    return this.#areas.common.calculatedSize + this.#areas.reserved.calculatedSize
  }

  /** The number of a version of data; `COLD` where there is none. */
  versionOf(data: object | null): number {
    if (data === null) return COLD
    const existing = this.#versions.get(data)
    if (existing !== undefined) return existing
    this.#versionsSeen += 1
    this.#versions.set(data, this.#versionsSeen)
    return this.#versionsSeen
  }

  /** The entry of a key, if it is of this version. */
  get(key: string, version: number, area: Area = "common"): CachedReply<Made> | undefined {
    const found = this.#areas[area].get(key)
    const entry = typeof found === "string" ? this.#areas.reserved.get(found) : found
    return typeof entry === "object" && entry.version === version ? entry : undefined
  }

  /** Counts a miss; returns the refusal where its client has caused too many. */
  refusalOfMiss(client: string, nowMs: number): ProblemReply | null {
    const { allowed, resetSeconds } = this.#misses.take(client, nowMs)
    return allowed ? null : rateLimited(resetSeconds, this.#missMessage)
  }

  /** Adds an entry without a reply. */
  add(entry: Omit<CachedReply<Made>, "reply">): CachedReply<Made> {
    const added = { ...entry, reply: null }
    this.#weigh(added, true)
    return added
  }

  /** Makes a key share the reply of an entry in the reserved area. */
  share(key: string, entry: CachedReply<Made>): void {
    this.#areas.common.set(key, entry.key, { size: ENTRY_BYTES + 2 * key.length })
  }

  /** The reply of an entry, if the same would be composed now; null else. It is compressed in the background. */
  current(entry: CachedReply<Made>, freshness: ViewFreshness | null, nowMs: number): PreparedReply | null {
    const { reply } = entry
    if (reply === null || !isCurrent(reply, freshness, nowMs)) return null
    if (reply.coding === "none") this.#coder.complete(reply, () => this.#weigh(entry))
    return reply.prepared
  }

  /** Gives an entry the reply that was composed of it at `nowMs`. */
  keep(
    entry: CachedReply<Made>,
    freshness: ViewFreshness | null,
    nowMs: number,
    { bytes, facts, enclosed }: ComposedReply<Made>,
  ): PreparedReply {
    const before = entry.reply
    const isSame =
      before !== null &&
      before.facts.asOf === facts.asOf &&
      before.facts.stale === facts.stale &&
      before.prepared.representations.identity.bytes.equals(bytes)
    const prepared = isSame ? before.prepared : prepareUncoded(bytes, facts)
    if (!isSame && enclosed !== undefined) {
      entry.made = enclosed
      entry.bytes = 0
    }
    entry.reply = {
      freshness,
      fromMs: nowMs,
      untilMs: facts.changesAtMs ?? Number.POSITIVE_INFINITY,
      facts,
      prepared,
      coding: isSame && before.coding === "done" ? "done" : "none",
    }
    this.#weigh(entry)
    return prepared
  }

  /** Updates the size of an entry that is still cached, or is new. */
  #weigh(entry: CachedReply<Made>, isNew = false): void {
    const { key, bytes, area, reply } = entry
    const cache = this.#areas[area]
    if (!isNew && cache.peek(key) !== entry) return
    cache.set(key, entry, {
      size: ENTRY_BYTES + 2 * key.length + bytes + (reply === null ? 0 : bytesOf(reply.prepared)),
    })
  }
}
