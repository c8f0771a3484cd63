import {
  type Endpoint,
  type FilteredEndpoint,
  isPremium,
  isView,
  standsReady,
  type ViewEndpoint,
} from "../../../schemas/contract/endpoint-kinds.ts"
import { hasPast } from "../../../schemas/contract/past.ts"
import type { Meta } from "../../../schemas/contract/reply.ts"
import { instant } from "../../../schemas/event.ts"
import type { Json } from "../../../schemas/json.ts"
import { exampleBody } from "../../../schemas/printers/openapi.ts"
import { makeParameterReader, makeSelect } from "../../http/parameters.ts"
import type { ApiOptions } from "../../routes/route.ts"
import { type ComposedBody, compose, freshnessOfInputs } from "../../views/compose.ts"

/** The data of a reply that is parsed to be shown; a larger one is only linked. */
const SHOWN_MAX_BYTES = 512 * 1024

/** The reply that a page shows. */
export interface ShownReply {
  /** `live`: what a call gets now; `waiting`: the same, while there is no data; `example`: the example of the contract. */
  readonly state: "live" | "waiting" | "example"
  readonly body: Json
  /** When its data was last confirmed, ISO 8601; null where it was not, and for an example. */
  readonly asOf: string | null
  readonly stale: boolean
  /** When its data becomes stale; null where it has no such time, and for an example. */
  readonly staleAfter: string | null
  /** Why it is no live data; null where it is. */
  readonly reason: string | null
  readonly renderedAt: string
}

const shownOf = ({ bytes, asOf, stale, missing }: ComposedBody, renderedAt: string): ShownReply => {
  const body = JSON.parse(bytes.toString())
  return {
    state: missing === null ? "live" : "waiting",
    body,
    asOf,
    stale,
    staleAfter: (body._meta as Meta).stale_after,
    reason: missing?.reason ?? null,
    renderedAt,
  }
}

/** The reply to a call of a filtered endpoint without parameters; null where its data is too large to be shown. */
const selectedReply = (
  endpoint: FilteredEndpoint,
  parameters: Readonly<Record<string, string>>,
  { store }: ApiOptions,
  nowMs: number,
): ComposedBody | null => {
  const standing = store.standing(endpoint.path)
  const freshness = standing?.freshness ?? null
  const full = standing?.data ?? null
  if (full === null && endpoint.cold === null) return compose(endpoint, null, freshness, nowMs)
  const selection = makeSelect(endpoint)(full?.value ?? endpoint.cold, parameters)
  const own = freshness === null ? null : freshnessOfInputs(freshness, selection.inputs)
  if (full === null) return compose(endpoint, null, own, nowMs, { cold: selection.data })
  const bytes = Buffer.from(JSON.stringify(selection.data))
  return bytes.length > SHOWN_MAX_BYTES ? null : compose(endpoint, { changedAt: full.changedAt, bytes }, own, nowMs)
}

const readyReply = (endpoint: ViewEndpoint, key: string, { store }: ApiOptions, nowMs: number): ComposedBody | null => {
  const { data = null, freshness = null } = store.dataOf(key) ?? {}
  return (data?.bytes.length ?? 0) > SHOWN_MAX_BYTES ? null : compose(endpoint, data, freshness, nowMs)
}

/** Whether the page of an endpoint shows a reply that has a past: what a call without parameters and without a token gets. */
export const showsPast = (endpoint: Endpoint): endpoint is ViewEndpoint => {
  if (isPremium(endpoint) || !hasPast(endpoint)) return false
  const accepted = makeParameterReader(endpoint)({})
  return accepted._tag === "Accepted" && standsReady(endpoint, accepted.key)
}

/** What a call of an endpoint without parameters gets now; the example where such a call costs credits or a fetch. */
export const shownReply = (endpoint: Endpoint, options: ApiOptions): ShownReply => {
  const nowMs = (options.judgedMs ?? options.nowMs)()
  const exampleBecause = (reason: string): ShownReply => ({
    state: "example",
    body: exampleBody(endpoint),
    asOf: null,
    stale: false,
    staleAfter: null,
    reason,
    renderedAt: instant(nowMs),
  })
  if (endpoint.tier === "premium")
    return exampleBecause("A call costs credits, so the example of the contract stands here.")
  if (!isView(endpoint)) return exampleBecause("The example of the contract.")
  const accepted = makeParameterReader(endpoint)({})
  if (accepted._tag === "Refused")
    return exampleBecause("A call needs parameters, so the example of the contract stands here.")
  if (!standsReady(endpoint, accepted.key))
    return exampleBecause("A call is fetched on request, so the example of the contract stands here.")
  const composed =
    endpoint.kind === "filtered"
      ? selectedReply(endpoint, accepted.parameters, options, nowMs)
      : readyReply(endpoint, accepted.key, options, nowMs)
  return composed === null ? exampleBecause("The reply is too long for this page.") : shownOf(composed, instant(nowMs))
}
