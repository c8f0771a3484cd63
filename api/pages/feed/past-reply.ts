import { defaultParameters, type ViewEndpoint } from "../../../schemas/contract/endpoint-kinds.ts"
import type { PastMeta } from "../../../schemas/contract/reply.ts"
import { instanceKey, type Parameters } from "../../../schemas/feed.ts"
import type { Json } from "../../../schemas/json.ts"
import { makeParameterReader } from "../../http/parameters.ts"
import { type ProblemReply, parameterProblem } from "../../http/problems.ts"
import { makePastSelection, pastBody } from "../../past/route.ts"
import type { ApiTools } from "../../routes/route.ts"
import { linkAt } from "../past.ts"
import type { PastPageRequest } from "../site-page.ts"
import { type FeedGlance, glanceThen, plottedParameters } from "./glance-section.ts"

/** The reply of an endpoint that a page shows of an instant. */
export interface PastReply {
  readonly body: Json
  readonly asOf: string | null
  readonly stale: boolean
  /** Why there was no data; null where there was. */
  readonly missing: string | null
  readonly meta: PastMeta
  /** What is drawn of it; null where nothing is. */
  readonly glance: FeedGlance | null
  /** Those of the request that are no defaults. */
  readonly parameters: Parameters
  /** Where the whole reply is. */
  readonly address: string
}

/** What a call of an endpoint with the parameters of a request got at its instant, or why that is not shown. */
export const pastReply = async (
  endpoint: ViewEndpoint,
  { past }: ApiTools,
  { query, at, lastEventId, client }: PastPageRequest,
): Promise<PastReply | ProblemReply> => {
  const accepted = makeParameterReader(endpoint)(query)
  if (accepted._tag === "Refused") return parameterProblem(accepted)
  const view = await past.read({ endpoint, accepted, at, lastEventId, client })
  if (view._tag === "Refused") return view.problem
  const { bytes, asOf, stale, missing } = pastBody(endpoint, makePastSelection(endpoint)(view, accepted))
  const defaults = defaultParameters(endpoint)
  const chosen = Object.entries(accepted.parameters).filter(([name, value]) => defaults[name] !== value)
  const parameters = Object.fromEntries(chosen)
  const { known_at } = view.meta
  const others = plottedParameters(endpoint).map(async (of) => {
    const other = await past.read({
      endpoint,
      accepted: { ...accepted, parameters: of, key: instanceKey(endpoint.path, of) },
      at: known_at,
      lastEventId,
      client,
    })
    return other._tag === "Refused" ? null : (other.data?.bytes ?? null)
  })
  return {
    glance: glanceThen(endpoint, { own: view.data?.bytes ?? null, others: await Promise.all(others) }),
    body: JSON.parse(bytes.toString()),
    asOf,
    stale,
    missing: missing?.reason ?? null,
    meta: view.meta,
    parameters,
    address: linkAt(instanceKey(endpoint.path, parameters), known_at),
  }
}
