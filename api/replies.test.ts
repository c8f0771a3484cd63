import { describe, expect, it } from "vitest"
import { apiUnderTest, many, START_MS } from "./testing/api-under-test.ts"

describe("a prepared reply", () => {
  it("carries its freshness in headers", async () => {
    const { app, fill, moveTo } = await apiUnderTest()
    fill("/api/things", many)
    moveTo(START_MS + 65_000)
    const { statusCode, headers } = await app.inject({ url: "/api/things" })
    expect(statusCode).toBe(200)
    expect(headers).not.toHaveProperty("age")
    expect(headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "cache-control": "public, max-age=120, stale-if-error=86400",
      vary: "Accept-Encoding",
      "last-modified": "Mon, 17 Aug 2026 20:35:00 GMT",
      "x-service-as-of": "2026-08-17T20:35:00.000Z",
      "x-service-stale": "false",
      "access-control-allow-origin": "*",
      "x-content-type-options": "nosniff",
      "ratelimit-policy": '"day";q=100000;w=86400',
      ratelimit: '"day";r=99999;t=86400',
      "ratelimit-limit": "100000",
      "ratelimit-remaining": "99999",
      "ratelimit-reset": "86400",
    })
    for (const name of Object.keys(headers).filter(
      (one) => one.startsWith("x-service-") || one.startsWith("ratelimit"),
    ))
      expect(String(headers["access-control-expose-headers"]).toLowerCase()).toContain(name)
    moveTo(START_MS + 300_000)
    expect((await app.inject({ url: "/api/things" })).headers["x-service-stale"]).toBe("true")
  })

  it("may be kept for its time to live, however long it stands ready, and no longer than it is fresh", async () => {
    const { app, fill, moveTo } = await apiUnderTest()
    fill("/api/things", many)
    const maxAge = async (url: string, headers: Record<string, string> = {}) => {
      const reply = await app.inject({ url, headers })
      expect(reply.headers).not.toHaveProperty("age")
      return Number(/^public, max-age=(\d+), stale-if-error=86400$/.exec(String(reply.headers["cache-control"]))?.[1])
    }
    expect(await maxAge("/api/things")).toBe(120)
    moveTo(START_MS + 180_000)
    expect(await maxAge("/api/things")).toBe(120)
    moveTo(START_MS + 250_500)
    expect(await maxAge("/api/things")).toBe(49)
    const { etag } = (await app.inject({ url: "/api/things" })).headers
    expect(await maxAge("/api/things", { "if-none-match": String(etag) })).toBe(49)
    moveTo(START_MS + 299_999)
    expect(await maxAge("/api/things")).toBe(1)
    // The bytes say now that they are stale, and what they say holds until there is news.
    moveTo(START_MS + 300_000)
    expect(await maxAge("/api/things")).toBe(120)
    const documents = ["/api", "/openapi.json"]
    const young = await Promise.all(documents.map((url) => maxAge(url)))
    moveTo(START_MS + 7_200_000)
    expect(await Promise.all(documents.map((url) => maxAge(url)))).toEqual(young)
  })

  it("is the same bytes whenever it is asked for", async () => {
    const { app, fill, moveTo } = await apiUnderTest()
    fill("/api/things", many)
    const first = await app.inject({ url: "/api/things" })
    moveTo(START_MS + 200_000)
    const second = await app.inject({ url: "/api/things" })
    expect(second.rawPayload.equals(first.rawPayload)).toBe(true)
    expect(second.headers.etag).toBe(first.headers.etag)
  })

  it.each([
    ["br, gzip", "br"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip", "gzip"],
    ["br;q=0.5, gzip;q=0.9", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["br;q=0, *", "gzip"],
    ["gzip;q=0, *;q=0.1", "br"],
    ["br;q=0.1, *", "gzip"],
    ["br;q=0, gzip;q=0, *", undefined],
    ["*;q=0, gzip", "gzip"],
    ["*", "br"],
    ["deflate", undefined],
    ["identity", undefined],
    ["", undefined],
    ["x".repeat(1_000), undefined],
  ])("answers Accept-Encoding %s with %s", async (accepted, coding) => {
    const { app, fill } = await apiUnderTest()
    fill("/api/things", many)
    const { headers } = await app.inject({ url: "/api/things", headers: { "accept-encoding": accepted } })
    expect(headers["content-encoding"]).toBe(coding)
  })

  it("is not sent again to who holds it", async () => {
    const { app, fill } = await apiUnderTest()
    fill("/api/things", many)
    const ask = (headers: Record<string, string>) => app.inject({ url: "/api/things", headers })
    const first = await ask({ "accept-encoding": "br" })
    const etag = String(first.headers.etag)
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await ask({ "accept-encoding": "br", "if-none-match": tag })
      expect(again.statusCode, tag).toBe(304)
      expect(again.rawPayload).toHaveLength(0)
      expect(again.headers).toMatchObject({
        etag,
        vary: "Accept-Encoding",
        "cache-control": first.headers["cache-control"],
      })
      expect(again.headers).not.toHaveProperty("content-length")
      expect(again.headers).not.toHaveProperty("content-encoding")
    }
    // Another coding's bytes are other bytes.
    expect((await ask({ "accept-encoding": "gzip", "if-none-match": etag })).statusCode).toBe(200)
    expect((await ask({ "if-none-match": '"other"' })).statusCode).toBe(200)
  })

  it("heeds If-Modified-Since where there is no entity tag", async () => {
    const { app, fill } = await apiUnderTest()
    fill("/api/things", many)
    const ask = (headers: Record<string, string>) => app.inject({ url: "/api/things", headers })
    const date = (offsetMs: number) => new Date(START_MS + offsetMs).toUTCString()
    expect((await ask({ "if-modified-since": date(0) })).statusCode).toBe(304)
    expect((await ask({ "if-modified-since": date(60_000) })).statusCode).toBe(304)
    expect((await ask({ "if-modified-since": date(-1_000) })).statusCode).toBe(200)
    expect((await ask({ "if-modified-since": "yesterday" })).statusCode).toBe(200)
    expect((await ask({ "if-modified-since": date(0), "if-none-match": '"other"' })).statusCode).toBe(200)
  })

  it("answers HEAD with the headers alone", async () => {
    const { app, fill } = await apiUnderTest()
    fill("/api/things", many)
    const get = await app.inject({ url: "/api/things" })
    const head = await app.inject({ method: "HEAD", url: "/api/things" })
    expect(head.statusCode).toBe(200)
    expect(head.rawPayload).toHaveLength(0)
    const rest = { ratelimit: "", "ratelimit-remaining": "", "x-request-id": "" }
    expect({ ...head.headers, ...rest }).toEqual({ ...get.headers, ...rest })
  })

  it("answers OPTIONS, also as a preflight, without counting it", async () => {
    const { app } = await apiUnderTest()
    const { statusCode, headers } = await app.inject({
      method: "OPTIONS",
      url: "/api/things",
      headers: { origin: "https://example.org", "access-control-request-method": "GET" },
    })
    expect(statusCode).toBe(204)
    expect(headers).toMatchObject({
      allow: "GET, HEAD, OPTIONS",
      "access-control-allow-methods": "GET, HEAD, OPTIONS",
      "access-control-max-age": "86400",
    })
    expect((await app.inject({ url: "/api/things" })).headers.ratelimit).toContain("r=99999")
  })

  it("depends on its parameters", async () => {
    const { app, fill } = await apiUnderTest()
    fill("/api/climate/choices?period=day&size=small", { size: "small" }, 1_000_000)
    fill("/api/climate/choices?period=hour&size=large", { size: "large" }, 1_000_000)
    const byDefault = await app.inject({ url: "/api/climate/choices" })
    expect(byDefault.json().data.size).toBe("small")
    expect(byDefault.headers["cache-control"]).toContain("max-age=900")
    const asked = await app.inject({ url: "/api/climate/choices?size=large&period=hour&x=1" })
    expect(asked.json()).toMatchObject({ endpoint: "climate/choices", data: { size: "large" } })
    expect(asked.headers["cache-control"]).toContain("max-age=60")
  })
})

