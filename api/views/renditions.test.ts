import { brotliDecompressSync } from "node:zlib"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { endpoint } from "../../schemas/contract/endpoint.ts"
import { choice } from "../../schemas/contract/parameters.ts"
import { Instant, instant } from "../../schemas/event.ts"
import { FeatureCollection } from "../../schemas/formats/geojson.ts"
import { Latitude, Longitude } from "../../schemas/values.ts"
import type { ApiOptions } from "../routes/route.ts"
import { apiUnderTest, START_MS } from "../testing/api-under-test.ts"
import { undocumentedBy } from "../testing/documented.ts"
import { waitFor } from "../testing/wait-for.ts"
import { warnings } from "../testing/warnings.ts"

const PATH = "/api/climate/places"
const MINUTE_MS = 60_000

const places = endpoint({
  path: PATH,
  name: "places",
  kind: "prepared",
  tier: "free",
  ttl: "2 minutes",
  summary: "Places",
  description: "",
  parameters: { size: choice(["small", "large"], { default: "small", description: "How large" }) },
  data: Schema.Struct({
    count: Schema.Natural,
    places: Schema.Array(
      Schema.Struct({
        id: Schema.NonEmptyString,
        name: Schema.String,
        time: Instant,
        lat: Schema.NullOr(Latitude),
        lon: Schema.NullOr(Longitude),
      }),
    ),
    total: Schema.optionalKey(Schema.Natural),
    next: Schema.optionalKey(Schema.NullOr(Schema.String)),
  }),
  paging: { list: "places", by: "time", key: "id", limitMax: 50 },
  example: { count: 0, places: [] },
})

const place = (index: number, name = `Place ${index}`) => ({
  id: `p${index}`,
  name,
  time: instant(START_MS - index * 1_000),
  lat: index === 1 ? null : index / 10,
  lon: index === 1 ? null : 0 - index / 10,
})
const listed = (length: number, name?: string) => ({
  count: length,
  places: Array.from({ length }, (_, index) => place(index, name)),
})

const scene = async (options: Partial<ApiOptions> = {}) => {
  const endpoints = [places, warnings]
  const api = await apiUnderTest({ endpoints, ...options })
  const undocumented = undocumentedBy(endpoints)
  const ask = async (url: string, headers: Record<string, string> = {}, method: "GET" | "HEAD" = "GET") => {
    const reply = await api.app.inject({ method, url, headers })
    expect(undocumented(method, url, reply) ?? [], url).toEqual([])
    return reply
  }
  const get = (query: string, headers: Record<string, string> = {}, method: "GET" | "HEAD" = "GET") =>
    ask(`${PATH}${query}`, headers, method)
  const fill = async (data: unknown) => {
    api.fill(`${PATH}?size=small`, data)
    await api.store.settled()
  }
  return { ...api, fillKey: api.fill, ask, get, fill }
}

