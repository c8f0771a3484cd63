import { setTimeout as sleep } from "node:timers/promises"
import type { FastifyInstance } from "fastify"
import { parseCursor } from "../../schemas/change.ts"
import type { ChangesEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import type { Parameters } from "../../schemas/feed.ts"
import type { Exchange } from "../http/answer.ts"
import { prefixesOf } from "../http/client.ts"
import { makeParameterReader, type RequestQuery } from "../http/parameters.ts"
import { PrefixPlaces } from "../http/prefix-places.ts"
import { type ProblemReply, parameterProblem, problem } from "../http/problems.ts"
import { prepareChosen } from "../http/representation.ts"
import type { ApiTools, Route } from "../routes/route.ts"
import { SocketConnection } from "./connection.ts"
import { type ChangeFilter, changingFeeds, filterOf, makeReady } from "./filter.ts"
import type { ChangesSource } from "./follower.ts"
import { registerMetrics } from "./metrics.ts"
import { type ChangePage, newestPage, pageBehind, pageBody } from "./page.ts"
import { changesUnavailable, cursorGone, otherLog, placeOf } from "./place.ts"
import { PacedReads } from "./reads.ts"
import { ChangeStreams, TICK_MS } from "./streams.ts"
import { type ChangeWindow, placeIn } from "./window.ts"

/** How long a request waits until the log was first read to its end. */
const FILLED_WAIT_MS = 5_000
const PLACE_RETRY_SECONDS = 30
/** What of the past a page is stays so, but for what is removed for its licence. */
const CLOSED = "public, max-age=3600"
const OPEN = "no-cache"
const NEXT_CURSOR = "X-Service-Next-Cursor"

const tooMany = (status: 429 | 503, message: string): ProblemReply =>
  problem(status, "too_many_streams", message, { retry_after_seconds: PLACE_RETRY_SECONDS }, [
    "Retry-After",
    String(PLACE_RETRY_SECONDS),
  ])

/** A stream or a waiting call: both hold a place. */
interface Seat {
  /** Gives its place to another client, which holds fewer. */
  readonly leave: () => void
}

/** What a request asks for. */
interface ChangesRequest {
  readonly parameters: Parameters
  readonly filter: ChangeFilter
}

/** Makes the reader of the requests of a door. A parameter that it does not have is refused: a misspelt filter would be none. */
const makeRequestReader = (
  endpoint: ChangesEndpoint,
  { options }: ApiTools,
): ((query: RequestQuery) => ChangesRequest | ProblemReply) => {
  const read = makeParameterReader(endpoint)
  const feeds = changingFeeds(options.endpoints)
  const names = Object.keys(endpoint.parameters)
  return (query) => {
    if (Object.keys(query).some((name) => !names.includes(name)))
      return problem(400, "unknown_parameter", "This endpoint takes the parameters in allowed, and no other.", {
        allowed: names,
      })
    const accepted = read(query)
    if (accepted._tag === "Refused") return parameterProblem(accepted)
    const filter = filterOf(accepted.parameters, feeds)
    return filter._tag === "Refused" ? parameterProblem(filter) : { parameters: accepted.parameters, filter }
  }
}

/** What the routes of the doors share. */
class Doors {
  readonly window: ChangeWindow
  readonly reads: PacedReads
  readonly streams: ChangeStreams
  readonly #tools: ApiTools
  readonly #seats: PrefixPlaces<Seat>
  /** Pages by where their changes came from, and refused seats by why. */
  readonly counts = { pages: { window: 0, log: 0 }, refused: { client: 0, full: 0 } }

  constructor(tools: ApiTools, { log, window }: ChangesSource) {
    const { limits, options } = tools
    this.#tools = tools
    this.window = window
    this.reads = new PacedReads(log, {
      ready: makeReady(changingFeeds(options.endpoints)),
      nowMs: () => performance.now(),
      pause: (ms) => sleep(ms),
    })
    this.streams = new ChangeStreams({
      window,
      reads: this.reads,
      nowMs: options.nowMs,
      random: Math.random,
      soon: (run) => void setImmediate(run),
    })
    const { streamsPerClientMax: client, streamsPerNetworkMax: network } = limits
    const { streamsPerProviderMax: provider, streamsMax: inAll } = limits
    this.#seats = new PrefixPlaces<Seat>({ client, network, provider, inAll }, (seat) => {
      seat.leave()
      return true
    })
  }

  /** Why no changes can be served now; null where they can. */
  async unavailable(): Promise<ProblemReply | null> {
    if (!this.window.isFilled)
      await Promise.race([this.window.filled, sleep(FILLED_WAIT_MS, undefined, { ref: false })])
    return this.window.isFilled && !this.streams.isDraining ? null : changesUnavailable()
  }

  /** Gives a client a place; null where it got one. It is held until `release`. */
  take(client: string, seat: Seat): ProblemReply | null {
    if (this.#seats.take(prefixesOf(client), seat)) return null
    const isFull = this.streams.open + this.streams.calls.count >= this.#tools.limits.streamsMax
    this.counts.refused[isFull ? "full" : "client"] += 1
    return isFull
      ? tooMany(503, "All streams of this process are taken. Retry after Retry-After, or read pages.")
      : tooMany(
          429,
          "This client or its network holds as many streams and waiting calls as it may. Share one, or read pages.",
        )
  }

  release(seat: Seat): void {
    this.#seats.release(seat)
  }
}

