import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { HttpFailed, HttpRequest } from "../../ingestors/http-client.port.ts"
import { type HttpClientOptions, makeHttpClient } from "./undici-client.ts"

/** Requests that are more than a GET: queries sent by POST, accepted statuses, admission and pace. */
let server: Server
let upstreams: string
let scope: Scope.Closeable
let answer: RequestListener
let asked: Array<{
  readonly method: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}>

beforeEach(async () => {
  asked = []
  scope = Scope.makeUnsafe()
  server = createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    asked.push({ method: request.method ?? "", headers: request.headers, body: Buffer.concat(chunks).toString() })
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  upstreams = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const client = (options: Partial<HttpClientOptions> = {}) =>
  Effect.runPromise(
    makeHttpClient({ upstreams, userAgent: "Tidewire/test", random: () => 0, ...options }).pipe(
      Effect.provideService(Scope.Scope, scope),
    ),
  )
const request = (rest: Partial<HttpRequest> = {}): HttpRequest => ({
  url: "https://example.org/query",
  timeoutMs: 2_000,
  bodyBytesMax: 100_000,
  retriesMax: 0,
  ...rest,
})
const outcome = async (rest: Partial<HttpRequest>, options: Partial<HttpClientOptions> = {}) => {
  const http = await client(options)
  return Effect.runPromise(
    http.fetch(request(rest)).pipe(
      Effect.map((response) =>
        response._tag === "Fetched" ? [response.status, new TextDecoder().decode(response.body)] : response._tag,
      ),
      Effect.catch((failed: HttpFailed) => Effect.succeed(failed.reason)),
    ),
  )
}

describe("a query with a body", () => {
  const body = '{"method":"getSlot"}'

  it("is a POST of JSON, whole at every retry, and with its own headers", async () => {
    let left = 2
    answer = (_, response) => (left-- > 0 ? response.writeHead(503).end() : response.end("answered"))
    expect(await outcome({ body, retriesMax: 2, headers: { "x-key": "k" } })).toEqual([200, "answered"])
    expect(asked).toHaveLength(3)
    for (const one of asked)
      expect(one).toMatchObject({
        method: "POST",
        body,
        headers: { "content-type": "application/json", "x-key": "k", "content-length": String(body.length) },
      })
  })
  it("is never conditional: to a POST, validators mean another thing", async () => {
    answer = (_, response) => response.end("x")
    const validators = { etag: '"1"', lastModified: "Sat, 21 Nov 2026 10:00:00 GMT" }
    expect(await outcome({ body, validators })).toEqual([200, "x"])
    expect(asked[0]?.headers).not.toHaveProperty("if-none-match")
    expect(asked[0]?.headers).not.toHaveProperty("if-modified-since")
    answer = (_, response) => response.writeHead(304).end()
    expect(await outcome({ body, validators })).toBe("status")
  })
  it.each([
    [301, "redirect", 1],
    [302, "redirect", 1],
    [303, "redirect", 1],
    [307, [200, body], 2],
    [308, [200, body], 2],
  ])("is repeated after a redirect of %i or not at all", async (status, wanted, requests) => {
    answer = ({ url = "" }, response) =>
      url.endsWith("/moved")
        ? response.end(asked.at(-1)?.body)
        : response.writeHead(status, { location: "https://example.org/moved" }).end()
    expect(await outcome({ body })).toEqual(wanted)
    expect(asked).toHaveLength(requests)
  })
})

describe("an accepted status", () => {
  it("is an answer with its body, and no other status is", async () => {
    answer = (_, response) => response.writeHead(404).end('{"detail":"nothing known"}')
    expect(await outcome({ acceptedStatuses: [404] })).toEqual([404, '{"detail":"nothing known"}'])
    expect(await outcome({})).toBe("status")
    answer = (_, response) => response.writeHead(410).end()
    expect(await outcome({ acceptedStatuses: [404] })).toBe("status")
  })
  it("does not open the circuit of its host", async () => {
    answer = (_, response) => response.writeHead(503).end("busy")
    const http = await client({ limits: { failuresMax: 2 } })
    for (let count = 0; count < 5; count++)
      expect((await Effect.runPromise(http.fetch(request({ acceptedStatuses: [503] }))))._tag).toBe("Fetched")
  })
})

describe("admission", () => {
  it("counts each request that is sent, retries and redirects included, and ends in a failure with a time", async () => {
    let left = 4
    const admit = () => (left-- > 0 ? null : 90_000)
    answer = ({ url = "" }, response) =>
      url.endsWith("/there") ? response.writeHead(503).end() : response.writeHead(302, { location: "/there" }).end()
    const http = await client()
    const failed = await Effect.runPromise(Effect.flip(http.fetch(request({ admit, retriesMax: 5 }))))
    expect(failed).toMatchObject({ reason: "budget_exhausted", retryAfterMs: 90_000 })
    expect(asked).toHaveLength(4)
  })
})

describe("the pace of a host", () => {
  it("lets one request at a time through where it says so, and does not slow other hosts", async () => {
    const open = new Map<string, number>()
    const most = new Map<string, number>()
    answer = ({ url = "" }, response) => {
      const host = url.split("/")[1] ?? ""
      open.set(host, (open.get(host) ?? 0) + 1)
      most.set(host, Math.max(most.get(host) ?? 0, open.get(host) ?? 0))
      setTimeout(() => {
        open.set(host, (open.get(host) ?? 0) - 1)
        response.end("x")
      }, 20)
    }
    const paces = new Map([["lichess.example", { requestsMax: 1000, intervalMs: 1000, concurrencyMax: 1 }]])
    const http = await client({ paces })
    const urls = ["lichess.example", "other.example"].flatMap((host) =>
      Array.from({ length: 4 }, () => `https://${host}/x`),
    )
    await Promise.all(urls.map((url) => Effect.runPromise(http.fetch(request({ url })))))
    expect(most.get("lichess.example")).toBe(1)
    expect(most.get("other.example")).toBeGreaterThan(1)
  })
  it("makes what is beyond it wait, until its budget of time is spent", async () => {
    answer = (_, response) => response.end("x")
    const paces = new Map([["github.example", { requestsMax: 2, intervalMs: 3_600_000, concurrencyMax: 5 }]])
    const http = await client({ paces })
    const results = await Promise.all(
      Array.from({ length: 3 }, () =>
        Effect.runPromise(Effect.exit(http.fetch(request({ url: "https://github.example/x", budgetMs: 500 })))),
      ),
    )
    expect(results.filter(Exit.isSuccess)).toHaveLength(2)
    expect(asked).toHaveLength(2)
  })
  it("keeps the pause of its documentation after status 429, unless the answer asks for a longer one", async () => {
    const pace = { requestsMax: 1000, intervalMs: 1000, concurrencyMax: 1, rateLimitedPauseMs: 60_000 }
    const http = await client({ paces: new Map([["lichess.example", pace]]) })
    const pauseAfter = (headers: Readonly<Record<string, string>>, host: string) => {
      answer = (_, response) => response.writeHead(429, headers).end()
      const refused = http.fetch(request({ url: `https://${host}/x`, retriesMax: 2, budgetMs: 5_000 }))
      return Effect.runPromise(Effect.flip(refused)).then(({ retryAfterMs }) => retryAfterMs)
    }
    expect(await pauseAfter({}, "lichess.example")).toBe(60_000)
    expect(await pauseAfter({ "retry-after": "7" }, "lichess.example")).toBe(60_000)
    expect(await pauseAfter({ "retry-after": "90" }, "lichess.example")).toBe(90_000)
    // A pause that is longer than the request may take ends it: no retry comes within it.
    expect(asked).toHaveLength(3)
    expect(await pauseAfter({ "retry-after": "7" }, "other.example")).toBe(7_000)
  })
})
