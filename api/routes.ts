import {
  type Endpoint,
  type FilteredEndpoint,
  isPremium,
  type OnDemandEndpoint,
  type PreparedEndpoint,
  standsReady,
  type ViewEndpoint,
} from "../schemas/contract/endpoint-kinds.ts"
import type { ViewFreshness } from "../schemas/view-record.ts"
import { type Document, documentRoute, type LiveDocument } from "./document.ts"
import type { Exchange } from "./http/answer.ts"
import { type AcceptedParameters, makeParameterReader } from "./http/parameters.ts"
import { parameterProblem } from "./http/problems.ts"
import { JSON_TYPE, WARMING_RETRY_SECONDS } from "./http/representation.ts"
import { type FindData, type RenditionData, renditionRoute } from "./rendition-route.ts"
import type { ApiTools, Route } from "./route.ts"
import { compose } from "./views/compose.ts"
import type { FilteredReplies } from "./views/filtered.ts"
import type { MissingData } from "./views/meta.ts"
import type { OnDemand } from "./views/on-demand.ts"
import type { Renditions } from "./views/renditions.ts"

/** The tools of routes that no plugin serves. */
export interface RouteTools extends ApiTools {
  readonly onDemand: OnDemand
  readonly filtered: FilteredReplies
  readonly renditions: Renditions
  readonly documents: ReadonlyArray<Document | LiveDocument>
}

/** A reply without data, made while the store holds neither data nor a freshness of the key. */
interface ColdReply {
  readonly retryAfterSeconds: number
  readonly missing?: MissingData
  readonly freshness?: ViewFreshness | null
}

/** Makes what sends replies without data. */
const makeCold =
  (endpoint: ViewEndpoint, { answers }: RouteTools) =>
  (exchange: Exchange, { retryAfterSeconds, missing, freshness = null }: ColdReply): void => {
    const composed = compose(endpoint, null, freshness, 0, missing === undefined ? {} : { missing })
    const retry = composed.missing?.resting === true ? [] : ["Retry-After", String(retryAfterSeconds)]
    answers.fleeting(exchange, 200, composed.bytes, ["Content-Type", JSON_TYPE, "X-Service-Stale", "true", ...retry])
  }

/** Makes a route that refuses wrong parameters with 400. */
const withParameters = (
  endpoint: Endpoint,
  { answers }: RouteTools,
  answer: (exchange: Exchange, accepted: AcceptedParameters, client: string) => void | Promise<void>,
): Route => {
  const read = makeParameterReader(endpoint)
  return (exchange, query, client) => {
    const accepted = read(query)
    return accepted._tag === "Refused"
      ? answers.problem(exchange, parameterProblem(accepted))
      : answer(exchange, accepted, client)
  }
}

/** Makes what sends the reply of a key that stands ready. */
const makeReady = (endpoint: ViewEndpoint, tools: RouteTools) => {
  const { options, answers } = tools
  const cold = makeCold(endpoint, tools)
  return (exchange: Exchange, { key }: AcceptedParameters): void => {
    const prepared = options.store.get(key)
    if (prepared === undefined) cold(exchange, { retryAfterSeconds: WARMING_RETRY_SECONDS })
    else answers.prepared(exchange, prepared)
  }
}

/** Makes what finds the data of keys that stand ready. */
const makeReadyData =
  ({ options: { store } }: RouteTools) =>
  ({ key }: AcceptedParameters): RenditionData => {
    const { data = null, freshness = null } = store.dataOf(key) ?? {}
    return { _tag: "Data", data, freshness }
  }

const preparedRoute = (endpoint: PreparedEndpoint, tools: RouteTools): Route => {
  const whole = withParameters(endpoint, tools, makeReady(endpoint, tools))
  return renditionRoute(endpoint, tools, whole, makeReadyData(tools))
}

const filteredRoute = (endpoint: FilteredEndpoint, tools: RouteTools): Route => {
  const { answers, filtered } = tools
  const whole = withParameters(endpoint, tools, (exchange, accepted, client) => {
    const answer = filtered.answer(endpoint, accepted, client)
    if (answer._tag === "Ready") answers.prepared(exchange, answer.prepared)
    else answers.problem(exchange, answer.problem)
  })
  return renditionRoute(endpoint, tools, whole, (accepted, client) => {
    const selected = filtered.selected(endpoint, accepted, client)
    return selected._tag === "Refused" ? selected : { ...selected, _tag: "Data" }
  })
}

const onDemandRoute = (endpoint: OnDemandEndpoint, tools: RouteTools): Route => {
  const { answers, onDemand } = tools
  const cold = makeCold(endpoint, tools)
  const ready = makeReady(endpoint, tools)
  const readyData = makeReadyData(tools)
  const find: FindData = async (accepted, client) => {
    if (standsReady(endpoint, accepted.key)) return readyData(accepted)
    const answer = await onDemand.answer(endpoint, accepted, client)
    return answer._tag === "Ready" ? readyData(accepted) : answer
  }
  const whole = withParameters(endpoint, tools, async (exchange, accepted, client) => {
    if (standsReady(endpoint, accepted.key)) return ready(exchange, accepted)
    const pending = onDemand.answer(endpoint, accepted, client)
    const answer = pending instanceof Promise ? await pending : pending
    switch (answer._tag) {
      case "Ready":
        return answers.prepared(exchange, answer.prepared)
      case "Missing":
        return cold(exchange, answer)
      case "Refused":
        return answers.problem(exchange, answer.problem)
    }
  })
  return renditionRoute(endpoint, tools, whole, find)
}

/** Makes the route of an endpoint; null for one that a plugin serves: premium endpoints and commands. */
export const makeRoute = (endpoint: Endpoint, tools: RouteTools): Route | null => {
  switch (endpoint.kind) {
    case "prepared":
      return isPremium(endpoint) ? null : preparedRoute(endpoint, tools)
    case "filtered":
      return isPremium(endpoint) ? null : filteredRoute(endpoint, tools)
    case "on-demand":
      return onDemandRoute(endpoint, tools)
    case "document": {
      const document = tools.documents.find((one) => one.endpoint.path === endpoint.path)
      return document === undefined ? null : documentRoute(document, tools)
    }
    case "queried":
    case "command":
      return null
  }
}
