import { createHash } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { pipeline, Readable } from "node:stream"
import { gzipSync } from "node:zlib"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isTagged, loadDirectory } from "../../schemas/directory.ts"
import { Answer, withAnswers } from "./answers.ts"
import { type ActiveFault, answerWithFaults, Fault, type FaultyReply } from "./faults.ts"
import { type Given, readGiven, withGiven } from "./given.ts"
import { bytesOf, type SimulatedUpstream, upstreamsByHost, withOutages } from "./upstream.ts"

/** What answers about the clock of the world, and sets it. */
export interface ClockControl {
  readonly nowMs: () => number
  readonly reply: () => { readonly status: number; readonly body: object }
  readonly put: (body: string) => Promise<{ readonly status: number; readonly body: object }>
}

/** A running world. Sources reach it as `<url>/<host>/<path>`, which is what the setting UPSTREAMS makes of a request. */
export interface WorldServer {
  readonly url: string
  /** The world's time now. */
  readonly nowMs: () => number
  readonly setFaults: (faults: ReadonlyArray<Fault>) => void
  /** The number of requests to each host. */
  readonly requests: ReadonlyMap<string, number>
  readonly close: () => Promise<void>
}

/** Every simulated upstream: the files of `upstreams/`, one each. */
export const simulatedUpstreams: ReadonlyArray<SimulatedUpstream> = (
  await loadDirectory(new URL("upstreams/", import.meta.url))
).flatMap(({ exports }) => exports.filter(isTagged<SimulatedUpstream>("SimulatedUpstream")))

const BODY_MAX_BYTES = 64 * 1024
/** Documents of upstreams. */
const ANSWERS_MAX_BYTES = 8 * 1024 * 1024
/** Documents whose requests are counted; further ones are not. */
const DOCUMENTS_MAX = 2_000
const decodeAnswers = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Array(Answer)))
const decodeFaults = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Array(Fault)))

