import { gunzipSync } from "node:zlib"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { endpoint } from "../../schemas/contract/endpoint.ts"
import { choice } from "../../schemas/contract/parameters.ts"
import type { ApiOptions } from "../routes/route.ts"
import { apiUnderTest, START_MS } from "../testing/api-under-test.ts"
import { undocumentedBy } from "../testing/documented.ts"
import { waitFor } from "../testing/wait-for.ts"
import { type AllWarnings, selections, standing, warnings } from "../testing/warnings.ts"

const PATH = "/api/climate/warnings"
const MINUTE_MS = 60_000
const at = (ms: number) => new Date(START_MS + ms).toISOString()

const warning = (index: number, severity: string) => ({
  id: `warning ${index} ${"of some length ".repeat(4)}`,
  severity,
  event: index % 2 === 0 ? "Gale" : "Flood",
})
const all: AllWarnings = {
  land: Array.from({ length: 200 }, (_, index) => warning(index, index % 4 === 0 ? "Severe" : "Minor")),
  sea: [warning(1_000, "Severe")],
}

/** An API that serves warnings; their land is fresh for five minutes and their sea for ten. */
const warned = async (options: Partial<ApiOptions> = {}) => {
  const api = await apiUnderTest({ endpoints: [warnings], ...options })
  const undocumented = undocumentedBy([warnings])
  const fill = (data: AllWarnings, atMs = START_MS) =>
    api.store.update(PATH, {
      body: { v: 2, changedAt: new Date(atMs).toISOString(), data: JSON.parse(JSON.stringify(data)) },
      freshness: standing({ atMs, freshForMs: 5 * MINUTE_MS }, { atMs: atMs - 1_000, freshForMs: 10 * MINUTE_MS }),
    })
  fill(all)
  const get = async (query: string, headers: Record<string, string> = {}, method: "GET" | "HEAD" = "GET") => {
    const reply = await api.app.inject({ method, url: `${PATH}${query}`, headers })
    expect(undocumented(method, PATH, reply) ?? [], query).toEqual([])
    return reply
  }
  /** Requests until the compressed bytes have taken the place of the others. */
  const compressed = async (query: string, coding: string) => {
    const ask = () => get(query, { "accept-encoding": coding })
    await waitFor(async () => expect((await ask()).headers["content-encoding"]).toBe(coding))
    return ask()
  }
  return { ...api, fill, get, compressed }
}

