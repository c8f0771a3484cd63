import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { AnnouncingHeaders, HttpClient, HttpFailed, HttpRequest } from "../../ingestors/http-client.port.ts"
import { lineFilter } from "../../ingestors/readers/line-filter.ts"
import { parseRetryAfter } from "./failure.ts"
import { makeLocate, redirectTarget } from "./fetch-once.ts"
import { type HttpClientOptions, makeHttpClient } from "./undici-client.ts"

let server: Server
let base: string
let scope: Scope.Closeable
let answer: RequestListener
let asked: Array<{ readonly url: string; readonly headers: Readonly<Record<string, unknown>>; readonly method: string }>

beforeEach(async () => {
  asked = []
  scope = Scope.makeUnsafe()
  server = createServer((request, response) => {
    asked.push({ url: request.url ?? "", headers: request.headers, method: request.method ?? "" })
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const client = (options: Partial<HttpClientOptions> = {}): Promise<HttpClient> =>
  Effect.runPromise(
    makeHttpClient({ upstreams: base, userAgent: "Tidewire/test", random: () => 0, ...options }).pipe(
      Effect.provideService(Scope.Scope, scope),
    ),
  )

const request = (rest: Partial<HttpRequest> = {}): HttpRequest => ({
  url: "https://example.org/a?key=secret",
  timeoutMs: 2_000,
  bodyBytesMax: 100_000,
  retriesMax: 0,
  ...rest,
})

const fetched = async (http: HttpClient, rest: Partial<HttpRequest> = {}): Promise<string> => {
  const response = await Effect.runPromise(http.fetch(request(rest)))
  return response._tag === "Fetched" ? new TextDecoder().decode(response.body) : response._tag
}
const failed = (http: HttpClient, rest: Partial<HttpRequest> = {}): Promise<HttpFailed> =>
  Effect.runPromise(Effect.flip(http.fetch(request(rest))))

describe("a request", () => {
  it("goes to the simulated world under its host, with its query and our user agent", async () => {
    answer = (_, response) => response.end("hello")
    expect(await fetched(await client())).toBe("hello")
    expect(asked[0]).toMatchObject({ url: "/example.org/a?key=secret", headers: { "user-agent": "Tidewire/test" } })
  })
  it("cuts our user agent to the product for a host that refuses a longer one", async () => {
    answer = (_, response) => response.end("hello")
    const http = await client({ userAgent: "Tidewire/test (https://example.org/contact)" })
    for (const userAgentCharactersMax of [42, 43]) await fetched(http, { userAgentCharactersMax })
    expect(asked.map(({ headers }) => headers["user-agent"])).toEqual([
      "Tidewire/test",
      "Tidewire/test (https://example.org/contact)",
    ])
  })
  it.each([200, 304, 410, 503])("gives what the answer announces, here of status %d", async (status) => {
    const sunset = "Fri, 01 May 2026 00:00:00 GMT"
    answer = (_, response) =>
      response
        .writeHead(status, [
          ...["sunset", sunset, "deprecation", "@1767225600"],
          ...["warning", '299 - "a"', "warning", '299 - "b"'],
        ])
        .end()
    const announced: Array<AnnouncingHeaders> = []
    const http = await client()
    await Effect.runPromise(
      Effect.result(
        http.fetch(request({ validators: { etag: '"1"' }, onAnnounced: (headers) => announced.push(headers) })),
      ),
    )
    const warning = ['299 - "a"', '299 - "b"']
    expect(announced).toEqual([{ sunset: [sunset], deprecation: ["@1767225600"], warning }])
  })
  it("goes where its host is overridden", async () => {
    answer = (_, response) => response.end("hello")
    const baseUrls = new Map([["example.org", `${base}/elsewhere/`]])
    await fetched(await client({ upstreams: "http://127.0.0.1:1", baseUrls }))
    expect(asked[0]?.url).toBe("/elsewhere/a?key=secret")
  })
  it("is conditional when it has validators", async () => {
    answer = ({ headers }, response) => {
      response.setHeader("etag", '"1"').setHeader("last-modified", "Sat, 21 Nov 2026 10:00:00 GMT")
      if (headers["if-none-match"] === '"1"') response.writeHead(304).end()
      else response.end("new")
    }
    const http = await client()
    const first = await Effect.runPromise(http.fetch(request()))
    if (first._tag !== "Fetched") throw new Error("nothing came")
    expect(first.validators).toEqual({ etag: '"1"', lastModified: "Sat, 21 Nov 2026 10:00:00 GMT" })
    expect(await fetched(http, { validators: first.validators })).toBe("NotModified")
    expect(asked[1]?.headers["if-modified-since"]).toBe("Sat, 21 Nov 2026 10:00:00 GMT")
  })
  it("takes no 304 that it has not asked for", async () => {
    answer = (_, response) => response.writeHead(304).end()
    expect(await failed(await client())).toMatchObject({ reason: "status", status: 304 })
  })
  it.each([
    ["gzip", gzipSync("packed")],
    ["deflate", deflateSync("packed")],
    ["br", brotliCompressSync("packed")],
  ])("unpacks %s", async (encoding, body) => {
    answer = (_, response) => response.writeHead(200, { "content-encoding": encoding }).end(body)
    expect(await fetched(await client())).toBe("packed")
  })
})

describe("a fault", () => {
  const reason = async (listener: RequestListener, rest: Partial<HttpRequest> = {}): Promise<string> => {
    answer = listener
    const failure = await failed(await client(), rest)
    expect(failure.host).toBe("example.org")
    expect(failure.message).not.toMatch(/secret|http|127\.0\.0\.1/)
    return failure.reason
  }
  it("latency is a timeout, also within the body", async () => {
    expect(await reason(() => {}, { timeoutMs: 50 })).toBe("timeout")
    expect(await reason((_, response) => response.writeHead(200).write("half"), { timeoutMs: 50 })).toBe("timeout")
  })
  it("a cut body is a broken connection, packed or not", async () => {
    const cut: RequestListener = (_, response) => {
      response.writeHead(200, { "content-length": 100 })
      response.write("half", () => response.socket?.destroy())
    }
    expect(await reason(cut)).toBe("unreachable")
    const body = gzipSync("x".repeat(1000)).subarray(0, 20)
    expect(await reason((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(body))).toBe(
      "unreachable",
    )
  })
  it("a refused connection is unreachable", async () => {
    const failure = await failed(await client({ upstreams: "http://127.0.0.1:1" }))
    expect(failure).toMatchObject({ reason: "unreachable", status: null })
  })
  it("a status tells its number, and how long to stay away", async () => {
    answer = (_, response) => response.writeHead(429, { "retry-after": "7" }).end("slow down")
    expect(await failed(await client())).toMatchObject({ reason: "rate_limited", status: 429, retryAfterMs: 7000 })
    answer = (_, response) => response.writeHead(404).end()
    expect(await failed(await client())).toMatchObject({ reason: "status", status: 404, retryAfterMs: null })
  })
  it("a body is too large as it comes, by what it says, or once unpacked", async () => {
    const large = Buffer.alloc(200_000, 32)
    expect(await reason((_, response) => response.writeHead(200).end(large))).toBe("too_large")
    expect(await reason((_, response) => response.writeHead(200, { "content-length": 50_000_000 }).write("x"))).toBe(
      "too_large",
    )
    const bomb = gzipSync(Buffer.alloc(50_000_000))
    expect(await reason((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb))).toBe(
      "too_large",
    )
  })
  it("a body that its inspector refuses is not read on, and its start is kept", async () => {
    const ended = Promise.withResolvers<void>()
    answer = (_, response) => {
      response.on("close", ended.resolve)
      // Without an end: only a reader that stops ends it.
      response.writeHead(200).write("[".repeat(100))
    }
    let seen = 0
    const inspect = () => (piece: Uint8Array) => {
      seen += piece.length
      return seen >= 100 ? "nested too deep" : null
    }
    const response = await Effect.runPromise((await client()).fetch(request({ inspect, timeoutMs: 300_000 })))
    expect(response).toMatchObject({ _tag: "Refused", problem: "nested too deep", bodyBytes: 100 })
    await ended.promise
  })
  it("a body of which a few lines are of use is read as far as they reach, and only they are held", async () => {
    const ended = Promise.withResolvers<void>()
    const lines = ["head", "a 1", ...Array(20_000).fill("b of no use"), "c 1", "c 2\u00e9", "d 1"].join("\n")
    const filter = () => {
      let found = false
      return lineFilter((line) => {
        if (line.startsWith("c")) found = true
        return line.startsWith("c") ? "keep" : found ? "end" : "skip"
      })
    }
    answer = (_, response) => {
      response.on("close", ended.resolve)
      // Without an end: only a reader that stops ends it.
      response.writeHead(200, { etag: '"1"' }).write(`${lines}\n`)
    }
    const http = await client()
    const bounds = { filter, bodyBytesMax: 1_000_000, timeoutMs: 300_000 }
    expect(await fetched(http, bounds)).toBe("c 1\nc 2\u00e9\n")
    await ended.promise
    answer = (_, response) => response.end("b\nc 3")
    expect(await fetched(http, bounds)).toBe("c 3")
    answer = (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(lines))
    expect(await fetched(http, bounds)).toBe("c 1\nc 2\u00e9\n")
    answer = (_, response) => response.end("b\n".repeat(20_000))
    expect((await failed(http, { filter, bodyBytesMax: 10_000 })).reason).toBe("too_large")
    answer = (_, response) => response.end("c kept\n".repeat(200_000))
    expect((await failed(http, { filter, bodyBytesMax: 9_000_000 })).reason).toBe("too_large")
    answer = (_, response) => response.end("b".repeat(200_000))
    expect((await failed(http, { filter, bodyBytesMax: 9_000_000 })).reason).toBe("undecodable")
  })
  it("a body that is not packed as it says cannot be unpacked", async () => {
    const plain: RequestListener = (_, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end("not packed at all")
    expect(await reason(plain)).toBe("undecodable")
    expect(await reason((_, response) => response.writeHead(200, { "content-encoding": "zstd" }).end("x"))).toBe(
      "undecodable",
    )
  })
  it("redirects are followed on their host only, and three at most", async () => {
    answer = ({ url = "" }, response) =>
      url.endsWith("/end")
        ? response.end("arrived")
        : response.writeHead(302, { location: url.includes("?") ? "https://example.org/b" : "/end" }).end()
    expect(await fetched(await client())).toBe("arrived")
    expect(asked.map(({ url }) => url)).toEqual(["/example.org/a?key=secret", "/example.org/b", "/example.org/end"])
    expect(await reason((_, response) => response.writeHead(302, { location: "http://169.254.169.254/" }).end())).toBe(
      "redirect",
    )
    asked = []
    expect(await reason((_, response) => response.writeHead(302, { location: "/again" }).end())).toBe("redirect")
    expect(asked).toHaveLength(4)
  })
})

describe("trying again", () => {
  it("happens on what may pass, within the number and the budget", async () => {
    let left = 2
    answer = (_, response) => (left-- > 0 ? response.writeHead(503).end() : response.end("well again"))
    expect(await fetched(await client(), { retriesMax: 2 })).toBe("well again")
    asked = []
    answer = (_, response) => response.writeHead(500).end()
    await failed(await client(), { retriesMax: 1 })
    expect(asked).toHaveLength(2)
    asked = []
    await failed(await client(), { retriesMax: 5, budgetMs: 100 })
    expect(asked).toHaveLength(1)
  })
  it("does not happen on what stays", async () => {
    answer = (_, response) => response.writeHead(404).end()
    await failed(await client(), { retriesMax: 3 })
    expect(asked).toHaveLength(1)
  })
  it("does not happen where the upstream asks for more patience than there is", async () => {
    answer = (_, response) => response.writeHead(429, { "retry-after": "60" }).end()
    expect(await failed(await client(), { retriesMax: 3 })).toMatchObject({ reason: "rate_limited" })
    expect(asked).toHaveLength(1)
  })
})

describe("a host", () => {
  it("that fails repeatedly is left alone, and asked again later", async () => {
    const http = await client({ limits: { failuresMax: 3, openMinMs: 3_000, openMaxMs: 3_000 } })
    answer = (_, response) => response.writeHead(500).end()
    for (let attempt = 0; attempt < 3; attempt++) expect((await failed(http)).reason).toBe("status")
    const { reason, message } = await failed(http)
    expect(reason).toBe("circuit_open")
    expect(message).toMatch(/not requested for a while: .*500/)
    expect(asked).toHaveLength(3)
    expect(await failed(http, { url: "https://other.example/" })).toMatchObject({ reason: "status" })
    answer = (_, response) => response.end("well again")
    await expect.poll(() => fetched(http).catch(() => "still left alone"), { timeout: 60_000 }).toBe("well again")
  })
  it("is not blamed for what is not its fault", async () => {
    const http = await client({ limits: { failuresMax: 2 } })
    answer = (_, response) => response.writeHead(404).end()
    for (let attempt = 0; attempt < 5; attempt++) expect((await failed(http)).status).toBe(404)
  })
  it("is asked a bounded number of things at once, and the queue is bounded", async () => {
    let open = 0
    let most = 0
    answer = (_, response) => {
      most = Math.max(most, ++open)
      setTimeout(() => {
        open--
        response.end("x")
      }, 20)
    }
    const http = await client({
      limits: { pace: { requestsMax: 1000, intervalMs: 1000, concurrencyMax: 2 }, waitingMax: 4 },
    })
    const results = await Promise.all(
      Array.from({ length: 10 }, () => fetched(http).catch((failure: HttpFailed) => failure.reason)),
    )
    expect(most).toBe(2)
    expect(results.filter((text) => text === "x")).toHaveLength(6)
    expect(results.filter((text) => text === "budget_exhausted")).toHaveLength(4)
  })
})

describe("probe", () => {
  it("takes any status as an answer, by HEAD", async () => {
    answer = (_, response) => response.writeHead(503).end()
    const { latencyMs } = await Effect.runPromise((await client()).probe("https://example.org/", 1000))
    expect(latencyMs).toBeGreaterThanOrEqual(0)
    expect(asked[0]).toMatchObject({ method: "HEAD", url: "/example.org/" })
  })
  it("reports a host that does not answer in time, and one that refuses connections", async () => {
    answer = () => {}
    const http = await client()
    expect(await Effect.runPromise(Effect.flip(http.probe("https://example.org/", 50)))).toMatchObject({
      reason: "timeout",
    })
    const none = await client({ upstreams: "http://127.0.0.1:1" })
    expect(await Effect.runPromise(Effect.flip(none.probe("https://example.org/", 500)))).toMatchObject({
      reason: "unreachable",
    })
  })
})

it("an address that is no web address is refused", async () => {
  const http = await client()
  for (const url of ["file:///etc/passwd", "https://user:key@example.org/", "nonsense"])
    expect((await failed(http, { url })).message).not.toContain("example")
  expect(asked).toHaveLength(0)
})

it("Retry-After is seconds or a date, at most a day", () => {
  const nowMs = Date.parse("2026-11-21T10:00:00Z")
  expect(parseRetryAfter("12", nowMs)).toBe(12_000)
  expect(parseRetryAfter("Sat, 21 Nov 2026 10:01:00 GMT", nowMs)).toBe(60_000)
  expect(parseRetryAfter("Sat, 21 Nov 2020 10:01:00 GMT", nowMs)).toBe(0)
  expect(parseRetryAfter("999999999", nowMs)).toBe(86_400_000)
  for (const nonsense of [undefined, "", "-5", "soon"]) expect(parseRetryAfter(nonsense, nowMs)).toBeNull()
})

it("redirects stay on their host and never leave https", () => {
  const from = (url: string, location: string) => redirectTarget(new URL(url), location)?.href ?? null
  expect(from("https://a.org/x", "/y")).toBe("https://a.org/y")
  expect(from("http://a.org/x", "https://a.org/y")).toBe("https://a.org/y")
  expect(from("https://a.org/x", "http://a.org/y")).toBeNull()
  expect(from("https://a.org/x", "//b.org/y")).toBeNull()
  expect(from("https://a.org/x", "https://a.org:8443/y")).toBeNull()
  expect(from("https://a.org/x", "https://u:p@a.org/y")).toBeNull()
  expect(from("https://a.org/x", "file:///etc/passwd")).toBeNull()
})

it("addresses keep path and query wherever they are sent", () => {
  const locate = makeLocate("http://127.0.0.1:9/base", new Map([["b.org", "http://127.0.0.1:8"]]))
  expect(locate(new URL("https://a.org/x%2Fy?q=1&q=2")).href).toBe("http://127.0.0.1:9/base/a.org/x%2Fy?q=1&q=2")
  expect(locate(new URL("https://b.org/x")).href).toBe("http://127.0.0.1:8/x")
  expect(makeLocate(null, new Map())(new URL("https://a.org/x")).href).toBe("https://a.org/x")
})
