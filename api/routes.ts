import { buildCatalog, defaultParameters } from "../schemas/catalog.ts"
import type { Endpoint } from "../schemas/endpoint.ts"
import { buildOpenApi } from "../schemas/openapi.ts"
import type { Answers, Exchange } from "./answer.ts"
import { compose } from "./compose.ts"
import { type OnDemand, warmingReasons } from "./on-demand.ts"
import { type Accepted, makeParameterReader, type Query } from "./parameters.ts"
import { parameterProblem } from "./problems.ts"
import { prepareNow } from "./representation.ts"
import type { ApiOptions } from "./server.ts"

/** Answers one request to an endpoint. `client` is the key under which its client counts; `body` is its JSON, not decoded. */
export type Route = (exchange: Exchange, query: Query, client: string, body: unknown) => void | Promise<void>

/** What routes are made with. */
export interface RouteTools {
  readonly options: ApiOptions
  readonly answers: Answers
  readonly onDemand: OnDemand
}

const WARMING_RETRY_SECONDS = 5

/** Answers with no data, as long as a key has never been filled and nothing is known of its sources either. */
const makeCold =
  (endpoint: Endpoint, answers: Answers) =>
  (exchange: Exchange, retryAfterSeconds: number, reason?: string): void =>
    answers.fleeting(exchange, 200, compose(endpoint, null, null, 0, reason).bytes, [
      "Content-Type",
      "application/json; charset=utf-8",
      "X-Service-Stale",
      "true",
      "Retry-After",
      String(retryAfterSeconds),
    ])

/** Reads the parameters, refuses wrong ones, and goes on with what was accepted. */
const withParameters = (
  endpoint: Endpoint,
  answers: Answers,
  answer: (exchange: Exchange, accepted: Accepted, client: string) => void | Promise<void>,
): Route => {
  const read = makeParameterReader(endpoint)
  return (exchange, query, client) => {
    const accepted = read(query)
    return accepted._tag === "Refused"
      ? answers.problem(exchange, parameterProblem(accepted))
      : answer(exchange, accepted, client)
  }
}

const preparedRoute = (endpoint: Endpoint, { options, answers }: RouteTools): Route => {
  const cold = makeCold(endpoint, answers)
  return withParameters(endpoint, answers, (exchange, { key }) => {
    const prepared = options.store.get(key)
    if (prepared === undefined) cold(exchange, WARMING_RETRY_SECONDS)
    else answers.prepared(exchange, prepared)
  })
}

const onDemandRoute = (endpoint: Endpoint, { answers, onDemand }: RouteTools): Route => {
  const cold = makeCold(endpoint, answers)
  return withParameters(endpoint, answers, async (exchange, accepted, client) => {
    const pending = onDemand.ask(endpoint, accepted, client)
    const answer = pending instanceof Promise ? await pending : pending
    switch (answer._tag) {
      case "Ready":
        return answers.prepared(exchange, answer.prepared)
      case "Warming":
        return cold(exchange, answer.retryAfterSeconds, warmingReasons[answer.reason])
      case "Refused":
        return answers.problem(exchange, answer.problem)
    }
  })
}

/** A document of the service's own, prepared once. */
const documentRoute = (endpoint: Endpoint, value: unknown, { options, answers }: RouteTools): Route => {
  const prepared = prepareNow(Buffer.from(JSON.stringify(value)), {
    preparedAtMs: options.nowMs(),
    ttlMs: endpoint.ttlMs(defaultParameters(endpoint)),
    changesAtMs: null,
    asOf: null,
    stale: null,
    warming: false,
  })
  return (exchange) => answers.prepared(exchange, prepared)
}

const healthRoute =
  ({ options, answers }: RouteTools): Route =>
  (exchange) => {
    const nowMs = options.nowMs()
    const body = {
      status: "ok",
      version: options.version,
      uptime: Math.max(0, Math.floor((nowMs - options.startedAtMs) / 1000)),
      ts: nowMs,
    }
    answers.fleeting(exchange, 200, Buffer.from(JSON.stringify(body)), [
      "Content-Type",
      "application/json; charset=utf-8",
    ])
  }

/** Makes the route of an endpoint; null for one that a plugin serves. */
export const makeRoute = (endpoint: Endpoint, tools: RouteTools): Route | null => {
  const { options } = tools
  if (endpoint.method === "GET" && endpoint.tier === "free" && endpoint.kind === "prepared")
    return preparedRoute(endpoint, tools)
  if (endpoint.method === "GET" && endpoint.tier === "free" && endpoint.kind === "onDemand")
    return onDemandRoute(endpoint, tools)
  if (endpoint.kind === "service")
    switch (endpoint.name) {
      case "health":
        return healthRoute(tools)
      case "catalog":
        return documentRoute(endpoint, buildCatalog(options), tools)
      case "openapi":
        return documentRoute(endpoint, buildOpenApi(options), tools)
    }
  return null
}