describe("a free filtered endpoint", () => {
  it("answers with the selection, and with the freshness of its inputs", async () => {
    const { get } = await warned()
    const severe = await get("?severity=Severe&event=Gale")
    expect(severe.json()).toMatchObject({
      source: "tidewire",
      endpoint: "climate/warnings",
      updated_at: at(0),
      data: { count: 50 },
      _meta: { as_of: at(0), stale_after: at(5 * MINUTE_MS), stale: false, sources: [{ name: "Weather.land" }] },
    })
    expect(severe.json()._meta.sources).toHaveLength(1)
    const sea = (await get("?where=sea")).json()
    expect(sea).toMatchObject({ data: { count: 1 }, _meta: { as_of: at(-1_000), sources: [{ name: "Weather.sea" }] } })
    expect((await get("?severity=Great")).json()).toMatchObject({
      error: "invalid_parameter",
      allowed: ["Severe", "Minor"],
    })
  })

  it("carries the headers of a prepared one, counts against the daily share, and takes HEAD and If-None-Match", async () => {
    const { get } = await warned()
    const { headers } = await get("?where=sea")
    expect(headers).toMatchObject({
      "cache-control": "public, max-age=60, stale-if-error=86400",
      vary: "Accept-Encoding",
      "x-service-as-of": at(-1_000),
      "x-service-stale": "false",
      ratelimit: '"day";r=99999;t=86400',
    })
    const held = { "if-none-match": String(headers.etag) }
    expect(await get("?where=sea", held)).toMatchObject({ statusCode: 304, body: "" })
    const head = await get("?where=sea", {}, "HEAD")
    expect([head.statusCode, head.body, head.headers["content-length"]]).toEqual([200, "", headers["content-length"]])
  })

  it("turns stale with its own inputs, without news, and back when the clock is set back", async () => {
    const { get, moveTo } = await warned()
    expect((await get("")).json()._meta.stale).toBe(false)
    moveTo(START_MS + 5 * MINUTE_MS - 1_000)
    expect((await get("")).headers["cache-control"]).toBe("public, max-age=1, stale-if-error=86400")
    moveTo(START_MS + 5 * MINUTE_MS)
    const stale = await get("")
    expect(stale.headers["x-service-stale"]).toBe("true")
    expect(stale.json()._meta).toMatchObject({ stale: true, sources: [{ status: "stale" }] })
    expect((await get("?where=sea")).json()._meta.stale).toBe(false)
    moveTo(START_MS)
    expect((await get("")).json()._meta.stale).toBe(false)
  })

  it("serves new data and a new freshness at once", async () => {
    const { get, fill } = await warned()
    const first = await get("")
    fill(all, START_MS + 1_000)
    const confirmed = await get("")
    expect(confirmed.json()).toMatchObject({ updated_at: at(1_000), data: { count: 200 } })
    expect(confirmed.headers.etag).not.toBe(first.headers.etag)
    fill({ ...all, land: [] }, START_MS + 2_000)
    expect((await get("")).json().data).toEqual({ count: 0, warnings: [] })
  })

  it("sends the first reply of a selection uncompressed, and compresses what is requested again", async () => {
    const { get, compressed } = await warned()
    const first = await get("", { "accept-encoding": "gzip" })
    expect(first.headers).not.toHaveProperty("content-encoding")
    const later = await compressed("", "gzip")
    expect(gunzipSync(later.rawPayload).equals(first.rawPayload)).toBe(true)
    expect(Number(later.headers["content-length"])).toBeLessThan(first.rawPayload.length / 2)
    expect((await get("", { "if-none-match": String(first.headers.etag) })).statusCode).toBe(304)
  })

  it("selects once for each version of the data, whatever the freshness does", async () => {
    const { get, moveTo } = await warned()
    const before = selections.count
    for (const _ of Array.from({ length: 5 })) await get("?severity=Minor")
    moveTo(START_MS + 6 * MINUTE_MS)
    await get("?severity=Minor")
    expect(selections.count - before).toBe(1)
  })

  it("refuses a client with too many distinct selections, and no other client", async () => {
    const { get } = await warned({ limits: { selectionsPerMinute: 3 }, trustedProxies: ["127.0.0.1"] })
    const from = (address: string) => ({ "x-forwarded-for": address })
    const asked = async (address: string, event: string) => (await get(`?event=${event}`, from(address))).statusCode
    for (const event of ["a", "b", "c"]) expect(await asked("192.0.2.1", event)).toBe(200)
    const refused = await get("?event=d", from("192.0.2.1"))
    expect([refused.statusCode, refused.json().error]).toEqual([429, "rate_limited"])
    expect(refused.headers).toHaveProperty("retry-after")
    // What was selected before is a look-up, for this client as for all.
    expect(await asked("192.0.2.1", "a")).toBe(200)
    expect(await asked("192.0.2.2", "d")).toBe(200)
    expect(await asked("192.0.2.1", "d")).toBe(200)
  })

  it("fails alone where a selection throws, and does not reveal the cause", async () => {
    const { get, errors } = await warned()
    const broken = await get("?event=broken")
    expect([broken.statusCode, broken.json().error]).toEqual([500, "internal_error"])
    expect(broken.body).not.toContain("secret")
    expect(errors).toHaveLength(1)
    expect((await get("")).statusCode).toBe(200)
  })

  it("has data null while its view has none", async () => {
    const { app } = await apiUnderTest({ endpoints: [warnings] })
    const reply = await app.inject({ url: `${PATH}?event=Gale` })
    expect(reply.json()).toMatchObject({ data: null, updated_at: null, _meta: { warming: true, stale: true } })
    expect(reply.headers).toMatchObject({ "cache-control": "no-store", "retry-after": "5" })
    expect(reply.headers).not.toHaveProperty("etag")
  })

  it("has what it selects of its cold shape, where its data stands beside the envelope", async () => {
    const composed = endpoint({
      path: "/api/sums",
      name: "sums",
      kind: "filtered",
      tier: "free",
      envelope: "composed",
      ttl: "1 minute",
      summary: "",
      description: "",
      parameters: { of: choice(["one", "two"], { default: "one", description: "Which sum" }) },
      data: Schema.Struct({ sum: Schema.NullOr(Schema.Natural) }),
      cold: { one: null, two: null },
      select: (full: { readonly one: number | null; readonly two: number | null }, { of }) => ({
        data: { sum: full[of] },
        inputs: [of],
      }),
      example: { sum: 1 },
    })
    const { app, store } = await apiUnderTest({ endpoints: [composed], limits: { selectionsPerMinute: 0 } })
    const { sources } = standing({ atMs: START_MS, freshForMs: MINUTE_MS }, { atMs: START_MS, freshForMs: MINUTE_MS })
    const unread = sources.map((source, at) => ({ ...source, status: null, inputs: [at === 0 ? "one" : "two"] }))
    store.update("/api/sums", { freshness: { v: 1, asOf: null, staleAfter: null, sources: unread } })
    expect((await app.inject({ url: "/api/sums?of=two" })).json()).toMatchObject({
      source: "tidewire",
      generated_at: null,
      sum: null,
      _meta: { warming: true, sources: [{ name: "Weather.sea" }] },
    })
  })
})
