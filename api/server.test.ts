import * as Schema from "effect/Schema"
import type { InjectOptions } from "fastify"
import { describe, expect, it } from "vitest"
import { Problem } from "../schemas/contract/reply.ts"
import { healthEndpoint } from "../schemas/endpoints/health.ts"
import { apiUnderTest, many, START_MS, things } from "./testing/api-under-test.ts"

const isProblem = Schema.is(Problem)

describe("a refusal", () => {
  const refused = async (options: InjectOptions) => {
    const { app } = await apiUnderTest()
    const reply = await app.inject(options)
    expect(reply.headers["content-type"]).toBe("application/problem+json; charset=utf-8")
    expect(reply.headers).toMatchObject({
      "cache-control": "no-store",
      "access-control-allow-origin": "*",
      "x-content-type-options": "nosniff",
    })
    const body = reply.json()
    expect(isProblem(body)).toBe(true)
    expect(body.status).toBe(reply.statusCode)
    return { status: reply.statusCode, headers: reply.headers, body }
  }

  it("of a wrong parameter names it and what is allowed", async () => {
    const { status, body } = await refused({ url: "/api/climate/choices?size=%3Cscript%3E" })
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: "invalid_parameter", parameter: "size", allowed: ["small", "large"] })
    expect(JSON.stringify(body)).not.toContain("script")
  })

  it("of a missing parameter names it", async () => {
    expect(await refused({ url: "/api/place" })).toMatchObject({
      status: 400,
      body: { error: "missing_parameter", parameter: "lat" },
    })
  })

  it("of an unknown path points to what was probably meant, and repeats nothing", async () => {
    expect((await refused({ url: "/api/thigns" })).body).toMatchObject({
      error: "not_found",
      did_you_mean: "/api/things",
      catalog: "http://localhost:80/api",
      docs: "http://localhost:80/openapi.json",
    })
    expect((await refused({ url: "/API/Things/" })).body.did_you_mean).toBe("/api/things")
    const nothing = await refused({ url: "/%3Cimg%20src=x%3E/zzzzzzzzzzzzzzzzzzzz" })
    expect(nothing.status).toBe(404)
    expect(nothing.body).not.toHaveProperty("did_you_mean")
    expect(JSON.stringify(nothing)).not.toContain("img")
  })

  it.each(["POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"])(
    "of %s names the methods of the path, before it reads a body",
    async (method) => {
      const { status, headers, body } = await refused({
        method: method as "POST",
        url: "/api/things",
        headers: { "content-type": "text/plain" },
        payload: "x".repeat(200_000),
      })
      expect(status).toBe(405)
      expect(body.error).toBe("method_not_allowed")
      expect(headers).toMatchObject({ allow: "GET, HEAD, OPTIONS", connection: "close" })
    },
  )

  it("of a long address is 414", async () => {
    expect((await refused({ url: `/api/things?${"x".repeat(3_000)}` })).status).toBe(414)
    expect((await refused({ url: `/${"x".repeat(3_000)}` })).status).toBe(414)
  })

  it("of an address that is none is 400", async () => {
    expect((await refused({ url: "/api/%zz" })).status).toBe(400)
  })
})

describe("a route that takes a body", () => {
  const post = async (headers: Record<string, string>, payload: string) => {
    const { app, errors } = await apiUnderTest()
    app.post("/api/echo", (_, reply) => reply.send({ ok: true }))
    app.post("/api/defect", () => Promise.reject(new Error("the secret of the house")))
    const url = headers["x-defect"] === undefined ? "/api/echo" : "/api/defect"
    const reply = await app.inject({ method: "POST", url, headers, payload })
    return { status: reply.statusCode, body: reply.json(), errors }
  }
  const json = { "content-type": "application/json" }

  it("refuses bodies that are too large, not JSON, or broken", async () => {
    expect(await post(json, "{}")).toMatchObject({ status: 200 })
    expect(await post(json, JSON.stringify("x".repeat(100_000)))).toMatchObject({
      status: 413,
      body: { error: "body_too_large" },
    })
    expect(await post({ "content-type": "text/xml" }, "<a/>")).toMatchObject({
      status: 415,
      body: { error: "unsupported_media_type" },
    })
    for (const wrong of ['{"a":', '{"a": {"__proto__": {}}}'])
      expect(await post(json, wrong)).toMatchObject({ status: 400, body: { error: "malformed_json" } })
    expect(await post(json, '{"__proto__":{"a":1}}')).toMatchObject({ status: 400 })
  })

  it("hides a defect from callers, and logs it in full", async () => {
    const { status, body, errors } = await post({ ...json, "x-defect": "1" }, "{}")
    expect(status).toBe(500)
    expect(body).toMatchObject({ error: "internal_error" })
    expect(JSON.stringify(body)).not.toContain("secret")
    expect(JSON.stringify(errors)).toContain("the secret of the house")
  })
})

