import { brotliDecompressSync, gunzipSync } from "node:zlib"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { endpoint } from "../../schemas/contract/endpoint.ts"
import type { Endpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { Instant, instant } from "../../schemas/event.ts"
import { FeatureCollection } from "../../schemas/formats/geojson.ts"
import { Latitude, Longitude } from "../../schemas/values.ts"
import type { ApiOptions } from "../routes/route.ts"
import { apiUnderTest, choices, contract, many, START_MS } from "../testing/api-under-test.ts"
import { undocumentedBy } from "../testing/documented.ts"
import { scriptedPast } from "../testing/scripted-past.ts"
import { waitFor } from "../testing/wait-for.ts"
import { type AllWarnings, standing } from "../testing/warnings.ts"

const MINUTE_MS = 60_000
/** Instants of the past of these tests. */
const FIRST_MS = START_MS - 60 * MINUTE_MS
const THEN_MS = START_MS - 30 * MINUTE_MS
const then = instant(THEN_MS)
/** Two minutes before the present. */
const SETTLED_MS = START_MS - 2 * MINUTE_MS

const quakes = endpoint({
  path: "/api/climate/quakes",
  name: "quakes",
  kind: "prepared",
  tier: "free",
  ttl: "2 minutes",
  summary: "Quakes",
  description: "",
  parameters: {},
  data: Schema.Struct({
    quakes: Schema.Array(Schema.Struct({ id: Schema.NonEmptyString, time: Instant, lat: Latitude, lon: Longitude })),
    total: Schema.optionalKey(Schema.Natural),
    next: Schema.optionalKey(Schema.NullOr(Schema.String)),
  }),
  paging: { list: "quakes", by: "time", key: "id", limitMax: 50 },
  example: { quakes: [] },
})

const listed = (length: number) => ({
  quakes: Array.from({ length }, (_, index) => ({
    id: `q${index}`,
    time: instant(THEN_MS - index * 1_000),
    lat: index / 10,
    lon: 0 - index / 10,
  })),
})

const scene = async (options: Partial<ApiOptions> = {}) => {
  const past = scriptedPast()
  past.settle(SETTLED_MS)
  const endpoints: ReadonlyArray<Endpoint> = [...contract, quakes]
  const api = await apiUnderTest({ endpoints, past: past.source, ...options })
  const undocumented = undocumentedBy(endpoints)
  const get = async (url: string, headers: Record<string, string> = {}, method: "GET" | "HEAD" = "GET") => {
    const reply = await api.app.inject({ method, url, headers })
    expect(undocumented(method, url, reply) ?? [], url).toEqual([])
    return reply
  }
  past.version("/api/things", FIRST_MS, { items: ["first"] })
  past.version("/api/things", THEN_MS - MINUTE_MS, { items: ["then"] })
  past.version("/api/things", THEN_MS + 1, { items: ["later"] })
  api.fill("/api/things", { items: ["now"] })
  return { ...api, past, get }
}

describe("a past reply", () => {
  it("is the one that was known at the instant, and says so", async () => {
    const { get, past } = await scene()
    const cursor = past.change(41, THEN_MS - 5 * MINUTE_MS)
    past.change(42, THEN_MS + 5)
    const reply = await get(`/api/things?at=${then}`)
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toEqual({
      source: "tidewire",
      endpoint: "things",
      updated_at: instant(THEN_MS - MINUTE_MS),
      data: { items: ["then"] },
      _meta: {
        as_of: instant(THEN_MS - MINUTE_MS),
        changed_at: instant(THEN_MS - MINUTE_MS),
        stale_after: instant(THEN_MS + 4 * MINUTE_MS),
        stale: false,
        at: { requested: then, known_at: then, cursor },
        sources: [expect.objectContaining({ name: "Provider.things", status: "live" })],
      },
    })
    expect(reply.headers).toMatchObject({
      "content-type": "application/json; charset=utf-8",
      "content-location": `/api/things?at=${encodeURIComponent(then)}`,
      "memento-datetime": new Date(THEN_MS).toUTCString(),
      link: '</api/things>; rel="original"',
      "cache-control": "public, max-age=86400",
      "x-service-stale": "false",
      "x-service-as-of": instant(THEN_MS - MINUTE_MS),
    })
    expect(reply.headers.etag).toMatch(/^"[\w-]{22}"$/)
    const exposed = String(reply.headers["access-control-expose-headers"]).split(", ")
    expect(exposed).toEqual(expect.arrayContaining(["Content-Location", "Memento-Datetime"]))
    // The present is what it was.
    const present = await get("/api/things")
    expect(present.json()).toMatchObject({ data: { items: ["now"] } })
    expect(present.json()._meta).not.toHaveProperty("at")
    for (const name of ["content-location", "memento-datetime"]) expect(present.headers).not.toHaveProperty(name)
  })

  it("has the fields that are asked for, under an address of their own", async () => {
    const { get, past } = await scene()
    past.version("/api/climate/quakes", FIRST_MS, listed(2))
    const whole = await get(`/api/climate/quakes?at=${then}`)
    const reply = await get(`/api/climate/quakes?at=${then}&fields=time,id`)
    const names = reply.json().data.quakes.map((quake: object) => Object.keys(quake))
    expect(names).toEqual([
      ["id", "time"],
      ["id", "time"],
    ])
    expect([reply.json()._meta, reply.headers["content-location"]]).toEqual([
      whole.json()._meta,
      `/api/climate/quakes?at=${encodeURIComponent(then)}&fields=id%2Ctime`,
    ])
    expect((await get(`/api/climate/quakes?at=${then}`)).json()).toEqual(whole.json())
  })

  it("holds from the instant at which it became known until the next one", async () => {
    const { get } = await scene()
    const itemsAt = async (ms: number) => (await get(`/api/things?at=${instant(ms)}`)).json().data.items
    expect(await itemsAt(FIRST_MS)).toEqual(["first"])
    expect(await itemsAt(THEN_MS - MINUTE_MS - 1)).toEqual(["first"])
    expect(await itemsAt(THEN_MS - MINUTE_MS)).toEqual(["then"])
    expect(await itemsAt(THEN_MS)).toEqual(["then"])
    expect(await itemsAt(THEN_MS + 1)).toEqual(["later"])
    expect(await itemsAt(SETTLED_MS)).toEqual(["later"])
  })

  it("has the same bytes however the instant is written, and is read once", async () => {
    const { get, past } = await scene()
    const spellings = [
      then,
      then.replace(".000Z", "Z"),
      "2026-08-17T22:05:00+02:00",
      "2026-08-17T20:05:00.000000Z",
      "2026-08-17T10:05:00.000-10:00",
    ]
    const replies = []
    for (const spelling of spellings) replies.push(await get(`/api/things?at=${encodeURIComponent(spelling)}`))
    expect(replies.map(({ statusCode }) => statusCode)).toEqual(spellings.map(() => 200))
    expect(new Set(replies.map(({ body }) => body)).size).toBe(1)
    expect(new Set(replies.map(({ headers }) => headers.etag)).size).toBe(1)
    expect(past.reads()).toBe(1)
  })

  it("is found by the cursor of a change: what was known when that change was", async () => {
    const { get, past } = await scene()
    const cursor = past.change(7, THEN_MS)
    const reply = await get(`/api/things?at=${cursor}`)
    expect(reply.json()).toMatchObject({
      data: { items: ["then"] },
      _meta: { at: { requested: cursor, known_at: then, cursor } },
    })
    expect(reply.headers["content-location"]).toBe(`/api/things?at=${encodeURIComponent(then)}`)
    expect((await get(`/api/things?at=${then}`)).json().data).toEqual(reply.json().data)
  })

  it("of now is the last that no longer changes, and is not kept by caches", async () => {
    const { get, past, moveTo } = await scene()
    const reply = await get("/api/things?at=now")
    expect(reply.json()).toMatchObject({
      data: { items: ["later"] },
      _meta: { at: { requested: "now", known_at: instant(SETTLED_MS), cursor: null } },
    })
    expect(reply.headers).toMatchObject({
      "cache-control": "no-cache",
      "content-location": `/api/things?at=${encodeURIComponent(instant(SETTLED_MS))}`,
    })
    const same = await get(String(reply.headers["content-location"]))
    expect(same.json().data).toEqual(reply.json().data)
    past.version("/api/things", SETTLED_MS + 1, { items: ["newest"] })
    past.settle(START_MS)
    moveTo(START_MS + 1_000)
    const later = await get("/api/things?at=now")
    expect(later.json()).toMatchObject({ data: { items: ["newest"] }, _meta: { at: { known_at: instant(START_MS) } } })
  })

  it("is judged at its instant: what was fresh then is fresh, and what was stale then is stale", async () => {
    const { get, moveTo } = await scene()
    const staleAt = async (ms: number) => (await get(`/api/things?at=${instant(ms)}`)).json()._meta
    expect(await staleAt(FIRST_MS + 5 * MINUTE_MS - 1)).toMatchObject({ stale: false, sources: [{ status: "live" }] })
    expect(await staleAt(FIRST_MS + 5 * MINUTE_MS)).toMatchObject({ stale: true, sources: [{ status: "stale" }] })
    const before = await get(`/api/things?at=${then}`)
    moveTo(START_MS + 24 * 60 * MINUTE_MS)
    const after = await get(`/api/things?at=${then}`)
    expect(after.body).toBe(before.body)
    expect(after.headers["x-service-stale"]).toBe("false")
  })

  it("has the lines of credit that the terms of its sources require today", async () => {
    const { get, past } = await scene()
    past.credit("Provider.things", "Things by Provider")
    const { _meta } = (await get(`/api/things?at=${then}`)).json()
    expect(_meta.sources).toMatchObject([{ name: "Provider.things", credit: "Things by Provider" }])
  })

  it("has parameters of its view, in one canonical address", async () => {
    const { get, past } = await scene()
    past.version("/api/climate/choices?period=day&size=small", FIRST_MS, { size: "small" })
    past.version("/api/climate/choices?period=day&size=large", FIRST_MS, { size: "large" })
    const reply = await get(`${choices.path}?at=${then}&size=large&unknown=1`)
    expect(reply.json().data).toEqual({ size: "large" })
    const location = `${choices.path}?at=${encodeURIComponent(then)}&period=day&size=large`
    expect(reply.headers["content-location"]).toBe(location)
    expect(reply.headers.link).toBe(`<${choices.path}?period=day&size=large>; rel="original"`)
    expect((await get(location)).body).toBe(reply.body)
  })

  it("without data says what it said then, as settled as any", async () => {
    const { get, past } = await scene()
    past.cold("/api/digest", FIRST_MS)
    past.cold("/api/climate/quakes", FIRST_MS)
    const composed = await get(`/api/digest?at=${then}`)
    expect(composed.json()).toMatchObject({
      summary: "nothing",
      sections: { count: null },
      _meta: { as_of: null, stale: true, warming: true, reason: "timeout: it did not answer", at: { known_at: then } },
    })
    expect(composed.headers).toMatchObject({ "cache-control": "public, max-age=86400" })
    expect(composed.headers).not.toHaveProperty("retry-after")
    expect((await get(`/api/climate/quakes?at=${then}`)).json()).toMatchObject({ data: null, _meta: { warming: true } })
    for (const format of ["csv", "geojson"]) {
      const reply = await get(`/api/climate/quakes?at=${then}&format=${format}`)
      expect([reply.statusCode, reply.json().error], format).toEqual([503, "warming"])
      expect(reply.headers).not.toHaveProperty("retry-after")
    }
  })

  it("selects as the endpoint does, with the freshness of what it selects", async () => {
    const { get, past } = await scene()
    const all: AllWarnings = {
      land: [
        { id: "1", severity: "Severe", event: "Gale" },
        { id: "2", severity: "Minor", event: "Flood" },
      ],
      sea: [{ id: "3", severity: "Severe", event: "Storm" }],
    }
    const freshness = standing(
      { atMs: THEN_MS - MINUTE_MS, freshForMs: 5 * MINUTE_MS },
      { atMs: FIRST_MS, freshForMs: 10 * MINUTE_MS },
    )
    past.version("/api/climate/warnings", THEN_MS - MINUTE_MS, all, freshness)
    const land = await get(`/api/climate/warnings?at=${then}&severity=Severe`)
    expect(land.json()).toMatchObject({
      data: { count: 1, warnings: [{ id: "1" }] },
      _meta: { stale: false, sources: [{ name: "Weather.land" }], at: { known_at: then } },
    })
    expect(land.headers["content-location"]).toBe(
      `/api/climate/warnings?at=${encodeURIComponent(then)}&severity=Severe&where=land`,
    )
    const sea = await get(`/api/climate/warnings?at=${then}&where=sea`)
    expect(sea.json()).toMatchObject({
      data: { warnings: [{ id: "3" }] },
      _meta: { stale: true, sources: [{ name: "Weather.sea", status: "stale" }] },
    })
    const csv = await get(`/api/climate/warnings?at=${then}&format=csv`)
    expect(csv.body).toBe("id,severity,event\r\n1,Severe,Gale\r\n2,Minor,Flood\r\n")
  })
})

describe("a past reply over HTTP", () => {
  it("is confirmed by its entity tag, and has a head", async () => {
    const { get } = await scene()
    const { headers } = await get(`/api/things?at=${then}`)
    const held = await get(`/api/things?at=${then}`, { "if-none-match": String(headers.etag) })
    expect([held.statusCode, held.body]).toEqual([304, ""])
    expect(held.headers).toMatchObject({
      "content-location": headers["content-location"],
      "memento-datetime": headers["memento-datetime"],
      "cache-control": "public, max-age=86400",
    })
    const head = await get(`/api/things?at=${then}`, {}, "HEAD")
    expect([head.statusCode, head.body, head.headers.etag]).toEqual([200, "", headers.etag])
    expect(head.headers["content-length"]).toBe(headers["content-length"])
  })

  it.each([
    ["gzip", gunzipSync],
    ["br", brotliDecompressSync],
  ] as const)("is sent in %s once it was compressed", async (coding, inflate) => {
    const { get, past } = await scene()
    past.version("/api/things", FIRST_MS + 1, many)
    const url = `/api/things?at=${instant(FIRST_MS + 1)}`
    const plain = await get(url)
    await waitFor(async () =>
      expect((await get(url, { "accept-encoding": coding })).headers["content-encoding"]).toBe(coding),
    )
    const coded = await get(url, { "accept-encoding": coding })
    expect(inflate(coded.rawPayload).toString()).toBe(plain.body)
    expect(coded.headers).toMatchObject({
      vary: "Accept-Encoding",
      "content-location": plain.headers["content-location"],
    })
  })

  it("is a table or a map of features, as a file", async () => {
    const { get, past } = await scene()
    past.version("/api/climate/quakes", FIRST_MS, listed(2))
    const csv = await get(`/api/climate/quakes?at=${then}&format=csv`)
    expect(csv.body.split("\r\n")).toHaveLength(4)
    expect(csv.headers).toMatchObject({
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": 'attachment; filename="climate-quakes.csv"',
      "content-location": `/api/climate/quakes?at=${encodeURIComponent(then)}&format=csv`,
      link: '</api/climate/quakes?format=csv>; rel="original"',
    })
    const geojson = await get(`/api/climate/quakes?at=${then}&format=geojson`)
    expect(Schema.is(FeatureCollection)(geojson.json())).toBe(true)
    expect(geojson.json()).toMatchObject({ _meta: { at: { known_at: then } } })
    expect(geojson.json().features).toHaveLength(2)
  })

  it.each(["then", "now", "a cursor"])("is read page by page, each of the same instant: %s", async (named) => {
    const { get, past } = await scene()
    past.version("/api/climate/quakes", FIRST_MS, listed(5))
    const cursor = past.change(7, THEN_MS)
    const first = named === "then" ? then : named === "now" ? "now" : cursor
    const knownAt = named === "now" ? instant(SETTLED_MS) : then
    const ids: Array<string> = []
    let url: string | null = `/api/climate/quakes?at=${first}&limit=2`
    for (let page = 0; url !== null && page < 5; page += 1) {
      const reply = await get(url)
      const { data, _meta } = reply.json()
      expect(_meta.at.known_at).toBe(knownAt)
      expect(data.total).toBe(5)
      ids.push(...data.quakes.map(({ id }: { readonly id: string }) => id))
      if (data.next !== null) {
        expect(new URL(data.next, "http://x").searchParams.get("at")).toBe(knownAt)
        expect(String(reply.headers.link)).toContain(`<${data.next}>; rel="next"`)
      }
      expect(String(reply.headers.link)).toContain('rel="original"')
      // The list grows meanwhile, as do the instants that no longer change.
      past.version("/api/climate/quakes", SETTLED_MS + 1, listed(9))
      past.settle(START_MS - 1)
      url = data.next
    }
    expect(ids).toEqual(["q0", "q1", "q2", "q3", "q4"])
  })
})