const pageRoute = (endpoint: ChangesEndpoint, tools: ApiTools, doors: Doors): Route => {
  const { answers, coder, options } = tools
  const { window, reads, streams, counts } = doors
  const readRequest = makeRequestReader(endpoint, tools)

  const send = async (exchange: Exchange, page: ChangePage, isClosed: boolean): Promise<void> => {
    const body = pageBody(page)
    const encoded = await coder.once(body, exchange.request.headers["accept-encoding"])
    const facts = { preparedAtMs: options.nowMs(), ttlMs: 0, changesAtMs: null, asOf: null, stale: null, missing: null }
    answers.prepared(exchange, prepareChosen(body, encoded, { ...facts, cacheControl: isClosed ? CLOSED : OPEN }))
  }

  /** Waits for a change behind `after`. Without a place, the client is refused; `over`: another client has got its place. */
  const wait = async (
    exchange: Exchange,
    client: string,
    { filter, after, untilMs }: { readonly filter: ChangeFilter; readonly after: number; readonly untilMs: number },
  ): Promise<ProblemReply | "over" | "woken"> => {
    const { promise, resolve } = Promise.withResolvers<"over" | "woken">()
    const wake = () => resolve("woken")
    const seat: Seat = { leave: () => resolve("over") }
    const refused = doors.take(client, seat)
    if (refused !== null) return refused
    const waiter = { filter, after, untilMs, wake }
    exchange.response.once("close", wake)
    streams.calls.wait(waiter)
    const outcome = await promise
    streams.calls.forget(waiter)
    exchange.response.off("close", wake)
    doors.release(seat)
    return outcome
  }

  return async (exchange, query, client) => {
    const asked = readRequest(query)
    if ("status" in asked) return answers.problem(exchange, asked)
    const unavailable = await doors.unavailable()
    if (unavailable !== null) return answers.problem(exchange, unavailable)
    const { parameters, filter } = asked
    const limit = Number(parameters.limit)
    const waitMs = exchange.request.method === "HEAD" ? 0 : Number(parameters.wait) * 1_000
    const newest = parameters.after === undefined ? newestPage(window, filter, limit) : null
    if (newest !== null && (newest.changes.length > 0 || waitMs === 0)) {
      counts.pages.window += 1
      return send(exchange, newest, false)
    }
    const isWanted = () => !exchange.response.destroyed
    const place = await placeOf(parameters.after ?? "now", window, reads, isWanted)
    if (place._tag === "Refused") return answers.problem(exchange, place.problem)

    // Where now and the start are moves on: what follows them is another page an hour later.
    const isCursor = parseCursor(parameters.after ?? "") !== null
    let untilMs = options.nowMs() + waitMs
    let { after } = place
    for (;;) {
      const page = await pageBehind(window, reads, filter, { log: place.log, after, limit, isWanted })
      if (page._tag === "OtherLog") return answers.problem(exchange, otherLog("after"))
      if (page._tag === "Gone") return answers.problem(exchange, cursorGone(window, page.oldest))
      if (page._tag === "Unavailable") return answers.problem(exchange, changesUnavailable())
      counts.pages[page.source] += 1
      if (waitMs === 0 || page.changes.length > 0 || !page.isUpToDate)
        return send(exchange, page, isCursor && !page.isUpToDate)
      if (options.nowMs() >= untilMs || streams.isDraining) {
        const next = page.cursor
        return answers.nothing(exchange, next === null ? [] : [NEXT_CURSOR, next])
      }
      after = page.next
      if (exchange.response.destroyed) return
      const outcome = await wait(exchange, client, { filter, after, untilMs })
      if (exchange.response.destroyed) return
      if (outcome === "over") untilMs = options.nowMs()
      else if (outcome !== "woken") return answers.problem(exchange, outcome)
    }
  }
}

