import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type {
  FilteredEndpoint,
  ParameterRefusal,
  PremiumEndpoint,
  PreparedEndpoint,
  QueriedEndpoint,
} from "../../schemas/contract/endpoint-kinds.ts"
import { EMPTY_RANGE, INTERNAL_ERROR, NO_DATA, STALE_SOURCES, WARMING } from "../../schemas/contract/no-charge.ts"
import type { WithheldByPath } from "../../schemas/contract/provenance.ts"
import type { Meta } from "../../schemas/contract/reply.ts"
import { instant } from "../../schemas/event.ts"
import { instanceKey, type Parameters } from "../../schemas/feed.ts"
import { type History, type HistoryFailed, type HistoryUndecodable, isUnprepared } from "../../schemas/ports/history.ts"
import type { ViewFreshness } from "../../schemas/view-record.ts"
import { makeDecoder, makeSelect, NOTHING } from "../http/parameters.ts"
import type { PastView } from "../past/reader.ts"
import { freshnessOfInputs, metaOf, missingOf, NOT_LICENSED, nextChangeMs, unlicensed } from "../views/compose.ts"
import { isCurrent, type Timed } from "../views/reply-cache.ts"
import type { StandingView, ViewStore } from "../views/store.ts"
import type { HistoryQuery, QueryResult } from "./query.ts"

/** The content of a premium reply. */
export interface PremiumContent {
  /** Its members are shared: they never change. */
  readonly data: object
  /** When the data was last refreshed, or read from the history, ISO 8601; null where there is none. */
  readonly generatedAt: string | null
  readonly meta: Meta
  /** Whether a query returned no rows. */
  readonly empty: boolean
  /** Whether later replies have this content too: its text is then kept for as long as it. */
  readonly isReused: boolean
}

/** The data cannot be read now, as the history is unavailable. */
export class ContentUnavailable extends Schema.TaggedError<ContentUnavailable>()("ContentUnavailable", {
  problem: Schema.String,
}) {
  override get message() {
    return this.problem
  }
}

/** A reply before its call is charged. */
export interface Offer {
  /** Why the prepared data makes the call free of charge; null where it is charged. */
  readonly free: string | null
  /**
   * The content, made from the same data that decided `free`, or the effect that makes it, where it takes time. A fault in
   * the code is a defect. Equal contents of one version of the data are one object.
   */
  readonly content: PremiumContent | Effect.Effect<PremiumContent, ContentUnavailable>
}

/**
 * Makes the offer for accepted parameters at a time, or refuses them; of the view as it was known at an earlier instant, where
 * that is given: what was free of charge then is free of charge.
 */
export type MakeOffer = (parameters: Parameters, nowMs: number, past?: PastView) => Offer | ParameterRefusal

/** Data of a premium envelope: its members stand beside those of the envelope. */
const membersOf = (data: unknown): object => {
  if (typeof data === "object" && data !== null) return data
  throw new TypeError("the data of a premium reply is an object")
}

const unavailable = (failed: HistoryFailed | HistoryUndecodable): Effect.Effect<never, ContentUnavailable> =>
  failed._tag === "HistoryUnavailable" || (failed._tag === "HistoryRefused" && isUnprepared(failed))
    ? Effect.fail(new ContentUnavailable({ problem: failed.message }))
    : Effect.die(failed)

const queryContent = ({ data, empty }: QueryResult, nowMs: number): PremiumContent => ({
  data: membersOf(data),
  generatedAt: instant(nowMs),
  meta: { as_of: null, changed_at: null, stale_after: null, stale: false, sources: [] },
  empty,
  isReused: false,
})

/** Makes the offers of an endpoint that reads the history. */
const queryOffering = (endpoint: QueriedEndpoint, query: HistoryQuery, history: History | null): MakeOffer => {
  const decode = makeDecoder(endpoint)
  return (parameters, nowMs) => {
    const values = decode(parameters)
    const refused = query.refuse(values, nowMs)
    if (refused !== null) return refused
    const data = query.withoutHistory(values, nowMs)
    if (data !== null)
      return { free: EMPTY_RANGE, content: Effect.sync(() => queryContent({ data, empty: true }, nowMs)) }
    const run =
      history === null
        ? Effect.fail(new ContentUnavailable({ problem: "there is no history" }))
        : query.run(history, values, nowMs).pipe(Effect.catch(unavailable))
    return { free: null, content: Effect.map(run, (result) => queryContent(result, nowMs)) }
  }
}