describe("the daily share", () => {
  it("is refused beyond its end, for that client alone", async () => {
    const { app, fill, moveTo } = await apiUnderTest({ limits: { requestsPerDay: 3 }, trustedProxies: ["127.0.0.1"] })
    fill("/api/things", many)
    const ask = (client: string, url = "/api/things") => app.inject({ url, headers: { "x-forwarded-for": client } })
    expect((await ask("192.0.2.1")).headers.ratelimit).toBe('"day";r=2;t=86400')
    await ask("192.0.2.1")
    await ask("192.0.2.1")
    moveTo(START_MS + 86_000_000)
    const refused = await ask("192.0.2.1")
    expect(refused.statusCode).toBe(429)
    expect(refused.json()).toMatchObject({ error: "rate_limited", retry_after_seconds: 400 })
    expect(refused.headers).toMatchObject({
      "retry-after": "400",
      ratelimit: '"day";r=0;t=400',
      "cache-control": "no-store",
    })
    expect((await ask("192.0.2.2")).statusCode).toBe(200)
    expect((await ask("192.0.2.1", "/api/health")).statusCode).toBe(200)
    moveTo(START_MS + 86_400_000)
    expect((await ask("192.0.2.1")).statusCode).toBe(200)
  })

  it("is not spent by what explains and sells the service, nor by errors, and its end does not close them", async () => {
    const { app, fill, moveTo } = await apiUnderTest({ limits: { requestsPerDay: 1, serviceRequestsPerMinute: 5 } })
    fill("/api/things", many)
    const ask = async (url: string, method: "GET" | "DELETE" = "GET") => (await app.inject({ url, method })).statusCode
    const open = async () => [
      await ask("/api"),
      await ask("/openapi.json"),
      await ask("/developers/agent-payments"),
      await ask("/api/nowhere"),
      await ask("/api/things", "DELETE"),
    ]
    expect(await open()).toEqual([200, 200, 200, 404, 405])
    expect([await ask("/api/things"), await ask("/api/things")]).toEqual([200, 429])
    // Theirs is a limit by the minute.
    expect(await open()).toEqual([429, 429, 429, 429, 429])
    moveTo(START_MS + 60_000)
    expect(await open()).toEqual([200, 200, 200, 404, 405])
    expect(await ask("/api/things")).toBe(429)
  })
})

describe("the service's own endpoints", () => {
  it("tell health in the contract's units", async () => {
    const { app } = await apiUnderTest()
    const { headers, ...reply } = await app.inject({ url: "/api/health" })
    expect(reply.json()).toEqual({ status: "ok", version: "1.2.3", uptime: 90, ts: START_MS })
    expect(headers["cache-control"]).toBe("no-store")
  })

  it("list the contract, with attribution", async () => {
    const attribution = new Map([[things.path, [{ provider: "P", licence: "L", url: "https://example.org/" }]]])
    const { app } = await apiUnderTest({ attribution, baseUrl: "https://api.example.org" })
    const { headers, ...reply } = await app.inject({ url: "/api" })
    const { endpoints, openapi } = reply.json()
    expect(openapi).toBe("https://api.example.org/openapi.json")
    expect(endpoints.find(({ path }: { path: string }) => path === things.path)).toMatchObject({
      cache_seconds: 120,
      attribution: attribution.get(things.path),
    })
    expect(headers).toMatchObject({ "cache-control": "public, max-age=3600, stale-if-error=86400" })
    expect(headers).toHaveProperty("strict-transport-security")
    expect(headers).not.toHaveProperty("x-service-stale")
    const again = await app.inject({ url: "/api", headers: { "if-none-match": String(headers.etag) } })
    expect(again.statusCode).toBe(304)
  })

  it("refuse to start with an endpoint that nothing here answers", async () => {
    const other = { ...healthEndpoint, path: "/api/other", name: "other" }
    const started = apiUnderTest({ endpoints: [other] }).then(() => "it started")
    await expect(started).rejects.toThrow("/api/other")
  })
})

describe("what is counted", () => {
  it("has the views that have stopped at a damaged record, until they are written anew", async () => {
    const { registry, store } = await apiUnderTest()
    const apply = (offset: number, text: string) =>
      store.applyRecords([{ offset, key: "/api/things", value: Buffer.from(text) }], offset + 1)
    apply(0, "damaged")
    expect(await registry.metrics()).toContain('tidewire_views_stopped{view="/api/things"} 1')
    apply(1, JSON.stringify({ v: 2, changedAt: new Date(START_MS).toISOString(), data: many }))
    expect(await registry.metrics()).not.toContain("tidewire_views_stopped{")
  })

  it("shows in the metrics by endpoint, and never by client", async () => {
    const { app, fill, registry, traffic } = await apiUnderTest()
    fill("/api/things", many)
    const headers = { "user-agent": "curl/8.5.0" }
    const { headers: got } = await app.inject({ url: "/api/things?secret=1", headers })
    await app.inject({ url: "/api/things", headers: { ...headers, "if-none-match": String(got.etag) } })
    await app.inject({
      url: "/api/nowhere",
      headers: { "user-agent": "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)" },
    })
    const metrics = await registry.metrics()
    expect(metrics).toContain('tidewire_api_requests_total{endpoint="things",status="2xx"} 1')
    expect(metrics).toContain('tidewire_api_requests_total{endpoint="things",status="3xx"} 1')
    expect(metrics).toContain('tidewire_api_requests_total{endpoint="unknown",status="4xx"} 1')
    expect(metrics).toContain('tidewire_api_not_modified_total{endpoint="things"} 1')
    expect(metrics).toContain('tidewire_api_request_duration_seconds_count{endpoint="things"} 2')
    expect(metrics).toContain('tidewire_api_request_duration_seconds_bucket{endpoint="things",le="+Inf"} 2')
    expect(metrics).not.toMatch(/secret|127\.0\.0\.1|curl/)
    expect(traffic.takeUsage()).toEqual([
      {
        endpoint: "things",
        client: "library",
        agent: null,
        requests: 2,
        refused: 0,
        bytes: Number(got["content-length"]),
      },
      { endpoint: "unknown", client: "ai_agent", agent: "GPTBot", requests: 1, refused: 1, bytes: expect.any(Number) },
    ])
    expect(traffic.takeUsage()).toEqual([])
  })
})