describe("a list in another format", () => {
  it("is a file of its media type, with the headers of the JSON reply", async () => {
    const { get, fill } = await scene()
    await fill(listed(2))
    const csv = await get("?format=csv")
    expect(csv.body).toBe(
      [
        "id,name,time,lat [degrees north],lon [degrees east]",
        "p0,Place 0,2026-08-17T20:35:00.000Z,0,0",
        "p1,Place 1,2026-08-17T20:34:59.000Z,,",
        "",
      ].join("\r\n"),
    )
    expect(csv.headers).toMatchObject({
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": 'attachment; filename="climate-places.csv"',
      "cache-control": "public, max-age=120, stale-if-error=86400",
      vary: "Accept-Encoding",
      "x-service-as-of": instant(START_MS),
      "x-service-stale": "false",
    })
    const json = await get("?format=json")
    expect([json.json(), json.headers.etag]).toEqual([(await get("")).json(), (await get("")).headers.etag])
    expect(json.headers).not.toHaveProperty("content-disposition")
  })

  it("is a feature collection whose points have longitude first, and null where a place is not known", async () => {
    const { get, fill } = await scene()
    await fill(listed(3))
    const reply = await get("?format=geojson")
    expect(reply.headers["content-type"]).toBe("application/geo+json")
    expect(Schema.is(FeatureCollection)(reply.json())).toBe(true)
    expect(reply.json()).toMatchObject({
      source: "tidewire",
      endpoint: "climate/places",
      updated_at: instant(START_MS),
      _meta: { stale: false, sources: [{ name: "Provider.things" }] },
      features: [
        { id: "p0", geometry: { type: "Point", coordinates: [0, 0] } },
        { id: "p1", geometry: null },
        { id: "p2", geometry: { coordinates: [-0.2, 0.2] }, properties: { id: "p2", name: "Place 2" } },
      ],
    })
    expect(reply.json().features[2].properties).not.toHaveProperty("lat")
  })

  it("has the fields that are asked for: on a page, as columns, and as properties of features with their place", async () => {
    const { get, fill } = await scene()
    await fill(listed(3))
    const page = (await get("?fields=name,id&limit=1")).json()
    expect(page.data).toMatchObject({ places: [{ id: "p0", name: "Place 0" }], total: 3 })
    expect(Object.keys(page.data.places[0])).toEqual(["id", "name"])
    expect(page.data.next).toContain("&fields=id%2Cname&")
    const [, second] = (await get("?fields=id")).json().data.places
    expect(second).toEqual({ id: "p1" })
    expect((await get("?fields=name&format=csv")).body).toBe("name\r\nPlace 0\r\nPlace 1\r\nPlace 2\r\n")
    expect((await get("?fields=name&format=geojson")).json().features[2]).toEqual({
      type: "Feature",
      id: "p2",
      geometry: { type: "Point", coordinates: [-0.2, 0.2] },
      properties: { name: "Place 2" },
    })
    // One address for equal choices, and one entity tag.
    const etags = await Promise.all(
      ["id,name", "name,id", "name,id,name", " name , id"].map((fields) =>
        get(`?fields=${encodeURIComponent(fields)}`),
      ),
    )
    expect(new Set(etags.map(({ headers }) => headers.etag)).size).toBe(1)
    expect((await get("")).json().data).toMatchObject(listed(3))
  })

  it("without data is the reply that says so, whatever fields are asked for", async () => {
    const { get } = await scene()
    expect((await get("?fields=name")).json()).toMatchObject({ data: null, _meta: { warming: true } })
  })

  it("takes HEAD, and If-None-Match until the data changes", async () => {
    const { get, fill } = await scene()
    await fill(listed(2))
    for (const format of ["csv", "geojson"]) {
      const { headers, rawPayload } = await get(`?format=${format}`)
      const held = { "if-none-match": String(headers.etag) }
      const notModified = await get(`?format=${format}`, held)
      expect([notModified.statusCode, notModified.body]).toEqual([304, ""])
      expect(notModified.headers).not.toHaveProperty("content-disposition")
      const head = await get(`?format=${format}`, {}, "HEAD")
      expect([head.statusCode, head.body, head.headers["content-length"]]).toEqual([200, "", `${rawPayload.length}`])
      await fill(listed(3))
      expect((await get(`?format=${format}`, held)).statusCode).toBe(200)
      await fill(listed(2))
    }
  })

  it("is compressed when it is requested again, to the same text", async () => {
    const { get, fill } = await scene()
    await fill(listed(500))
    const { body } = await get("?format=csv")
    await waitFor(async () =>
      expect((await get("?format=csv", { "accept-encoding": "br" })).headers["content-encoding"]).toBe("br"),
    )
    const { rawPayload } = await get("?format=csv", { "accept-encoding": "br" })
    expect(brotliDecompressSync(rawPayload).toString()).toBe(body)
  })

  it("turns stale without news, in the header and in what of the body says so", async () => {
    const { get, fill, moveTo } = await scene()
    await fill(listed(2))
    const fresh = [await get("?format=csv"), await get("?format=geojson")]
    expect(fresh.map(({ headers }) => headers["x-service-stale"])).toEqual(["false", "false"])
    moveTo(START_MS + 5 * MINUTE_MS)
    const [csv, geojson] = [await get("?format=csv"), await get("?format=geojson")]
    expect([csv.headers["x-service-stale"], geojson.headers["x-service-stale"]]).toEqual(["true", "true"])
    expect([csv.body, geojson.json()._meta.stale]).toEqual([fresh[0]?.body, true])
  })

  it("is refused with 503 while there is no data, as an empty list would be an answer", async () => {
    const { ask, get, fill, store } = await scene()
    for (const url of [`${PATH}?format=csv`, `${PATH}?format=geojson&limit=2`, `${warnings.path}?format=csv`]) {
      const reply = await ask(url)
      expect([reply.statusCode, reply.headers["retry-after"], reply.headers["cache-control"]]).toEqual([
        503,
        "5",
        "no-store",
      ])
      expect(reply.json()).toMatchObject({ error: "warming", retry_after_seconds: 5 })
    }
    // JSON says itself that there is none.
    expect((await get("?format=json&limit=2")).json()).toMatchObject({ data: null, _meta: { warming: true } })
    const source = { name: "P.x", status: null, fetched_at: null, latency_ms: null, staleAfter: null }
    const rests = { ...source, reason: "not_configured" }
    store.update(`${PATH}?size=small`, { freshness: { v: 1, asOf: null, staleAfter: null, sources: [rests] } })
    await store.settled()
    const resting = await get("?format=csv")
    expect([resting.statusCode, resting.json().error]).toEqual([503, "not_configured"])
    expect(resting.headers).not.toHaveProperty("retry-after")
    // A list that is empty is an answer; one that was never read is none.
    await fill(listed(0))
    expect((await get("?format=csv")).body.split("\r\n").length).toBe(2)
    expect((await get("?format=geojson")).json().features).toEqual([])
    await fill({ count: 0, places: null })
    expect((await get("?format=csv")).statusCode).toBe(503)
  })

  it("is refused with 400 where it is not one of the endpoint, and wrong parameters are too", async () => {
    const { ask, get } = await scene()
    expect((await get("?format=xml")).json()).toMatchObject({
      error: "invalid_parameter",
      parameter: "format",
      allowed: ["json", "csv", "geojson"],
    })
    expect((await ask(`${warnings.path}?format=geojson`)).json()).toMatchObject({ allowed: ["json", "csv"] })
    for (const query of ["?format=csv&size=none", "?format=csv&format=csv", "?limit=0", "?limit=51", "?cursor=x"])
      expect((await get(query)).statusCode, query).toBe(400)
  })

  it("is made once for each version of the data, of which a client may cause a bounded number", async () => {
    const { get, fill } = await scene({ limits: { renditionsPerMinute: 2 } })
    await fill(listed(5, "=1"))
    for (let round = 0; round < 5; round++) expect((await get("?format=csv")).body).toContain(",'=1,")
    expect((await get("?limit=1")).statusCode).toBe(200)
    const refused = await get("?limit=2")
    expect([refused.statusCode, refused.json().error]).toEqual([429, "rate_limited"])
    expect((await get("?format=csv")).statusCode).toBe(200)
    await fill(listed(6))
    expect((await get("?format=csv")).statusCode).toBe(429)
    expect((await get("")).statusCode).toBe(200)
  })

  it("is selected where the endpoint filters", async () => {
    const { ask, fillKey, store } = await scene()
    fillKey(warnings.path, {
      land: [
        { id: "a", severity: "Severe", event: "@gale" },
        { id: "b", severity: "Minor", event: "Flood" },
      ],
      sea: [],
    })
    await store.settled()
    const { body } = await ask(`${warnings.path}?format=csv&severity=Severe`)
    expect(body).toBe("id,severity,event\r\na,Severe,'@gale\r\n")
    expect((await ask(`${warnings.path}?format=csv&where=sea`)).body).toBe("id,severity,event\r\n")
  })
})

