import { createHash } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { pipeline, Readable } from "node:stream"
import { gzipSync } from "node:zlib"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { isTagged, loadDirectory } from "../../schemas/directory.ts"
import { type ActiveFault, answerWithFaults, Fault, type FaultyReply } from "./faults.ts"
import { bytesOf, type SimulatedUpstream, upstreamsByHost, withOutages } from "./upstream.ts"

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
const decodeFaults = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Array(Fault)))

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  let sizeBytes = 0
  for await (const chunk of request) {
    sizeBytes += chunk.length
    if (sizeBytes > BODY_MAX_BYTES) throw new Error("the body is too large")
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
 * `GET /_world/clock`, `GET /_world/faults`, `PUT /_world/faults` (the whole list, `[]` heals).
 */
export const startWorld = async (options: {
  readonly seed: string
  readonly port?: number
  /** The world's time as a function of the machine's; by default equal to it. */
  readonly now?: () => number
  /** Whether providers have outages at times of their own; none by default. */
  readonly hasOutages?: boolean
  /** Called when an answer has been handed to the socket. */
  readonly onAnswered?: (request: { readonly host: string; readonly path: string }) => void
}): Promise<WorldServer> => {
  const nowMs = options.now ?? Date.now
  const upstreams = options.hasOutages === true ? simulatedUpstreams.map(withOutages) : simulatedUpstreams
  const byHost = upstreamsByHost(upstreams)
  const requests = new Map<string, number>()
  const delayed = new Set<NodeJS.Timeout>()
  let faults: ReadonlyArray<ActiveFault> = []
  const setFaults = (wanted: ReadonlyArray<Fault>) => {
    const sinceMs = nowMs()
    faults = wanted.map((fault) => ({ ...fault, sinceMs }))
  }

  const administer = async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    if (path === "/_world/clock") return sendJson(response, 200, { now: new Date(nowMs()).toISOString() })
    if (path === "/_world/faults" && request.method === "GET") return sendJson(response, 200, faults)
    if (path === "/_world/faults" && request.method === "PUT") {
      const decoded = decodeFaults(await readBody(request))
      if (Result.isFailure(decoded)) return sendJson(response, 400, { error: decoded.failure.message })
      setFaults(decoded.success)
      return sendJson(response, 200, faults)
    }
    return sendJson(response, 404, { error: "not_found", paths: ["/_world/clock", "/_world/faults"] })
  }

  const server = createServer((request, response) => {
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
    response.once("finish", () => options.onAnswered?.({ host, path }))
    const answer = (body: string | null) => {
      const worldRequest = { host, path, query: url.searchParams, headers: request.headers, body }
      const answer = answerWithFaults(upstream, worldRequest, options.seed, nowMs(), faults)
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
