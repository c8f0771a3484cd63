import { LRUCache } from "lru-cache"
import type { FilteredEndpoint } from "../schemas/endpoint-kinds.ts"
import type { ViewFreshness } from "../schemas/view-record.ts"
import { compose, type DataText } from "./compose.ts"
import type { ApiLimits } from "./limits.ts"
import { freshnessOfInputs } from "./meta.ts"
import type { Accepted } from "./parameters.ts"
import { type ProblemReply, rateLimited } from "./problems.ts"
import { RateLimit } from "./rate-limit.ts"
import { isSmall, type Prepared, prepare, prepareNow, prepareUncoded, type ReplyFacts } from "./representation.ts"
import { makeSelect, type Select } from "./select.ts"
import type { StandingView, ViewStore } from "./view-store.ts"

const MINUTE_MS = 60_000
/** Replies that are compressed at the same time; beyond it they are sent as they are for now. */
const COMPRESSING_MAX = 2
/** What an entry takes beside its bytes, about. */
const ENTRY_BYTES = 512

/** The reply of a selection at one freshness, between two instants. */
interface Reply {
  readonly freshness: ViewFreshness | null
  readonly composedAtMs: number
  readonly changesAtMs: number
  readonly facts: ReplyFacts
  prepared: Prepared
  coding: "none" | "running" | "done"
}

/** What was selected of one version of a view's data, and its reply as it was last composed. */
interface Choice {
  readonly key: string
  readonly version: number
  readonly inputs: ReadonlyArray<string>
  /** Null where the view has no data. */
  readonly data: DataText | null
  readonly ttlMs: number
  reply: Reply | null
}

const sizeOf = ({ reply, data }: Choice): number => {
  const representations = Object.values(reply?.prepared.representations ?? {})
  const coded = new Set(representations.map(({ bytes }) => bytes))
  return [...coded].reduce((sum, bytes) => sum + bytes.length, ENTRY_BYTES + (data?.bytes.length ?? 0))
}

/** What there is to say to a request. */
export type FilteredAnswer =
  | { readonly _tag: "Ready"; readonly prepared: Prepared }
  | { readonly _tag: "Refused"; readonly problem: ProblemReply }

/**
 * The replies of free filtered endpoints, kept as bytes by their parameters and the version of the prepared view, within a
 * bound of bytes. A selection that is not kept is made at once and sent uncompressed; it is compressed on another thread
 * when it is requested again. As such a selection costs more than a look-up, a client may cause only so many of them in a
 * minute. Selections that are empty and say the same share one reply.
 */
export class FilteredReplies {
  readonly #store: ViewStore
  readonly #nowMs: () => number
  readonly #limits: ApiLimits
  readonly #misses: RateLimit
  readonly #choices: LRUCache<string, Choice>
  readonly #empty: LRUCache<string, Choice>
  readonly #selects = new WeakMap<FilteredEndpoint, Select>()
  /** Numbers for versions of data, so that a choice of an earlier version does not keep that data in memory. */
  readonly #versions = new WeakMap<object, number>()
  #versionsSeen = 0
  #compressing = 0

  constructor(options: { readonly store: ViewStore; readonly nowMs: () => number; readonly limits: ApiLimits }) {
    this.#store = options.store
    this.#nowMs = options.nowMs
    this.#limits = options.limits
    this.#misses = new RateLimit({ max: options.limits.selectionsPerMinute, windowMs: MINUTE_MS })
    const { selectionBytesMax } = options.limits
    this.#choices = new LRUCache({ maxSize: selectionBytesMax })
    this.#empty = new LRUCache({ maxSize: selectionBytesMax })
  }

  /** Bytes that are kept, about. */
  get keptBytes(): number {
    return this.#choices.calculatedSize + this.#empty.calculatedSize
  }

