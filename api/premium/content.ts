import { Effect, Result, Schema } from "effect"
import {
  type Endpoint,
  INTERNAL_ERROR,
  NO_DATA,
  type Selection,
  STALE_SOURCES,
  WARMING,
} from "../../schemas/endpoint.ts"
import { instant } from "../../schemas/event.ts"
import { instanceKey, type Parameters } from "../../schemas/feed.ts"
import type { History, HistoryFailed, HistoryUndecodable } from "../../schemas/ports/history.ts"
import type { Meta } from "../../schemas/reply.ts"
import { freshnessOfInputs, metaOf } from "../compose.ts"
import type { ViewStore } from "../view-store.ts"
import type { Query } from "./query.ts"

/** What a reply says. */
export interface Content {
  /** Its members are shared: they never change. */
  readonly data: object
  /** When the data was last refreshed, ISO 8601, or asked of the history; null where there is none. */
  readonly generatedAt: string | null
  readonly meta: Meta
  /** A query has found nothing. */
  readonly empty: boolean
}

/** The data cannot be had now: the history does not answer. */
export class ContentUnavailable extends Schema.TaggedError<ContentUnavailable>()("ContentUnavailable", {
  problem: Schema.String,
}) {
  override get message() {
    return this.problem
  }
}

/** What is known of a reply before anything is charged. */
export interface Offer {
  /** Why it will be free of charge, as the prepared data has it; null when it is to be charged. */
  readonly free: string | null
  /** Makes the content, of the data that was looked at for `free`. A mistake in our code is a defect. */
  readonly content: Effect.Effect<Content, ContentUnavailable>
}

/** Why parameters that are right each by itself cannot be asked for together. */
export interface Refused {
  readonly parameter: string
  readonly message: string
  readonly allowed?: ReadonlyArray<string>
}

/** Looks at what there is to serve for accepted parameters, at a time. */
export type Offering = (parameters: Parameters, nowMs: number) => Offer | Refused

const makeDecode = ({
  parameters,
}: Pick<Endpoint, "parameters">): ((texts: Parameters) => Readonly<Record<string, unknown>>) => {
  const decoders = Object.entries(parameters).map(
    ([name, { schema }]) => [name, Schema.decodeUnknownResult(schema)] as const,
  )
  return (texts) =>
    Object.fromEntries(
      decoders.map(([name, decode]) => {
        const text = texts[name]
        // Texts that were accepted decode.
        return [name, text === undefined ? undefined : Result.getOrThrow(decode(text))]
      }),
    )
}

/** What a call is given: the whole view (`inputs` null), or what the endpoint selects of it. */
type Selected = Omit<Selection<object>, "inputs"> & { readonly inputs: Selection["inputs"] | null }

/** Choices that are remembered of one version of a view's data; the words of a list can come in any order. */
const SELECTIONS_MAX = 64

/** Every source that has ever answered is stale beyond its promise. */
const allStale = ({ sources }: Meta): boolean => {
  const answered = sources.filter(({ status }) => status !== null)
  return answered.length > 0 && answered.every(({ status }) => status === "stale")
}

/** What was selected of data that is still served: the same choice is the same object, whose text is written once. */
const makeSelector = ({ path, kind, select, ...endpoint }: Endpoint) => {
  if (kind !== "filtered") return (full: object): Selected => ({ data: full, inputs: null, empty: false })
  if (select === null) throw new Error(`${path} is filtered and selects nothing`)
  const decode = makeDecode(endpoint)
  const known = new WeakMap<object, Map<string, Selected>>()
  return (full: object, parameters: Parameters): Selected => {
    const choices = known.get(full) ?? new Map<string, Selected>()
    known.set(full, choices)
    const choice = JSON.stringify(parameters)
    const before = choices.get(choice)
    if (before !== undefined) return before
    // Data of a premium envelope is an object: its members stand beside those of the envelope.
    const selected = select(full, decode(parameters) as never) as Selected
    if (choices.size < SELECTIONS_MAX) choices.set(choice, selected)
    return selected
  }
}

/**
 * Replies made of a view: the whole of it, or what the endpoint selects. What is free of charge is decided by the part
 * that was asked for: whether it holds data, and where its own inputs stand.
 */
const viewOffering = (endpoint: Endpoint, store: ViewStore): Offering => {
  const { kind, path } = endpoint
  const selectorOf = makeSelector(endpoint)
  const conditions = endpoint.noCharge.filter(({ decided, when }) => decided === "before" && when !== undefined)
  return (parameters, nowMs) => {
    const standing = store.standing(kind === "filtered" ? path : instanceKey(path, parameters))
    const full = standing?.data ?? null
    const freshness = standing?.freshness ?? null
    const held = conditions.find(({ when }) => full !== null && when?.(full.value, nowMs) === true)
    let selected: Selected
    try {
      selected = selectorOf((full?.value ?? endpoint.cold) as object, parameters)
    } catch (cause) {
      return { free: INTERNAL_ERROR, content: Effect.die(cause) }
    }
    const { data, inputs } = selected
    const empty = full === null || selected.empty
    // Nothing but inputs that have no data yet: it may come. Without an input it will not.
    const warming = empty && inputs?.length !== 0
    const of = freshness === null || inputs === null ? freshness : freshnessOfInputs(freshness, inputs)
    const meta = metaOf(of, { changedAt: empty ? null : (full?.changedAt ?? null), warming }, nowMs)
    const reason = warming ? WARMING : empty ? NO_DATA : allStale(meta) ? STALE_SOURCES : null
    return {
      free: held?.reason ?? reason,
      content: Effect.succeed({ data, generatedAt: meta.as_of, meta, empty: false }),
    }
  }
}

const unavailable = (failed: HistoryFailed | HistoryUndecodable): Effect.Effect<never, ContentUnavailable> =>
  failed._tag === "HistoryUnavailable"
    ? Effect.fail(new ContentUnavailable({ problem: failed.message }))
    : Effect.die(failed)

/** Replies asked of the history. */
const queryOffering = (endpoint: Endpoint, query: Query, history: History | null): Offering => {
  const decode = makeDecode(endpoint)
  return (parameters, nowMs) => {
    const values = decode(parameters)
    const refused = query.refuse(values, nowMs)
    if (refused !== null) return refused
    const run =
      history === null
        ? Effect.fail(new ContentUnavailable({ problem: "there is no history" }))
        : query.run(history, values, nowMs).pipe(Effect.catch(unavailable))
    return {
      free: null,
      content: Effect.map(run, ({ data, empty }) => ({
        data: data as object,
        generatedAt: instant(nowMs),
        meta: { as_of: null, changed_at: null, stale_after: null, stale: false, sources: [] },
        empty,
      })),
    }
  }
}

/** How an endpoint's replies are made; null where there is no way to make them. */
export const makeOffering = (
  endpoint: Endpoint,
  tools: { readonly store: ViewStore; readonly queries: ReadonlyArray<Query>; readonly history: History | null },
): Offering | null => {
  if (endpoint.kind === "prepared" || endpoint.kind === "filtered") return viewOffering(endpoint, tools.store)
  const query = tools.queries.find((one) => one.endpoint.path === endpoint.path)
  return endpoint.kind === "queried" && query !== undefined ? queryOffering(endpoint, query, tools.history) : null
}
