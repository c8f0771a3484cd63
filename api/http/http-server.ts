import { createServer, IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { type Clients, prefixesOf } from "./client.ts"
import type { ApiLimits } from "./limits.ts"
import { type PlaceLimits, PrefixPlaces } from "./prefix-places.ts"
import { type ProblemReply, problem, rateLimited, transportProblem } from "./problems.ts"
import { PROBLEM_TYPE } from "./representation.ts"
import { newRequestId } from "./traffic.ts"

const BUSY_RETRY_SECONDS = 1
/** Connections that count for the server although their place was given to another, until they are closed. */
const ENDING_CONNECTIONS_MAX = 64
/** Time for a refused client to read the reply before its connection is destroyed. */
const REFUSED_LINGER_MS = 1_000

/** Options of a server. */
interface HttpServerOptions {
  readonly limits: ApiLimits
  readonly clients: Clients
  /** Answers a request that does not reach the framework. */
  readonly refuse: (request: IncomingMessage, response: ServerResponse, reply: ProblemReply) => void
}

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

/** The most connections of a client, a network and a provider, and of all clients. Requests in flight behind proxies too. */
const connectionPlaces = (limits: ApiLimits): PlaceLimits => ({
  client: limits.connectionsPerClientMax,
  network: limits.connectionsPerNetworkMax,
  provider: limits.connectionsPerProviderMax,
  inAll: limits.connectionsMax,
})

/**
 * Bounds the connections of a server: of each client, of each network and provider, which may hold many clients, and in total.
 * Where a network or the server is full, a newcomer takes the place of the oldest connection of the heaviest client that waits
 * for that client. The connections of trusted proxies are bounded by the total alone.
 */
const boundConnections = (server: Server, clients: Clients, limits: ApiLimits): void => {
  server.maxConnections = limits.connectionsMax + ENDING_CONNECTIONS_MAX
  const places = new PrefixPlaces<Socket>(connectionPlaces(limits), (socket) => {
    const waits = waitsForClient(socket)
    if (waits) socket.destroy()
    return waits
  })
  server.on("connection", (socket) => {
    const { client, trusted } = clients.peerOf(socket)
    if (trusted) return
    if (places.take(prefixesOf(client), socket)) socket.once("close", () => places.release(socket))
    else socket.destroy()
  })
}

/** A Host field by RFC 9110: a name or an address, and a port. It may be empty. */
const AUTHORITY = /^(?:[\w.~!$&'()*+,;=%-]*|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?$/

/** The error message for the Host of an HTTP request; null where it is valid. `rawHeaders` is Node's flat list. */
const hostProblem = (httpVersion: string, rawHeaders: ReadonlyArray<string>): string | null => {
  let host: string | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length !== 4 || name.toLowerCase() !== "host") continue
    if (host !== undefined) return "The request has more than one Host."
    host = rawHeaders[at + 1]
  }
  if (host === undefined) return httpVersion === "1.1" ? "The request has no Host." : null
  return AUTHORITY.test(host) ? null : "The Host of the request is not well-formed."
}

/** The final coding of a body without a length is checked by the parser, which refuses another one than chunked. */
const isUnknownCoding = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined && headers["transfer-encoding"].trim().toLowerCase() !== "chunked"

const unknownCoding = (): ProblemReply =>
  problem(501, "not_implemented", "The only supported Transfer-Encoding is chunked.", {}, ["Connection", "close"])

const misdirected = (message: string): ProblemReply => problem(400, "bad_request", message, {}, ["Connection", "close"])

// Pipelined requests.

/** Answers a request once those before it on its connection are answered. */
type AnswerRequest = (request: IncomingMessage, response: ServerResponse) => void

/** The requests of one connection without a complete reply: one is being answered, the others wait. */
interface Pipeline {
  readonly unfinishedMax: number
  readonly waiting: Array<readonly [IncomingMessage, ServerResponse, AnswerRequest]>
  running: readonly [IncomingMessage, ServerResponse] | null
  /** Ends the connection once no request waits; null while it stays open. */
  last: (() => void) | null
  /** Whether `next` is scheduled, or will run when the current reply is written. */
  busy: boolean
  readonly next: () => void
}

const pipelines = new WeakMap<Socket, Pipeline>()

const makePipeline = (socket: Socket, unfinishedMax: number): Pipeline => {
  const pipeline: Pipeline = {
    unfinishedMax,
    waiting: [],
    running: null,
    last: null,
    busy: false,
    next: () => {
      const first = socket.destroyed || socket.writableEnded ? undefined : pipeline.waiting.shift()
      pipeline.busy = first !== undefined
      if (first === undefined) {
        pipeline.running = null
        pipeline.last?.()
        return
      }
      const [request, response, turn] = first
      pipeline.running = [request, response]
      response.on("close", pipeline.next)
      turn(request, response)
    },
  }
  return pipeline
}

/**
 * Serialises the pipelined requests of a connection: the next one is processed when the reply before it is written. A
 * connection thus costs one reply at a time, also where its client does not read.
 */
const openPipeline = (socket: Socket, unfinishedMax: number): void => {
  const pipeline = makePipeline(socket, unfinishedMax)
  pipelines.set(socket, pipeline)
  socket.once("close", () => {
    pipeline.waiting.length = 0
    pipeline.last = null
    pipeline.running?.[1].destroy()
  })
}

/**
 * Answers a request when those before it on its connection are answered, and everything received with it is parsed: a
 * connection with too many requests at once is ended before the first of them is processed.
 */
const answerInOrder = (request: IncomingMessage, response: ServerResponse, turn: AnswerRequest): void => {
  const pipeline = pipelines.get(request.socket)
  if (pipeline === undefined) {
    turn(request, response)
    return
  }
  pipeline.waiting.push([request, response, turn])
  if (pipeline.busy) return
  pipeline.busy = true
  process.nextTick(pipeline.next)
}

/** Whether a request that was received whole is still to be answered. */
const isReplyDue = ({ busy, waiting, running }: Pipeline): boolean =>
  busy && (waiting.length > 0 || running?.[0].complete === true)

/** Whether a connection waits for its client: to send a request, the rest of one, or to read what was sent. */
const waitsForClient = (socket: Socket): boolean => {
  const pipeline = pipelines.get(socket)
  return pipeline === undefined || !isReplyDue(pipeline) || socket.writableLength > 0
}

/**
 * Ends a connection from which no more is read: at once, or after the replies that are due on it. None is due for an
 * incomplete request, which is not processed if it still waits: its body would never end.
 */
const afterReplies = (socket: Socket, end: () => void): void => {
  const pipeline = pipelines.get(socket)
  if (pipeline?.waiting.at(-1)?.[0].complete === false) pipeline.waiting.pop()
  if (pipeline !== undefined && isReplyDue(pipeline)) pipeline.last = end
  else end()
}

const isFull = (socket: Socket): boolean => {
  const pipeline = pipelines.get(socket)
  if (pipeline === undefined) return false
  return pipeline.waiting.length + (pipeline.running === null ? 0 : 1) >= pipeline.unfinishedMax
}

/**
 * A request as Node's parser makes it. The parser processes everything received at once, which may be thousands of
 * requests, and stops early only at a request to upgrade the protocol. A request beyond the bound of its connection
 * therefore reports an upgrade: Node emits `upgrade`, and ends the connection as it has no listener.
 */
class BoundedRequest extends IncomingMessage {
  declare private isUpgrade: boolean
  /**
   * Whether the parser stopped behind this request, as another protocol may begin there. Where the upgrade is not taken, Node
   * drops what was received with the request, perhaps half a request, so what follows can no longer be read.
   */
  declare endsReading: boolean | undefined

  get upgrade(): boolean {
    return this.isUpgrade
  }

  // Set by the parser before the request joins its pipeline; read again when everything is parsed.
  set upgrade(requested: boolean | null) {
    // Node sets it once more, to false, where the upgrade is not taken.
    if (requested === true) this.endsReading = true
    this.isUpgrade = requested === true || isFull(this.socket)
  }
}

// Input that is no request.

/** A request line, as RFC 9112 has it. */
const REQUEST_LINE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ \S+ HTTP\/1\.[01]\r?$/

const send = (socket: Duplex, { status, body }: ProblemReply): void => {
  const text = JSON.stringify(body)
  socket.end(
    [
      `HTTP/1.1 ${status} ${body.title}`,
      `Content-Type: ${PROBLEM_TYPE}`,
      `Content-Length: ${Buffer.byteLength(text)}`,
      "Cache-Control: no-store",
      "Access-Control-Allow-Origin: *",
      `X-Request-Id: ${newRequestId()}`,
      "Connection: close",
      "",
      text,
    ].join("\r\n"),
  )
  setTimeout(() => socket.destroy(), REFUSED_LINGER_MS).unref()
}

const notImplemented = (): ProblemReply => problem(501, "not_implemented", "This method is not supported.")

/** An error of Node's HTTP parser. */
interface ParserError {
  readonly code?: string | undefined
  /** The received bytes, as a Buffer. */
  readonly rawPacket?: unknown
  readonly bytesParsed?: number | undefined
}

/** Whether the parser stopped at a well-formed request whose method it does not know. */
const isUnknownMethod = ({ code, rawPacket, bytesParsed = 0 }: ParserError): boolean => {
  if (code !== "HPE_INVALID_METHOD" || !Buffer.isBuffer(rawPacket)) return false
  const begin = rawPacket.lastIndexOf("\n", bytesParsed) + 1
  const end = rawPacket.indexOf("\n", begin)
  return end > begin && REQUEST_LINE.test(rawPacket.toString("latin1", begin, end))
}

/** Replies to input that is not a request (headers too large, too slow, not HTTP) with a problem, and ends the connection. */
export const refuseConnection = (error: ParserError, socket: Socket): void => {
  if (error.code === "ECONNRESET") socket.destroy()
  const reply = isUnknownMethod(error)
    ? notImplemented()
    : (transportProblem(error.code) ?? problem(400, "bad_request", "The request is not well-formed HTTP."))
  afterReplies(socket, () => {
    if (socket.writable) send(socket, reply)
    else socket.destroy()
  })
}

/** Refuses CONNECT, as this service is not a proxy. */
const refuseTunnel = (socket: Duplex): void => send(socket, notImplemented())