const readBody = async (request: IncomingMessage, bytesMax = BODY_MAX_BYTES): Promise<string> => {
  const chunks: Array<Buffer> = []
  let sizeBytes = 0
  for await (const chunk of request) {
    sizeBytes += chunk.length
    if (sizeBytes > bytesMax) throw new Error("the body is too large")
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

const sendJson = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
}

const HUGE_CHUNK = Buffer.alloc(1024 * 1024, " ")
const HUGE_CHUNKS = 50

/** Sends 50 MB with backpressure, until the client closes: the world itself must not run out of memory. */
const sendHuge = (response: ServerResponse, contentType: string): void => {
  response.writeHead(200, { "content-type": contentType })
  const chunks = function* () {
    for (let sent = 0; sent < HUGE_CHUNKS; sent++) yield HUGE_CHUNK
  }
  // A client may close the connection early, which is no error of the world.
  pipeline(Readable.from(chunks()), response, () => {})
}

/** Bodies within every bound of size that take many times their size to unpack or to parse. */
const EVIL_BYTES = 15 * 1024 * 1024
const evilBodies: Readonly<Record<"bomb" | "many-objects" | "deep-json", () => Buffer>> = {
  bomb: () => gzipSync(Buffer.alloc(256 * 1024 * 1024, " ")),
  "many-objects": () => Buffer.from(`[{}${",{}".repeat(EVIL_BYTES / 3)}]`),
  "deep-json": () => Buffer.from("[".repeat(EVIL_BYTES / 2) + "]".repeat(EVIL_BYTES / 2)),
}
const madeBodies = new Map<string, Buffer>()
const sendEvil = (response: ServerResponse, kind: keyof typeof evilBodies): void => {
  const body = madeBodies.get(kind) ?? evilBodies[kind]()
  madeBodies.set(kind, body)
  response.writeHead(200, {
    "content-type": "application/json",
    ...(kind === "bomb" ? { "content-encoding": "gzip" } : {}),
  })
  response.end(body)
}

const send = (request: IncomingMessage, response: ServerResponse, { reply, transport }: FaultyReply): void => {
  if (transport === "reset") {
    request.socket.resetAndDestroy()
    return
  }
  if (transport === "bomb" || transport === "many-objects" || transport === "deep-json") {
    sendEvil(response, transport)
    return
  }
  if (transport === "huge") {
    sendHuge(response, reply.contentType ?? "application/json")
    return
  }
  const body = bytesOf(reply)
  const status = reply.status ?? 200
  const etag = `"${createHash("sha1").update(body).digest("hex")}"`
  const headers = {
    "content-type":
      reply.contentType ?? (typeof reply.body === "string" ? "text/plain; charset=utf-8" : "application/json"),
    ...(status === 200 ? { etag } : {}),
    ...reply.headers,
  }
  if (status === 200 && transport === "whole" && request.headers["if-none-match"] === etag) {
    response.writeHead(304, headers).end()
    return
  }
  response.writeHead(status, { ...headers, "content-length": body.length })
  if (request.method === "HEAD") response.end()
  else if (transport === "cut")
    response.write(body.subarray(0, Math.floor(body.length / 2)), () => request.socket.destroy())
  else response.end(body)
}

/**
 * Starts the world on 127.0.0.1. Besides the upstreams it serves its own facts and faults:
 * `GET /_world/clock`, `GET /_world/faults`, `PUT /_world/faults` (the whole list, `[]` heals), `GET /_world/requests` (what was
 * asked for, and how often), `PUT /_world/answers` (the whole list of given answers), `PUT /_world/feeds` (given items, by the path of
 * an endpoint, `{}` takes them back); where the clock can be set `PUT /_world/clock`.
 */
export const startWorld = async (options: {
  readonly seed: string
  readonly port?: number
  /** The world's time as a function of the machine's; by default equal to it. */
  readonly now?: () => number
  /** A clock that can be set, in place of `now`: answers then carry its time as their date. */
  readonly clock?: ClockControl
  /** Whether providers have outages at times of their own; none by default. */
  readonly hasOutages?: boolean
  /** Called when an answer has been handed to the socket. */
  readonly onAnswered?: (request: { readonly host: string; readonly path: string }) => void
}): Promise<WorldServer> => {
  const { clock } = options
  const nowMs = clock?.nowMs ?? options.now ?? Date.now
  const upstreams = options.hasOutages === true ? simulatedUpstreams.map(withOutages) : simulatedUpstreams
  const byHost = upstreamsByHost(upstreams)
  const requests = new Map<string, number>()
  const delayed = new Set<NodeJS.Timeout>()
  let faults: ReadonlyArray<ActiveFault> = []
  let answers: ReadonlyArray<Answer> = []
  let given: Given = new Map()
  let givenText = "{}"
  const documents = new Map<string, { readonly host: string; readonly path: string; count: number }>()
  const countDocument = (host: string, path: string): void => {
    const known = documents.get(host + path)
    if (known !== undefined) known.count += 1
    else if (documents.size < DOCUMENTS_MAX) documents.set(host + path, { host, path, count: 1 })
  }
  const setFaults = (wanted: ReadonlyArray<Fault>) => {
    const sinceMs = nowMs()
    faults = wanted.map((fault) => ({ ...fault, sinceMs }))
  }

  const administer = async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    if (path === "/_world/clock" && clock !== undefined && ["GET", "PUT"].includes(request.method ?? "")) {
      const { status, body } = request.method === "PUT" ? await clock.put(await readBody(request)) : clock.reply()
      return sendJson(response, status, body)
    }
    if (path === "/_world/clock" && request.method === "GET")
      return sendJson(response, 200, { now: new Date(nowMs()).toISOString(), frozen: false })
    if (path === "/_world/clock")
      return sendJson(response, 405, { error: "this clock is that of the machine: only the demo's can be set, by PUT" })
    if (path === "/_world/faults" && request.method === "GET") return sendJson(response, 200, faults)
    if (path === "/_world/faults" && request.method === "PUT") {
      const decoded = decodeFaults(await readBody(request))
      if (Result.isFailure(decoded)) return sendJson(response, 400, { error: decoded.failure.message })
      setFaults(decoded.success)
      return sendJson(response, 200, faults)
    }
    if (path === "/_world/requests" && request.method === "GET") return sendJson(response, 200, [...documents.values()])
    if (path === "/_world/answers" && request.method === "PUT") {
      const decoded = decodeAnswers(await readBody(request, ANSWERS_MAX_BYTES))
      if (Result.isFailure(decoded)) return sendJson(response, 400, { error: decoded.failure.message })
      const unknown = decoded.success.find(({ host }) => !byHost.has(host))
      if (unknown !== undefined) return sendJson(response, 400, { error: `the world has no host ${unknown.host}` })
      answers = decoded.success
    }
    if (path === "/_world/answers" && ["GET", "PUT"].includes(request.method ?? ""))
      return sendJson(response, 200, answers)
    if (path === "/_world/feeds" && request.method === "PUT") {
      const text = await readBody(request, ANSWERS_MAX_BYTES)
      const read = readGiven(text, upstreams)
      if (Result.isFailure(read)) return sendJson(response, 400, { error: read.failure })
      given = read.success
      givenText = text
    }
    if (path === "/_world/feeds" && ["GET", "PUT"].includes(request.method ?? ""))
      return sendJson(response, 200, JSON.parse(givenText))
    const paths = ["clock", "faults", "requests", "answers", "feeds"].map((name) => `/_world/${name}`)
    return sendJson(response, 404, { error: "not_found", paths })
  }

  const server = createServer((request, response) => {
    if (clock !== undefined) response.setHeader("date", new Date(nowMs()).toUTCString())
    const url = new URL(request.url ?? "/", "http://world")
    if (url.pathname.startsWith("/_world/")) {
      administer(request, response, url.pathname).catch((cause) => sendJson(response, 400, { error: String(cause) }))
      return
    }
    const [, host = "", rest = ""] = /^\/([^/]+)(\/.*)?$/.exec(url.pathname) ?? []
    const upstream = byHost.get(host)
    if (upstream === undefined) return sendJson(response, 404, { error: `the world has no host ${host}` })
    requests.set(host, (requests.get(host) ?? 0) + 1)
    const path = decodeURIComponent(rest === "" ? "/" : rest)
    countDocument(host, path)
    response.once("finish", () => options.onAnswered?.({ host, path }))
    const answer = (body: string | null) => {
      const worldRequest = { host, path, query: url.searchParams, headers: request.headers, body }
      const published = withAnswers(withGiven(upstream, host, given), answers)
      const answer = answerWithFaults(published, worldRequest, options.seed, nowMs(), faults)
      if (answer.delayMs === 0) return send(request, response, answer)
      const timer = setTimeout(() => {
        delayed.delete(timer)
        send(request, response, answer)
      }, answer.delayMs)
      delayed.add(timer)
    }
    if (request.method !== "POST") return answer(null)
    readBody(request).then(answer, (cause) => sendJson(response, 413, { error: String(cause) }))
  })

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(options.port ?? 0, "127.0.0.1", resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    nowMs,
    setFaults,
    requests,
    close: () => {
      for (const timer of delayed) clearTimeout(timer)
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
