import { hash } from "node:crypto"
import { LRUCache } from "lru-cache"
import type { FilteredEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import type { ViewFreshness } from "../../schemas/view-record.ts"
import type { ApiLimits } from "../http/limits.ts"
import type { AcceptedParameters } from "../http/parameters.ts"
import { type ProblemReply, rateLimited } from "../http/problems.ts"
import { type PreparedReply, prepareUncoded, type ReplyFacts } from "../http/representation.ts"
import { COSTLY, minuteShare, PrefixShare } from "../http/shares.ts"
import { compose, type DataText, freshnessOfInputs } from "./compose.ts"
import { bytesOf, LazyCoding, type LazyReply } from "./lazy-coding.ts"
import { makeSelect, type Select } from "./select.ts"
import type { StandingView, ViewStore } from "./store.ts"

/** The version of a view that has no data. */
const COLD = 0
/** Estimated memory of an entry beside its bytes. */
const ENTRY_BYTES = 512

/** The reply of a selection at one freshness, between two instants. */
interface SelectedReply extends LazyReply {
  readonly freshness: ViewFreshness | null
  readonly composedAtMs: number
  readonly changesAtMs: number
}

/** A selection of one version of a view's data, and the reply that was last composed of it. */
interface CachedSelection {
  readonly key: string
  readonly version: number
  /** Inputs of the view that the selection is made of; null where there was nothing to select from. */
  readonly inputs: ReadonlyArray<string> | null
  /** Null where the view has no data. */
  readonly data: DataText | null
  /** The selection of the endpoint's `cold` value; null where it declares none, or where there is data. */
  readonly cold: unknown
  readonly ttlMs: number
  reply: SelectedReply | null
}

/** An empty selection, by the key of the selection with which it shares its reply. */
interface SharedSelection {
  readonly sharedKey: string
}

const sizeOf = ({ reply, data, key }: CachedSelection): number =>
  ENTRY_BYTES + 2 * key.length + (data?.bytes.length ?? 0) + (reply === null ? 0 : bytesOf(reply.prepared))

/** The freshness of what a selection is made of. */
const inputsFreshness = ({ inputs }: CachedSelection, freshness: ViewFreshness | null): ViewFreshness | null =>
  freshness === null || inputs === null ? freshness : freshnessOfInputs(freshness, inputs)

/** The data that a request to a filtered endpoint selects, and its freshness. */
export type SelectedData =
  | { readonly _tag: "Selected"; readonly data: DataText | null; readonly freshness: ViewFreshness | null }
  | { readonly _tag: "Refused"; readonly problem: ProblemReply }

/** The result of a request to a filtered endpoint. */
export type FilteredAnswer =
  | { readonly _tag: "Ready"; readonly prepared: PreparedReply }
  | { readonly _tag: "Refused"; readonly problem: ProblemReply }

/**
 * The replies of free filtered endpoints, cached as bytes by their parameters and the version of the prepared view, within
 * a bound of bytes. A selection that is not cached is made at once and sent uncompressed; it is compressed on another thread
 * when it is requested again. As a miss costs more than a look-up, misses are limited for each client and minute. Empty
 * selections with the same content share one reply.
 */
export class FilteredReplies {
  readonly #store: ViewStore
  readonly #nowMs: () => number
  readonly #limits: ApiLimits
  readonly #misses: PrefixShare
  readonly #choices: LRUCache<string, CachedSelection | SharedSelection>
  readonly #empty: LRUCache<string, CachedSelection>
  readonly #selects = new WeakMap<FilteredEndpoint, Select>()
  /** Numbers for versions of data, so that a selection of an earlier version does not hold that data in memory. */
  readonly #versions = new WeakMap<object, number>()
  #versionsSeen = COLD
  readonly #coding = new LazyCoding()

  constructor(options: { readonly store: ViewStore; readonly nowMs: () => number; readonly limits: ApiLimits }) {
    this.#store = options.store
    this.#nowMs = options.nowMs
    this.#limits = options.limits
    this.#misses = new PrefixShare(minuteShare(options.limits.selectionsPerMinute, COSTLY))
    const maxSize = Math.ceil(options.limits.selectionBytesMax / 2)
    this.#choices = new LRUCache({ maxSize })
    this.#empty = new LRUCache({ maxSize })
  }

  /** Estimated bytes of the cache. */
  get keptBytes(): number {
    return this.#choices.calculatedSize + this.#empty.calculatedSize
  }

  /** The reply to a request. Throws what the endpoint's `select` throws. */
  answer(endpoint: FilteredEndpoint, accepted: AcceptedParameters, client: string): FilteredAnswer {
    const nowMs = this.#nowMs()
    const standing = this.#store.standing(endpoint.path)
    const choice = this.#choiceOf(endpoint, accepted, standing, client, nowMs)
    if ("status" in choice) return { _tag: "Refused", problem: choice }
    const reply = this.#replyOf(endpoint, choice, standing?.freshness ?? null, nowMs)
    return { _tag: "Ready", prepared: reply.prepared }
  }

  /** The data of a request, of which other formats are made. Throws what the endpoint's `select` throws. */
  selected(endpoint: FilteredEndpoint, accepted: AcceptedParameters, client: string): SelectedData {
    const standing = this.#store.standing(endpoint.path)
    const choice = this.#choiceOf(endpoint, accepted, standing, client, this.#nowMs())
    if ("status" in choice) return { _tag: "Refused", problem: choice }
    const freshness = inputsFreshness(choice, standing?.freshness ?? null)
    return { _tag: "Selected", data: choice.data, freshness }
  }

  /** The cached selection of a request, else a new one; or the refusal of a client that has caused too many. */
  #choiceOf(
    endpoint: FilteredEndpoint,
    { key, parameters }: AcceptedParameters,
    standing: StandingView | undefined,
    client: string,
    nowMs: number,
  ): CachedSelection | ProblemReply {
    const version = this.#versionOf(standing?.data ?? null)
    const kept = this.#kept(key)
    if (kept?.version === version) return kept
    // Without data the selection is made of the small `cold` value, and costs nothing.
    const problem = version === COLD ? null : this.#overShare(client, nowMs)
    return problem ?? this.#choose(endpoint, { key, parameters }, standing, version)
  }

  /** Counts a cache miss; returns the refusal where its client has caused too many. */
  #overShare(client: string, nowMs: number): ProblemReply | null {
    const { allowed, resetSeconds } = this.#misses.take(client, nowMs)
    const message = `At most ${this.#limits.selectionsPerMinute} selections a minute that are not kept yet are made for one client, fewer for each of a busy network.`
    return allowed ? null : rateLimited(resetSeconds, message)
  }

  #kept(key: string): CachedSelection | undefined {
    const kept = this.#choices.get(key)
    return kept !== undefined && "sharedKey" in kept ? this.#empty.get(kept.sharedKey) : kept
  }

  #versionOf(data: StandingView["data"]): number {
    if (data === null) return COLD
    const existing = this.#versions.get(data)
    if (existing !== undefined) return existing
    this.#versionsSeen += 1
    this.#versions.set(data, this.#versionsSeen)
    return this.#versionsSeen
  }

  #choose(
    endpoint: FilteredEndpoint,
    { key, parameters }: Pick<AcceptedParameters, "key" | "parameters">,
    standing: StandingView | undefined,
    version: number,
  ): CachedSelection {
    const select = this.#selects.get(endpoint) ?? makeSelect(endpoint)
    this.#selects.set(endpoint, select)
    const full = standing?.data ?? null
    // Without data and without `cold` there is nothing to select from, and `_meta` names every source.
    const selected = full === null && endpoint.cold === null ? null : select(full?.value ?? endpoint.cold, parameters)
    const inputs = selected?.inputs ?? null
    const data: DataText | null =
      full === null || selected === null
        ? null
        : { changedAt: full.changedAt, bytes: Buffer.from(JSON.stringify(selected.data)) }
    const cold = full === null ? (selected?.data ?? null) : null
    const own: CachedSelection = { key, version, inputs, data, cold, ttlMs: endpoint.ttlMs(parameters), reply: null }
    if (data !== null && !endpoint.empty(selected?.data)) {
      this.#choices.set(key, own, { size: sizeOf(own) })
      return own
    }
    const shared = this.#shared(endpoint, own)
    this.#choices.set(key, { sharedKey: shared.key }, { size: ENTRY_BYTES + 2 * key.length })
    return shared
  }

  /** The one cached selection for all empty ones with the same content. */
  #shared({ path }: FilteredEndpoint, own: CachedSelection): CachedSelection {
    const { inputs, version, data, cold, ttlMs } = own
    const content = JSON.stringify([path, version, ttlMs, inputs, data?.bytes.toString() ?? cold])
    const key = hash("sha256", content, "base64url")
    const existing = this.#empty.get(key)
    if (existing !== undefined) return existing
    const shared = { ...own, key }
    this.#empty.set(key, shared, { size: sizeOf(shared) })
    return shared
  }

  #replyOf(
    endpoint: FilteredEndpoint,
    choice: CachedSelection,
    freshness: ViewFreshness | null,
    nowMs: number,
  ): SelectedReply {
    const before = choice.reply
    if (
      before !== null &&
      before.freshness === freshness &&
      nowMs < before.changesAtMs &&
      // After the clock stepped back, what became stale may be fresh again.
      nowMs >= before.composedAtMs
    ) {
      this.#coding.code(before, () => this.#weigh(choice))
      return before
    }
    const composed = compose(endpoint, choice.data, inputsFreshness(choice, freshness), nowMs, { cold: choice.cold })
    const facts: ReplyFacts = { ...composed, preparedAtMs: nowMs, ttlMs: choice.ttlMs }
    const isSame = before?.prepared.representations.identity.bytes.equals(composed.bytes) === true
    const reply: SelectedReply = {
      freshness,
      composedAtMs: nowMs,
      changesAtMs: composed.changesAtMs ?? Number.POSITIVE_INFINITY,
      facts,
      prepared: isSame ? before.prepared : prepareUncoded(composed.bytes, facts),
      coding: isSame && before.coding === "done" ? "done" : "none",
    }
    choice.reply = reply
    this.#weigh(choice)
    return reply
  }

  /** Updates the size of a selection that is still cached. */
  #weigh(choice: CachedSelection): void {
    if (this.#choices.peek(choice.key) === choice) this.#choices.set(choice.key, choice, { size: sizeOf(choice) })
    if (this.#empty.peek(choice.key) === choice) this.#empty.set(choice.key, choice, { size: sizeOf(choice) })
  }
}