const EVENT_STREAM = [
  "Content-Type",
  "text/event-stream",
  "Cache-Control",
  "no-cache, no-transform",
  "X-Accel-Buffering",
  "no",
]

const streamRoute = (endpoint: ChangesEndpoint, tools: ApiTools, doors: Doors): Route => {
  const { answers } = tools
  const { window, reads, streams } = doors
  const readRequest = makeRequestReader(endpoint, tools)

  return async (exchange, query, client) => {
    const asked = readRequest(query)
    if ("status" in asked) return answers.problem(exchange, asked)
    const unavailable = await doors.unavailable()
    if (unavailable !== null) return answers.problem(exchange, unavailable)
    const { request, response } = exchange
    const isWanted = () => !response.destroyed
    // A browser that connects again sends it, with the address of the first time.
    const lastId = String(request.headers["last-event-id"] ?? "")
    const [text, from] = lastId === "" ? [asked.parameters.after, "after"] : [lastId, "Last-Event-ID"]
    const place = await placeOf(text ?? "now", window, reads, isWanted, from)
    if (place._tag === "Refused") return answers.problem(exchange, place.problem)
    if (lastId === "" && !window.holds(place.after)) {
      // The log alone is asked where it holds what follows: the stream then begins while the archive is away, too.
      const probe = await reads.read(placeIn(place.log ?? window.log, place.after), isWanted)
      if (probe._tag === "Unavailable") return answers.problem(exchange, changesUnavailable())
      if (probe._tag === "Gone") return answers.problem(exchange, cursorGone(window, probe.oldest))
    }
    // The window may have begun anew meanwhile, under another name.
    if (place.log !== null && place.log !== window.log) return answers.problem(exchange, otherLog(from))
    const { socket } = response
    if (socket === null || response.destroyed) return
    if (request.method === "HEAD") {
      answers.head(exchange, EVENT_STREAM)
      response.end()
      return
    }

    const connection = new SocketConnection(response, socket)
    const seat: Seat = { leave: () => streams.end(stream) }
    const refused = doors.take(client, seat)
    if (refused !== null) return answers.problem(exchange, refused)
    // A stream has times of its own, in place of those between requests.
    socket.setTimeout(0)
    socket.cork()
    answers.head(exchange, EVENT_STREAM)
    const stream = streams.add(connection, asked.filter, place.after)
    socket.uncork()
    if (text !== undefined && text !== "now") streams.counts.resumes += 1
    const resume = () => streams.resume(stream)
    socket.on("drain", resume)
    response.once("close", () => {
      socket.off("drain", resume)
      streams.remove(stream)
      doors.release(seat)
    })
  }
}

/** Serves the changes of items: pages of them, and the stream. */
export const changesPlugin =
  (tools: ApiTools) =>
  (app: FastifyInstance, _: unknown, done: () => void): void => {
    const { options, answers, serve, registry } = tools
    const endpoints = options.endpoints.filter((one) => one.kind === "changes")
    const source = options.changes ?? null
    if (source === null) {
      for (const endpoint of endpoints)
        serve(app, endpoint, (exchange) => answers.problem(exchange, changesUnavailable()))
      done()
      return
    }
    const doors = new Doors(tools, source)
    const timer = setInterval(() => doors.streams.tick(), TICK_MS)
    timer.unref()
    app.addHook("preClose", (closed) => {
      doors.streams.drain()
      closed()
    })
    app.addHook("onClose", (_closing, closed) => {
      clearInterval(timer)
      closed()
    })
    registerMetrics(registry, doors)
    for (const endpoint of endpoints)
      serve(
        app,
        endpoint,
        endpoint.form === "page" ? pageRoute(endpoint, tools, doors) : streamRoute(endpoint, tools, doors),
      )
    done()
  }