/** Makes the offers of a premium endpoint; null for a `queried` endpoint without a query. */
export const makeOfferMaker = (
  endpoint: PremiumEndpoint,
  tools: {
    readonly store: ViewStore
    readonly queries: ReadonlyArray<HistoryQuery>
    readonly history: History | null
    /** Nothing by default. */
    readonly withheld?: WithheldByPath | undefined
  },
): MakeOffer | null => {
  if (endpoint.kind !== "queried")
    return viewOffering(endpoint, tools.store, tools.withheld?.get(endpoint.path)?.inputs ?? NOTHING)
  const query = tools.queries.find((one) => one.endpoint.path === endpoint.path)
  return query === undefined ? null : queryOffering(endpoint, query, tools.history)
}

/** The data of a call: the whole view (`inputs` null), or what the endpoint selects of it. */
interface Selected {
  readonly data: object
  readonly inputs: ReadonlyArray<string> | null
  /** Whether the data is empty by the endpoint's declaration. */
  readonly empty: boolean
  /** The inputs that it would be made of, where all of them are withheld; empty where it is made of another. */
  readonly forbidden: ReadonlyArray<string>
}

/** Cached selections of one version of a view's data. */
const SELECTIONS_MAX = 64

/** Whether every source that has ever answered is stale. */
const allStale = ({ sources }: Meta): boolean => {
  const answered = sources.filter(({ status }) => status !== null)
  return answered.length > 0 && answered.every(({ status }) => status === "stale")
}

/** Makes the selector of an endpoint. Equal selections of one version of the data are one object, so its text is cached. */
const makeSelector = (
  endpoint: FilteredEndpoint,
  withheld: ReadonlySet<string>,
): ((full: object, parameters: Parameters) => Selected) => {
  const select = makeSelect(endpoint, withheld)
  const selectAll = makeSelect(endpoint)
  const known = new WeakMap<object, Map<string, Selected>>()
  return (full, parameters) => {
    const choices = known.get(full) ?? new Map<string, Selected>()
    known.set(full, choices)
    const choice = JSON.stringify(parameters)
    const before = choices.get(choice)
    if (before !== undefined) return before
    const { data, inputs } = select(full, parameters)
    const forbidden = inputs.length === 0 && withheld.size > 0 ? selectAll(full, parameters).inputs : []
    const selected = { data: membersOf(data), inputs, empty: endpoint.empty(data), forbidden }
    if (choices.size < SELECTIONS_MAX) choices.set(choice, selected)
    return selected
  }
}

/** Makes the check that refuses parameters by the time of the request. */
const makeRefuse = (endpoint: PreparedEndpoint | FilteredEndpoint) => {
  if (endpoint.kind === "prepared") return () => null
  const decode = makeDecoder(endpoint)
  return (parameters: Parameters, nowMs: number) => endpoint.refuse(decode(parameters), nowMs)
}

/** Makes the selector of a whole view: one object for each version of the data. */
const makeWhole = (endpoint: PreparedEndpoint): ((full: object) => Selected) => {
  const known = new WeakMap<object, Selected>()
  return (full) => {
    const before = known.get(full)
    if (before !== undefined) return before
    const selected = { data: full, inputs: null, empty: endpoint.empty(full), forbidden: [] }
    known.set(full, selected)
    return selected
  }
}

/** The freshness of the selected part of a view. */
const freshnessOf = (freshness: ViewFreshness | null, inputs: Selected["inputs"]): ViewFreshness | null =>
  freshness === null || inputs === null ? freshness : freshnessOfInputs(freshness, inputs)

/** Whether one of these inputs was never read, so that data may still come. */
const isUnread = (freshness: ViewFreshness | null, inputs: Selected["inputs"]): boolean => {
  if (inputs === null) return false
  const spans = freshness?.inputs
  if (spans === undefined) return (freshness?.asOf ?? null) === null
  return inputs.some((name) => (spans[name]?.asOf ?? null) === null)
}

/** The content of a selection, and why its call is free of charge; null where it is charged. */
interface PreparedOffer {
  readonly free: string | null
  readonly content: PremiumContent
  /** When its `_meta` changes. */
  readonly untilMs: number
}

