import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http"
import { type Clients, prefixesOf } from "./client-address.ts"
import { hostProblem } from "./host.ts"
import type { ApiLimits } from "./limits.ts"
import { PrefixPlaces } from "./prefix-places.ts"
import { type ProblemReply, problem, rateLimited } from "./problems.ts"
import { boundConnections, connectionPlaces, refuseTunnel } from "./transport.ts"
import { type AnswerRequest, answerInOrder, BoundedRequest, openPipeline } from "./turns.ts"

const BUSY_RETRY_SECONDS = 1

/** Options of a server. */
export interface HttpServerOptions {
  readonly limits: ApiLimits
  readonly clients: Clients
  /** Answers a request that does not reach the framework. */
  readonly refuse: (request: IncomingMessage, response: ServerResponse, reply: ProblemReply) => void
}

/** The final coding of a body without a length is checked by the parser, which refuses another one than chunked. */
const isUnknownCoding = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined && headers["transfer-encoding"].trim().toLowerCase() !== "chunked"

const unknownCoding = (): ProblemReply =>
  problem(501, "not_implemented", "The only supported Transfer-Encoding is chunked.", {}, ["Connection", "close"])

const misdirected = (message: string): ProblemReply => problem(400, "bad_request", message, {}, ["Connection", "close"])

/**
 * Makes the server of the public port. Errors that Node would answer without a body (no Host, an unknown Expect) or not at
 * all get problem details here; pipelined requests are answered one at a time, and connections are bounded.
 */
export const makeHttpServer = (answer: RequestListener, { limits, clients, refuse }: HttpServerOptions): Server => {
  const inFlight = new PrefixPlaces<ServerResponse>(connectionPlaces(limits))

  /** Bounds the requests in flight of clients behind a proxy as connections, which there are those of the proxy. */
  const admitProxied = (request: IncomingMessage, response: ServerResponse): boolean => {
    if (!inFlight.take(prefixesOf(clients.clientOf(request)), response)) return false
    response.once("close", () => inFlight.release(response))
    return true
  }

  const turn: AnswerRequest = (request, response) => {
    const wrong = hostProblem(request.httpVersion, request.rawHeaders)
    if (request instanceof BoundedRequest && request.endsReading === true) response.shouldKeepAlive = false
    if (wrong !== null) refuse(request, response, misdirected(wrong))
    else if (isUnknownCoding(request)) refuse(request, response, unknownCoding())
    else if (clients.peerOf(request.socket).trusted && !admitProxied(request, response))
      refuse(request, response, rateLimited(BUSY_RETRY_SECONDS, "Too many of your requests are being answered."))
    else answer(request, response)
  }

  const server = createServer(
    {
      IncomingMessage: BoundedRequest,
      maxHeaderSize: limits.headerBytesMax,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      requireHostHeader: false,
    },
    (request, response) => answerInOrder(request, response, turn),
  )
  server.setTimeout(limits.stalledTimeoutMs)
  server.on("connection", (socket) => openPipeline(socket, limits.unfinishedPerConnectionMax))
  server.on("checkExpectation", (request, response) => {
    // An empty Expect has no effect.
    if (request.headers.expect?.trim() === "") answerInOrder(request, response, turn)
    else
      answerInOrder(request, response, () =>
        refuse(request, response, problem(417, "expectation_failed", "The only supported Expect is 100-continue.")),
      )
  })
  server.on("connect", (_, socket) => refuseTunnel(socket))
  boundConnections(server, clients, limits)
  return server
}