describe("an endpoint without data", () => {
  it.each([
    ["/api/things", { endpoint: "things", updated_at: null, data: null }],
    ["/api/digest", { generated_at: null, summary: "nothing", sections: { count: null } }],
  ])("%s is warming, with a reason, in its usual shape", async (url, members) => {
    const { app } = await apiUnderTest()
    const { statusCode, headers, ...reply } = await app.inject({ url })
    expect(statusCode).toBe(200)
    expect(reply.json()).toEqual({
      source: "tidewire",
      ...members,
      _meta: {
        as_of: null,
        changed_at: null,
        stale_after: null,
        stale: true,
        warming: true,
        reason: "not_tried_yet: nothing has been observed or reported since the service began",
        sources: [],
      },
    })
    expect(headers).toMatchObject({ "cache-control": "no-store", "retry-after": "5", "x-service-stale": "true" })
    expect(headers).not.toHaveProperty("etag")
  })

  it("has the reason when its source was tried, and is never answered with 304", async () => {
    const { app, store } = await apiUnderTest()
    store.update("/api/things", {
      freshness: {
        v: 1,
        asOf: null,
        staleAfter: null,
        sources: [
          {
            name: "A.things",
            status: "error",
            fetched_at: null,
            latency_ms: null,
            reason: "unreachable",
            staleAfter: null,
          },
        ],
      },
    })
    const { statusCode, headers, ...reply } = await app.inject({
      url: "/api/things",
      headers: { "if-none-match": "*" },
    })
    expect(statusCode).toBe(200)
    expect(reply.json()._meta.sources).toEqual([
      { name: "A.things", status: "error", fetched_at: null, latency_ms: null, reason: "unreachable" },
    ])
    expect(headers).toMatchObject({ "cache-control": "no-store", "retry-after": "5" })
  })
})
