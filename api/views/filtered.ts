import { hash } from "node:crypto"
import type { FilteredEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import type { ViewFreshness } from "../../schemas/view-record.ts"
import type { ApiLimits } from "../http/limits.ts"
import type { AcceptedParameters } from "../http/parameters.ts"
import { makeSelect, type Select } from "../http/parameters.ts"
import type { ProblemReply } from "../http/problems.ts"
import type { Coder, PreparedReply } from "../http/representation.ts"
import { compose, type DataText, freshnessOfInputs } from "./compose.ts"
import { type CachedReply, COLD, ReplyCache } from "./reply-cache.ts"
import type { StandingView, ViewStore } from "./store.ts"

/** What parameters select of one version of a view's data. */
interface SelectedPart {
  /** Inputs of the view that the selection is made of; null where there was nothing to select from. */
  readonly inputs: ReadonlyArray<string> | null
  /** Null where the view has no data. */
  readonly data: DataText | null
  /** The selection of the endpoint's `cold` value; null where it declares none, or where there is data. */
  readonly cold: unknown
  readonly ttlMs: number
}

/** The freshness of what a selection is made of. */
const inputsFreshness = ({ inputs }: SelectedPart, freshness: ViewFreshness | null): ViewFreshness | null =>
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
 * The replies of free filtered endpoints, cached by their parameters and the version of the prepared view. Empty selections
 * with the same content share one reply, in the reserved area of the cache.
 */
export class FilteredReplies {
  readonly #store: ViewStore
  readonly #nowMs: () => number
  readonly #cache: ReplyCache<SelectedPart>
  readonly #selects = new WeakMap<FilteredEndpoint, Select>()

  constructor(options: {
    readonly store: ViewStore
    readonly nowMs: () => number
    readonly limits: ApiLimits
    readonly coder: Coder
  }) {
    const { store, nowMs, limits, coder } = options
    this.#store = store
    this.#nowMs = nowMs
    this.#cache = new ReplyCache({
      coder,
      bytesMax: limits.selectionBytesMax,
      missesPerMinute: limits.selectionsPerMinute,
      missMessage: `At most ${limits.selectionsPerMinute} selections a minute that are not kept yet are made for one client, fewer for each of a busy network.`,
    })
  }

  /** Estimated bytes of the cache. */
  get keptBytes(): number {
    return this.#cache.keptBytes
  }

  /** The reply to a request. Throws what the endpoint's `select` throws. */
  answer(endpoint: FilteredEndpoint, accepted: AcceptedParameters, client: string): FilteredAnswer {
    const nowMs = this.#nowMs()
    const standing = this.#store.standing(endpoint.path)
    const selection = this.#selectionOf(endpoint, accepted, standing, client, nowMs)
    if ("status" in selection) return { _tag: "Refused", problem: selection }
    const freshness = standing?.freshness ?? null
    const current = this.#cache.current(selection, freshness, nowMs)
    return { _tag: "Ready", prepared: current ?? this.#compose(endpoint, selection, freshness, nowMs) }
  }

  /** The data of a request, of which other formats are made. Throws what the endpoint's `select` throws. */
  selected(endpoint: FilteredEndpoint, accepted: AcceptedParameters, client: string): SelectedData {
    const standing = this.#store.standing(endpoint.path)
    const selection = this.#selectionOf(endpoint, accepted, standing, client, this.#nowMs())
    if ("status" in selection) return { _tag: "Refused", problem: selection }
    const freshness = inputsFreshness(selection.made, standing?.freshness ?? null)
    return { _tag: "Selected", data: selection.made.data, freshness }
  }

  /** The cached selection of a request, else a new one; or the refusal of a client that has caused too many. */
  #selectionOf(
    endpoint: FilteredEndpoint,
    { key, parameters }: AcceptedParameters,
    standing: StandingView | undefined,
    client: string,
    nowMs: number,
  ): CachedReply<SelectedPart> | ProblemReply {
    const full = standing?.data ?? null
    const version = this.#cache.versionOf(full)
    const known = this.#cache.get(key, version)
    if (known !== undefined) return known
    // Without data the selection is made of the small `cold` value, and costs nothing.
    const refusal = version === COLD ? null : this.#cache.refusalOfMiss(client, nowMs)
    if (refusal !== null) return refusal

    const select = this.#selects.get(endpoint) ?? makeSelect(endpoint)
    this.#selects.set(endpoint, select)
    // Without data and without `cold` there is nothing to select from, and `_meta` names every source.
    const selected = full === null && endpoint.cold === null ? null : select(full?.value ?? endpoint.cold, parameters)
    const data: DataText | null =
      full === null || selected === null
        ? null
        : { changedAt: full.changedAt, bytes: Buffer.from(JSON.stringify(selected.data)) }
    const made: SelectedPart = {
      inputs: selected?.inputs ?? null,
      data,
      cold: full === null ? (selected?.data ?? null) : null,
      ttlMs: endpoint.ttlMs(parameters),
    }
    const bytes = data?.bytes.length ?? 0
    if (data !== null && !endpoint.empty(selected?.data))
      return this.#cache.add({ key, version, made, bytes, area: "common" })
    const shared = this.#sharedOf(endpoint, made, version)
    this.#cache.share(key, shared)
    return shared
  }

  /** The one entry for all empty selections with the same content. */
  #sharedOf({ path }: FilteredEndpoint, made: SelectedPart, version: number): CachedReply<SelectedPart> {
    const { inputs, data, cold, ttlMs } = made
    const content = JSON.stringify([path, version, ttlMs, inputs, data?.bytes.toString() ?? cold])
    const key = hash("sha256", content, "base64url")
    const area = "reserved"
    return (
      this.#cache.get(key, version, area) ??
      this.#cache.add({ key, version, made, bytes: data?.bytes.length ?? 0, area })
    )
  }

  #compose(
    endpoint: FilteredEndpoint,
    selection: CachedReply<SelectedPart>,
    freshness: ViewFreshness | null,
    nowMs: number,
  ): PreparedReply {
    const { made } = selection
    const { data, cold, ttlMs } = made
    const composed = compose(endpoint, data, inputsFreshness(made, freshness), nowMs, { cold })
    const facts = { ...composed, preparedAtMs: nowMs, ttlMs }
    return this.#cache.keep(selection, freshness, nowMs, { bytes: composed.bytes, facts })
  }
}