const prepareOffer = (
  { data, inputs, empty, forbidden }: Selected,
  standing: StandingView | undefined,
  nowMs: number,
): PreparedOffer => {
  const full = standing?.data ?? null
  const freshness = standing?.freshness ?? null
  const isForbidden = forbidden.length > 0
  const of = isForbidden ? unlicensed(freshness, forbidden) : freshnessOf(freshness, inputs)
  const nothing = full === null || empty
  // Data without an input never comes.
  const unfilled = nothing && inputs?.length === 0 && !isForbidden
  const unread = nothing && !unfilled && (full === null || isUnread(freshness, inputs))
  const missing = isForbidden ? NOT_LICENSED : unread ? missingOf(of) : null
  const changedAt = unfilled || missing !== null ? null : (full?.changedAt ?? null)
  const meta = metaOf(of, { changedAt, missing }, nowMs)
  const reasons: ReadonlyArray<readonly [string | undefined, boolean]> = [
    [missing?.resting === true ? missing.reason : WARMING, missing !== null],
    [NO_DATA, unfilled],
    [STALE_SOURCES, allStale(meta)],
    [EMPTY_RANGE, empty],
  ]
  return {
    free: reasons.find(([, holds]) => holds)?.[0] ?? null,
    content: { data, generatedAt: meta.as_of, meta, empty: false, isReused: true },
    untilMs: nextChangeMs(of, nowMs) ?? Number.POSITIVE_INFINITY,
  }
}

/**
 * Makes the function that prepares offers: one for each selection and freshness, and another when one of its sources becomes
 * stale. Offers are held by their selection and not in a `ReplyCache`: a premium reply's bytes are never sent twice, and an
 * entry by key would keep the data of an earlier version in memory.
 */
const makePrepare = () => {
  interface Known extends PreparedOffer, Timed {
    readonly data: StandingView["data"]
  }
  const known = new WeakMap<Selected, Known>()
  return (selected: Selected, standing: StandingView | undefined, nowMs: number): PreparedOffer => {
    const data = standing?.data ?? null
    const freshness = standing?.freshness ?? null
    const before = known.get(selected)
    if (before?.data === data && isCurrent(before, freshness, nowMs)) return before
    const offer = prepareOffer(selected, standing, nowMs)
    known.set(selected, { ...offer, data, freshness, fromMs: nowMs })
    return offer
  }
}

/**
 * Makes the offers of an endpoint that serves a view or a selection of it. Whether a call is free of charge depends on the
 * selected part alone: whether it holds data, and the freshness of its inputs.
 */
const viewOffering = (
  endpoint: PreparedEndpoint | FilteredEndpoint,
  store: ViewStore,
  withheld: ReadonlySet<string>,
): MakeOffer => {
  const { kind, path } = endpoint
  const select = endpoint.kind === "filtered" ? makeSelector(endpoint, withheld) : makeWhole(endpoint)
  const refuse = makeRefuse(endpoint)
  const conditions = endpoint.noCharge.filter(({ decided }) => decided === "before")
  const prepare = makePrepare()
  return (parameters, presentMs, past) => {
    const nowMs = past?.atMs ?? presentMs
    const refused = refuse(parameters, nowMs)
    if (refused !== null) return refused
    const key = kind === "filtered" ? path : instanceKey(path, parameters)
    const standing = past === undefined ? store.standing(key) : standingOf(past)
    const full = standing?.data ?? null
    const held = conditions.find((condition) => full !== null && condition.when?.(full.value, nowMs) === true)
    let selected: Selected
    try {
      selected = select(membersOf(full?.value ?? endpoint.cold), parameters)
    } catch (cause) {
      return { free: INTERNAL_ERROR, content: Effect.die(cause) }
    }
    const { free, content } = prepare(selected, standing, nowMs)
    return { free: held?.reason ?? free, content: past === undefined ? content : pastContent(content, past) }
  }
}

/** A view as it was known, as the store would have held it then. */
const standingOf = ({ data, freshness }: PastView): StandingView => ({
  data: data === null ? null : { changedAt: data.changedAt, value: JSON.parse(data.bytes.toString()) },
  freshness,
})

const pastContent = (content: PremiumContent, { meta: at }: PastView): PremiumContent => ({
  ...content,
  meta: { ...content.meta, at },
  isReused: false,
})
