import type { IncomingMessage, ServerResponse } from "node:http"
import { type Endpoint, methodsOf } from "../../schemas/contract/endpoint-kinds.ts"
import type { ApiLogger, RequestAdmission } from "../routes/route.ts"
import { type Answers, openExchange } from "./answer.ts"
import type { Clients } from "./client.ts"
import {
  internalError,
  type Links,
  methodNotAllowed,
  notConfigured,
  notFound,
  notOffered,
  type ProblemReply,
  transportProblem,
} from "./problems.ts"
import { type Traffic, UNKNOWN_ENDPOINT } from "./traffic.ts"

/** The dependencies of replies to requests that no endpoint serves. */
export interface UnservedOptions {
  readonly endpoints: ReadonlyArray<Endpoint>
  /** Endpoints of the contract that this installation does not offer; none by default. */
  readonly notOffered?: ReadonlyArray<Endpoint>
  /** Endpoints of the contract that read a history which this installation does not keep; none by default. */
  readonly notConfigured?: ReadonlyArray<Endpoint>
  readonly traffic: Traffic
  readonly answers: Answers
  readonly admit: RequestAdmission["admit"]
  readonly clients: Clients
  readonly links: Links
  readonly logger: ApiLogger
  /** Whether a page for people may be at a path. */
  readonly isPagePath: (path: string) => boolean
}

/** Replies to requests that no endpoint serves, each to Node's own response. */
export interface UnservedReplies {
  /** No endpoint has this path and method: 404, 405, or the answer to a preflight. */
  readonly noRoute: (request: IncomingMessage, response: ServerResponse, path: string) => void
  /** A request failed before or in its handler. */
  readonly failed: (error: unknown, request: IncomingMessage, response: ServerResponse) => void
  /** The server refuses a request before routing. */
  readonly refuse: (request: IncomingMessage, response: ServerResponse, reply: ProblemReply) => void
}

const isErrorWithCode = (error: unknown): error is { readonly code: string } =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"

const READS: ReadonlySet<string> = new Set(["GET", "HEAD"])
const PAGE_METHODS = "GET, HEAD, OPTIONS"

/** Makes the replies. Refused requests count against the minute's share of their client, failed ones do not. */
export const makeUnservedReplies = (options: UnservedOptions): UnservedReplies => {
  const { endpoints, traffic, answers, admit, clients, links, logger, isPagePath } = options
  const paths = endpoints.map(({ path }) => path)
  const { notOffered: off = [], notConfigured: unread = [] } = options
  const refusals = new Map([
    ...unread.map(({ path }) => [path, notConfigured(links)] as const),
    ...off.map(({ path }) => [path, notOffered(links)] as const),
  ])
  // Also of endpoints that are not served: the refusal that a web page reads follows a preflight that must succeed.
  const declared = [...endpoints, ...off, ...unread]
  const allowed = new Map(declared.map((endpoint) => [endpoint.path, [...methodsOf(endpoint), "OPTIONS"].join(", ")]))
  const meters = new Map(endpoints.map(({ path, name }) => [path, traffic.meter(name)]))
  const unknown = traffic.meter(UNKNOWN_ENDPOINT)
  const meterOf = (path: string) => meters.get(path) ?? unknown
  const refusalOf = (path: string, allow: string | undefined): ProblemReply => {
    const refusal = refusals.get(path)
    if (refusal !== undefined) return refusal
    return allow === undefined ? notFound(path, paths, links) : methodNotAllowed(allow)
  }
  /** Where an address leads that has a slash at its end too many; null for others. */
  const withoutSlash = ({ url = "", method = "" }: IncomingMessage): string | null => {
    const [path = "", query] = url.split("?", 2)
    const own = path.replace(/\/+$/, "")
    if (own === path || own === "" || !READS.has(method)) return null
    // No other path, and so no other host, comes from what a client sent.
    if (!isPagePath(own) && allowed.get(own)?.startsWith("GET") !== true) return null
    return query === undefined ? own : `${own}?${query}`
  }
  return {
    noRoute: (request, response, path) => {
      const exchange = openExchange(request, response, meterOf(path))
      const allow = allowed.get(path) ?? (isPagePath(path) ? PAGE_METHODS : undefined)
      // A preflight does not count; the request that follows it does.
      if (request.method === "OPTIONS" && allow !== undefined) return answers.options(exchange, allow)
      if (!admit(exchange, clients.clientOf(request), "minute")) return
      const target = withoutSlash(request)
      if (target === null) answers.problem(exchange, refusalOf(path, allow))
      else answers.moved(exchange, target)
    },
    failed: (error, request, response) => {
      // The client disconnected before its request was complete: no reply is possible, and the service has not failed.
      if (request.destroyed && !request.complete) {
        response.destroy()
        return
      }
      const exchange = openExchange(request, response, meterOf((request.url ?? "").split("?")[0] ?? ""))
      const known = transportProblem(isErrorWithCode(error) ? error.code : undefined)
      if (known === null) {
        const cause = error instanceof Error ? (error.stack ?? error.message) : String(error)
        logger.error(
          { endpoint: exchange.meter.endpoint, request: answers.requestIdOf(exchange), cause },
          "a request failed",
        )
      }
      if (response.headersSent) response.destroy()
      else answers.problem(exchange, known ?? internalError())
    },
    refuse: (request, response, reply) => {
      const exchange = openExchange(request, response, unknown)
      if (admit(exchange, clients.clientOf(request), "minute")) answers.problem(exchange, reply)
    },
  }
}
