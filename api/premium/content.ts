import * as Effect from "effect/Effect"
import type { PremiumEndpoint, QueriedEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { EMPTY_RANGE } from "../../schemas/contract/no-charge.ts"
import type { WithheldByPath } from "../../schemas/contract/provenance.ts"
import { instant } from "../../schemas/event.ts"
import { type History, type HistoryFailed, type HistoryUndecodable, isUnprepared } from "../../schemas/ports/history.ts"
import { makeDecoder, NOTHING } from "../views/select.ts"
import type { ViewStore } from "../views/store.ts"
import { ContentUnavailable, type MakeOffer, membersOf, type PremiumContent } from "./offer.ts"
import type { HistoryQuery, QueryResult } from "./query.ts"
import { viewOffering } from "./view-offers.ts"

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
