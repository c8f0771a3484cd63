import {
  type Endpoint,
  type FilteredEndpoint,
  isPremium,
  type OnDemandEndpoint,
  type PreparedEndpoint,
  standsReady,
  type ViewEndpoint,
} from "../../schemas/contract/endpoint-kinds.ts"
import { isWhole, renditionParameters } from "../../schemas/contract/renditions.ts"
import type { ViewFreshness } from "../../schemas/view-record.ts"
import type { Exchange } from "../http/answer.ts"
import { type AcceptedParameters, makeParameterReader, type RequestQuery } from "../http/parameters.ts"
import { noTable, type ProblemReply, parameterProblem } from "../http/problems.ts"
import { JSON_TYPE, WARMING_RETRY_SECONDS } from "../http/representation.ts"
import { compose, type MissingData } from "../views/compose.ts"
import type { FilteredReplies } from "../views/filtered.ts"
import type { OnDemand } from "../views/on-demand.ts"
import { readRendition } from "../views/rendition-parameters.ts"
import type { RenditionInput, Renditions } from "../views/renditions.ts"
import { type Document, documentRoute, type LiveDocument } from "./document.ts"
import type { ApiTools, Route } from "./route.ts"

/** The tools of routes that no plugin serves. */
export interface RouteTools extends ApiTools {
  readonly onDemand: OnDemand
  readonly filtered: FilteredReplies
  readonly renditions: Renditions
  readonly documents: ReadonlyArray<Document | LiveDocument>
}

/** Makes the route of an endpoint; null for one that a plugin serves: premium endpoints, commands, changes and histories. */
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
    case "changes":
    case "history":
      return null
  }
}

/** A reply without data, made while the store holds neither data nor a freshness of the key. */
interface ColdReply {
  readonly retryAfterSeconds: number
  readonly missing?: MissingData
  readonly freshness?: ViewFreshness | null
}

/** Makes the function that sends replies without data. */
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

/** Makes the function that sends the prepared reply of a key. */
const makeReady = (endpoint: ViewEndpoint, tools: RouteTools) => {
  const { options, answers } = tools
  const cold = makeCold(endpoint, tools)
  return (exchange: Exchange, { key }: AcceptedParameters): void => {
    const prepared = options.store.get(key)
    if (prepared === undefined) cold(exchange, { retryAfterSeconds: WARMING_RETRY_SECONDS })
    else answers.prepared(exchange, prepared)
  }
}

/** Makes the function that finds the data of prepared keys. */
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

/** The data of a request that is to be rendered, or why there is none. */
type RenditionData =
  | ({ readonly _tag: "Data" } & RenditionInput)
  | { readonly _tag: "Missing"; readonly missing: MissingData; readonly retryAfterSeconds: number }
  | { readonly _tag: "Refused"; readonly problem: ProblemReply }

/** Finds the data of accepted parameters. */
type FindData = (accepted: AcceptedParameters, client: string) => RenditionData | Promise<RenditionData>

/** The problem that is sent in place of a list that would be empty for want of data. */
const missingProblem = ({ resting, reason }: MissingData, retryAfterSeconds: number): ProblemReply =>
  noTable(resting ? reason : "warming", reason, resting ? null : retryAfterSeconds)

/**
 * Makes the route of an endpoint whose replies have other formats, pages or fields. Whole JSON is that of the `plain` route, which
 * also answers for a page of a list without data, as JSON can say that there is none.
 */
const renditionRoute = (endpoint: ViewEndpoint, tools: RouteTools, plain: Route, find: FindData): Route => {
  const { answers, renditions } = tools
  const names = Object.keys(renditionParameters(endpoint))
  if (names.length === 0) return plain
  const readChosen = readRendition(endpoint)
  const readView = makeParameterReader(endpoint)

  const rendered = async (exchange: Exchange, query: RequestQuery, client: string, body: unknown): Promise<void> => {
    const chosen = readChosen(query)
    if (chosen._tag === "Refused") return answers.problem(exchange, parameterProblem(chosen))
    const { rendition, shortest } = chosen
    if (isWhole(rendition)) return plain(exchange, query, client, body)
    const accepted = readView(query)
    if (accepted._tag === "Refused") return answers.problem(exchange, parameterProblem(accepted))

    const found = await find(accepted, client)
    if (found._tag === "Refused") return answers.problem(exchange, found.problem)
    const request = { endpoint, parameters: { ...accepted.parameters, ...shortest }, rendition }
    const stands = endpoint.kind !== "filtered" && standsReady(endpoint, accepted.key)
    const made = found._tag === "Missing" ? found : renditions.answer(request, found, { client, standsReady: stands })
    if (made._tag === "Ready") return answers.prepared(exchange, made.prepared)
    if (made._tag === "Refused") return answers.problem(exchange, made.problem)
    if (rendition.format === "json") return plain(exchange, query, client, body)
    const retryAfterSeconds = found._tag === "Missing" ? found.retryAfterSeconds : WARMING_RETRY_SECONDS
    return answers.problem(exchange, missingProblem(made.missing, retryAfterSeconds))
  }

  // A request for whole JSON, the most frequent one, allocates no promise.
  return (exchange, query, client, body) =>
    names.every((name) => query[name] === undefined)
      ? plain(exchange, query, client, body)
      : rendered(exchange, query, client, body)
}