describe("a long list", () => {
  it("comes in pages that link to the next, in every format, and whole without limit and cursor", async () => {
    const { ask, get, fill } = await scene()
    await fill(listed(120))
    expect((await get("")).json().data).toEqual(listed(120))
    const ids: Array<string> = []
    let url: string | null = `${PATH}?limit=50`
    while (url !== null) {
      const reply = await ask(url)
      const { data } = reply.json()
      expect([data.count, data.total]).toEqual([data.places.length, 120])
      expect(reply.headers.link).toBe(data.next === null ? undefined : `<${data.next}>; rel="next"`)
      ids.push(...data.places.map(({ id }: { id: string }) => id))
      url = data.next
    }
    expect(ids).toEqual(listed(120).places.map(({ id }) => id))

    const csv = await get("?limit=2&format=csv")
    const [, next = ""] = /^<(.+)>; rel="next"$/.exec(String(csv.headers.link)) ?? []
    expect((await ask(next)).body.split("\r\n").slice(1, 3)).toEqual([
      "p2,Place 2,2026-08-17T20:34:58.000Z,0.2,-0.2",
      "p3,Place 3,2026-08-17T20:34:57.000Z,0.3,-0.3",
    ])
    expect((await get("?limit=2&format=geojson")).json().features.length).toBe(2)
    // A cursor alone gives the largest page.
    const cursor = new URL(next, "http://x").searchParams.get("cursor")
    expect((await get(`?cursor=${cursor}`)).json().data.count).toBe(50)
  })

  it("stays within its bound of bytes, however many pages are requested", async () => {
    const { get, fill } = await scene({ limits: { renditionBytesMax: 200_000, renditionsPerMinute: 1_000 } })
    await fill(listed(2_000))
    const whole = await get("?format=csv")
    for (let limit = 1; limit <= 50; limit++) await get(`?limit=${limit}`)
    expect((await get("?format=csv")).body).toBe(whole.body)
  })
})