  /** The reply to a request. Throws what the endpoint's own selection throws. */
  answer(endpoint: FilteredEndpoint, { key, parameters }: Accepted, client: string): FilteredAnswer {
    const nowMs = this.#nowMs()
    const standing = this.#store.standing(endpoint.path)
    const full = standing?.data?.value ?? endpoint.cold
    const version = this.#versionOf(full)
    let choice = this.#choices.get(key)
    if (choice === undefined || choice.version !== version) {
      const share = this.#misses.take(client, nowMs)
      if (!share.allowed) {
        const message = `At most ${this.#limits.selectionsPerMinute} selections a minute that were not requested before are made for one client.`
        return { _tag: "Refused", problem: rateLimited(share.resetSeconds, message) }
      }
      choice = this.#choose(endpoint, { key, parameters }, standing, version)
    }
    const reply = this.#replyOf(endpoint, choice, standing?.freshness ?? null, nowMs)
    return { _tag: "Ready", prepared: reply.prepared }
  }

  #versionOf(full: unknown): number {
    if (typeof full !== "object" || full === null) return 0
    const existing = this.#versions.get(full)
    if (existing !== undefined) return existing
    this.#versionsSeen += 1
    this.#versions.set(full, this.#versionsSeen)
    return this.#versionsSeen
  }

  #choose(
    endpoint: FilteredEndpoint,
    { key, parameters }: Pick<Accepted, "key" | "parameters">,
    standing: StandingView | undefined,
    version: number,
  ): Choice {
    const select = this.#selects.get(endpoint) ?? makeSelect(endpoint)
    this.#selects.set(endpoint, select)
    const full = standing?.data ?? null
    // Without data and without a shape for that case there is nothing to select from: every source is named.
    const selected = full === null && endpoint.cold === null ? null : select(full?.value ?? endpoint.cold, parameters)
    const inputs = selected?.inputs ?? []
    const data: DataText | null =
      full === null || selected === null
        ? null
        : { changedAt: full.changedAt, bytes: Buffer.from(JSON.stringify(selected.data)) }
    const own: Choice = { key, version, inputs, data, ttlMs: endpoint.ttlMs(parameters), reply: null }
    const choice = data === null || endpoint.empty(selected?.data) ? this.#shared(endpoint, own) : own
    this.#choices.set(key, choice, { size: choice === own ? sizeOf(own) : ENTRY_BYTES })
    return choice
  }

  /** The one choice of all that hold nothing and say the same. */
  #shared({ path }: FilteredEndpoint, own: Choice): Choice {
    const key = JSON.stringify([path, own.inputs, own.data?.bytes.toString() ?? null])
    const existing = this.#empty.get(key)
    if (existing !== undefined && existing.version === own.version) return existing
    const shared = { ...own, key }
    this.#empty.set(key, shared, { size: sizeOf(shared) })
    return shared
  }

  #replyOf(endpoint: FilteredEndpoint, choice: Choice, freshness: ViewFreshness | null, nowMs: number): Reply {
    const before = choice.reply
    if (
      before !== null &&
      before.freshness === freshness &&
      nowMs < before.changesAtMs &&
      // A clock that stepped back since: what became stale may be fresh again.
      nowMs >= before.composedAtMs
    ) {
      this.#code(choice, before)
      return before
    }
    const of = freshness === null || choice.data === null ? freshness : freshnessOfInputs(freshness, choice.inputs)
    const composed = compose(endpoint, choice.data, of, nowMs)
    const facts: ReplyFacts = { ...composed, preparedAtMs: nowMs, ttlMs: choice.ttlMs }
    const isSame = before?.prepared.representations.identity.bytes.equals(composed.bytes) === true
    const reply: Reply = {
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

  /** Compresses a reply that was requested again, behind the request. */
  #code(choice: Choice, reply: Reply): void {
    if (reply.coding !== "none") return
    const { bytes } = reply.prepared.representations.identity
    if (isSmall(bytes)) {
      reply.prepared = prepareNow(bytes, reply.facts)
      reply.coding = "done"
      this.#weigh(choice)
      return
    }
    if (this.#compressing >= COMPRESSING_MAX) return
    this.#compressing += 1
    reply.coding = "running"
    // A failure to compress can only be a lack of memory: the process must not go on as if nothing were.
    prepare(bytes, reply.facts).then((prepared) => {
      reply.prepared = prepared
      reply.coding = "done"
      this.#compressing -= 1
      this.#weigh(choice)
    })
  }

  /** Counts the bytes of a choice anew, where it is still kept. */
  #weigh(choice: Choice): void {
    for (const kept of [this.#choices, this.#empty])
      if (kept.peek(choice.key) === choice) kept.set(choice.key, choice, { size: sizeOf(choice) })
  }
}
