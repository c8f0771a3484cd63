import {
  type Endpoint,
  type FilteredEndpoint,
  isPremium,
  type OnDemandEndpoint,
  type PreparedEndpoint,
  type ViewEndpoint,
} from "../schemas/endpoint-kinds.ts"
import type { Exchange } from "./answer.ts"
import { compose } from "./compose.ts"
import { type Document, documentRoute } from "./document.ts"
import type { FilteredReplies } from "./filtered.ts"
import type { MissingData } from "./meta.ts"
import type { OnDemand } from "./on-demand.ts"
import { type AcceptedParameters, makeParameterReader } from "./parameters.ts"
import { parameterProblem } from "./problems.ts"
import { JSON_TYPE, WARMING_RETRY_SECONDS } from "./representation.ts"
import type { ApiTools, Route } from "./route.ts"

/** What routes are made with, beside what all parts of the API have. */
export interface RouteTools extends ApiTools {
  readonly onDemand: OnDemand
  readonly filtered: FilteredReplies
  readonly documents: ReadonlyArray<Document>
}

/** Answers with no data, as long as a key has never been filled and nothing is known of its sources either. */
const makeCold =
  (endpoint: ViewEndpoint, { answers }: RouteTools) =>
  (exchange: Exchange, retryAfterSeconds: number, missing?: MissingData): void => {
    const composed = compose(endpoint, null, null, 0, missing === undefined ? {} : { missing })
    const retry = composed.missing?.resting === true ? [] : ["Retry-After", String(retryAfterSeconds)]
    answers.fleeting(exchange, 200, composed.bytes, ["Content-Type", JSON_TYPE, "X-Service-Stale", "true", ...retry])
  }

/** Reads the parameters, refuses wrong ones, and goes on with what was accepted. */
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

const preparedRoute = (endpoint: PreparedEndpoint, tools: RouteTools): Route => {
  const { options, answers } = tools
  const cold = makeCold(endpoint, tools)
  return withParameters(endpoint, tools, (exchange, { key }) => {
    const prepared = options.store.get(key)
    if (prepared === undefined) cold(exchange, WARMING_RETRY_SECONDS)
    else answers.prepared(exchange, prepared)
  })
}

const filteredRoute = (endpoint: FilteredEndpoint, tools: RouteTools): Route => {
  const { answers, filtered } = tools
  return withParameters(endpoint, tools, (exchange, accepted, client) => {
    const answer = filtered.answer(endpoint, accepted, client)
    if (answer._tag === "Ready") answers.prepared(exchange, answer.prepared)
    else answers.problem(exchange, answer.problem)
  })
}

const onDemandRoute = (endpoint: OnDemandEndpoint, tools: RouteTools): Route => {
  const { answers, onDemand } = tools
  const cold = makeCold(endpoint, tools)
  return withParameters(endpoint, tools, async (exchange, accepted, client) => {
    const pending = onDemand.ask(endpoint, accepted, client)
    const answer = pending instanceof Promise ? await pending : pending
    switch (answer._tag) {
      case "Ready":
        return answers.prepared(exchange, answer.prepared)
      case "Missing":
        return cold(exchange, answer.retryAfterSeconds, answer.missing)
      case "Refused":
        return answers.problem(exchange, answer.problem)
    }
  })
}

/** Makes the route of an endpoint; null for one that a plugin serves: what costs credits, and what is carried out. */
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
