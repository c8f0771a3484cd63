import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { DemandFailed } from "../../schemas/ports/demand.ts"
import type { ViewFreshness, ViewSource } from "../../schemas/view-record.ts"
import { apiUnderTest, contract } from "../testing/api-under-test.ts"
import { undocumentedBy } from "../testing/documented.ts"

const undocumented = undocumentedBy(contract)

const source = (name: string, reason: string | null, inputs?: ReadonlyArray<string>): ViewSource => ({
  name,
  status: null,
  fetched_at: null,
  latency_ms: null,
  staleAfter: null,
  ...(reason === null ? {} : { reason }),
  ...(inputs === undefined ? {} : { inputs }),
})
const unread = (...sources: ReadonlyArray<ViewSource>): ViewFreshness => ({
  v: 1,
  asOf: null,
  staleAfter: null,
  sources,
})

const api = async (key: string, freshness: ViewFreshness) => {
  const made = await apiUnderTest()
  made.store.update(key, { freshness })
  await made.store.settled()
  const get = async (url: string) => {
    const reply = await made.app.inject({ url })
    expect(undocumented("GET", url, reply) ?? []).toEqual([])
    return reply
  }
  return { ...made, get }
}

describe("a view without data of which every source rests", () => {
  it.each([
    ["/api/things", "not_configured", { data: null, updated_at: null }],
    ["/api/digest", "not_licensed", { summary: "nothing", sections: { count: null }, generated_at: null }],
    ["/api/climate/warnings", "not_configured", { data: null, updated_at: null }],
  ])("%s has their reason, and no sign that data will come", async (path, reason, members) => {
    const { get } = await api(path, unread(source("A.things", reason), source("B.things", reason)))
    const { statusCode, headers, ...reply } = await get(path)
    expect(statusCode).toBe(200)
    expect(reply.json()).toMatchObject(members)
    const { sources, ...meta } = reply.json()._meta
    expect(meta).toEqual({ as_of: null, changed_at: null, stale_after: null, stale: true, reason })
    expect(sources).toMatchObject([
      { name: "A.things", reason },
      { name: "B.things", reason },
    ])
    expect(headers).toMatchObject({ "cache-control": "no-store", "x-service-stale": "true" })
    for (const name of ["retry-after", "etag", "last-modified"]) expect(headers).not.toHaveProperty(name)
  })

  it("is never answered with 304", async () => {
    const { app } = await api("/api/things", unread(source("A.things", "not_configured")))
    expect((await app.inject({ url: "/api/things", headers: { "if-none-match": "*" } })).statusCode).toBe(200)
  })

  it.each([
    ["one of them is polled", unread(source("A.things", "not_configured"), source("B.things", null))],
    ["one of them has failed", unread(source("A.things", "not_configured"), source("B.things", "timeout"))],
    ["nothing is known of any", unread()],
  ])("is warming where %s", async (_, freshness) => {
    const { get } = await api("/api/things", freshness)
    const { headers, ...reply } = await get("/api/things")
    expect(reply.json()._meta).toMatchObject({ warming: true, stale: true })
    expect(headers).toMatchObject({ "cache-control": "no-store", "retry-after": "5" })
  })

  it("serves the last good data of a source that rests now", async () => {
    const { get, fill, store } = await api("/api/things", unread())
    fill("/api/things", { items: ["last"] })
    await store.settled()
    const rests = { ...source("A.things", "not_configured"), status: "error" as const }
    store.update("/api/things", { freshness: { ...unread(rests), asOf: "2026-08-17T20:35:00.000Z" } })
    const { headers, ...reply } = await get("/api/things")
    expect(reply.json()).toMatchObject({ data: { items: ["last"] }, _meta: { stale: false } })
    expect(headers).toHaveProperty("etag")
  })
})

it.each(["not_configured", "not_licensed"] as const)(
  "an on-demand reply names the sources that rest as %s",
  async (reason) => {
    const restingSources = ["A.places", "B.places"]
    const demand = {
      observe: () => Effect.fail(new DemandFailed({ reason, retryAfterSeconds: 10, restingSources })),
    }
    const { app, store } = await apiUnderTest({ demand })
    const { headers, ...reply } = await app.inject({ url: "/api/place?lat=1&lon=2" })
    expect(reply.json()).toMatchObject({ data: null, _meta: { stale: true, reason } })
    expect(reply.json()._meta).not.toHaveProperty("warming")
    // The same as of an instance that the fold declares, such as the canary.
    store.update("/api/place?lat=3&lon=4", {
      freshness: unread(...restingSources.map((name) => source(name, reason))),
    })
    await store.settled()
    expect((await app.inject({ url: "/api/place?lat=3&lon=4" })).json()).toEqual(reply.json())
    expect(headers).toMatchObject({ "cache-control": "no-store" })
    expect(headers).not.toHaveProperty("retry-after")
  },
)
