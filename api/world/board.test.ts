import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { endpoint } from "../../schemas/contract/endpoint.ts"
import { isView, type ViewEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { MARKS_MAX } from "../../schemas/contract/glance.ts"
import { WORLD_MAX_BYTES, World, worldEndpoint } from "../../schemas/endpoints/world.ts"
import { instant } from "../../schemas/event.ts"
import { endpoints } from "../../schemas/registry.ts"
import { apiUnderTest, START_MS } from "../testing/api-under-test.ts"
import { WorldBoard } from "./board.ts"
import { GLANCE_DATA_MAX_BYTES } from "./tile.ts"

const { path: WORLD } = worldEndpoint
const shown = endpoints.filter(isView).filter(({ glance }) => glance !== null)

/** The key of the data of a tile. */
const keyOf = ({ path }: ViewEndpoint): string =>
  ({ "/api/climate/earthquakes": `${path}?magnitude=2.5&period=day`, "/api/harnesses": `${path}?view=raw` })[path] ??
  (path === "/api/cyber-threats" ? `${path}?raw=false` : path)

type Api = Awaited<ReturnType<typeof apiUnderTest>>

const worldOf = async ({ app }: Api): Promise<World> => {
  const { statusCode, body } = await app.inject({ url: WORLD })
  expect(statusCode).toBe(200)
  return Schema.decodeUnknownSync(World)(JSON.parse(body))
}

const tileOf = ({ tiles }: World, name: string) => {
  const tile = tiles.find((one) => one.name === name)
  if (tile === undefined) throw new Error(`no tile ${name}`)
  return tile
}

const earthquakes = (count: number, magnitude = 4.6) => ({
  magnitude: "2.5",
  period: "day",
  count,
  earthquakes: Array.from({ length: count }, (_, at) => ({
    id: `q${at}`,
    type: "earthquake",
    magnitude: magnitude + at / 1000,
    place: "P",
    time: instant(START_MS),
    depth_km: 1,
    lat: 1,
    lon: 2,
    tsunami: false,
    url: null,
  })),
})

/** A text as an upstream may send it that wants to fill the page: long in every coding, and to be escaped. */
const HOSTILE = `"\u0007<img src=x>${"\u{1F30B}".repeat(80)}`

/** Members whose texts are words of the schema. */
const WORDS: ReadonlyArray<string> = [
  "alert_level",
  "category",
  "current",
  "level",
  "magnitude",
  "net_precision",
  "period",
  "revision",
  "source",
  "status",
  "view",
]

/** Data of the same form in long lists, with a hostile text in place of each text that is no time and no word. */
const hostile = (value: unknown, name = "", depth = 0): unknown => {
  if (Array.isArray(value))
    return Array.from({ length: value.length === 0 ? 0 : depth > 1 ? 2 : 60 }, (_, at) =>
      hostile(value[at % value.length], "", depth + 1),
    )
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, hostile(member, key, depth + 1)]))
  const isText = typeof value === "string" && !WORDS.includes(name) && !/^\d{4}-\d\d-\d\d/.test(value)
  return isText ? HOSTILE : value
}

describe(WORLD, () => {
  it("holds a tile for each endpoint with a glance, each null with its reason while there is no data", async () => {
    const api = await apiUnderTest({ endpoints })
    const world = await worldOf(api)
    expect(world.tiles.map(({ name }) => name).sort()).toEqual(shown.map(({ name }) => name).sort())
    for (const { value, note, as_of, stale, status, reason } of world.tiles)
      expect({ value, note, as_of, stale, status, reason }).toEqual({
        value: null,
        note: "",
        as_of: null,
        stale: true,
        status: "warming",
        reason: expect.stringMatching(/^not_tried_yet/),
      })
    expect(world.marks.every(({ points }) => points.length === 0)).toBe(true)
  })

  it("holds the headline of each with its age and its providers, and its places", async () => {
    const attribution = new Map([
      ["/api/earthquake", [{ provider: "Agency", licence: "Public domain", url: "https://agency.example" }]],
    ])
    const api = await apiUnderTest({ endpoints, attribution })
    for (const one of shown) api.fill(keyOf(one), one.example)
    const world = await worldOf(api)
    expect(tileOf(world, "earthquake")).toEqual({
      name: "earthquake",
      path: "/api/earthquake",
      title: "Strongest earthquake",
      subject: "earth",
      value: "M 4.6",
      unit: null,
      note: "100 km S of Kodiak, Alaska, 17 Aug 20:33 UTC, of 1 event of 24 hours",
      as_of: instant(START_MS),
      stale_after: instant(START_MS + 300_000),
      stale: false,
      status: "live",
      reason: null,
      source: "Agency",
    })
    expect(tileOf(world, "btc_price").source).toBe(null)
    expect(world.tiles.filter(({ value }) => value === null)).toEqual([])
    const byName = new Map(shown.map((one) => [one.name, one]))
    const marked = world.tiles.flatMap(({ name }) => {
      const { glance, example } = byName.get(name) ?? {}
      return glance?.marks === undefined ? [] : [[name, glance.marks(structuredClone(example)).length, 0]]
    })
    expect(world.marks.map(({ name, points, omitted }) => [name, points.length, omitted])).toEqual(marked)
    expect(marked.map(([name]) => name)).toContain("climate_earthquakes")
  })

  it("has an entity tag that stays while nothing changes, and counts apart from free data", async () => {
    const api = await apiUnderTest({ endpoints, limits: { requestsPerDay: 0, serviceRequestsPerMinute: 0 } })
    api.fill("/api/fear-greed", { value: 69, label: "Greed" })
    const first = await api.app.inject({ url: WORLD, headers: { "accept-encoding": "gzip" } })
    expect([first.statusCode, first.headers["content-encoding"]]).toEqual([200, "gzip"])
    expect(first.headers["cache-control"]).toMatch(/^public, max-age=15,/)
    api.moveTo(START_MS + 60_000)
    const headers = { "accept-encoding": "gzip", "if-none-match": String(first.headers.etag) }
    expect((await api.app.inject({ url: WORLD, headers })).statusCode).toBe(304)
    api.fill("/api/fear-greed", { value: 70, label: "Greed" })
    expect((await api.app.inject({ url: WORLD, headers })).statusCode).toBe(200)
    expect(tileOf(await worldOf(api), "fear_greed").value).toBe(70)
  })

  it("says that data is stale when its time has passed, and fresh again after the clock stepped back", async () => {
    const api = await apiUnderTest({ endpoints })
    api.fill("/api/fear-greed", { value: 69, label: "Greed" })
    expect(tileOf(await worldOf(api), "fear_greed")).toMatchObject({ stale: false, status: "live" })
    api.moveTo(START_MS + 300_000)
    expect(tileOf(await worldOf(api), "fear_greed")).toMatchObject({ value: 69, stale: true, status: "stale" })
    api.moveTo(START_MS + 1_000)
    expect(tileOf(await worldOf(api), "fear_greed")).toMatchObject({ stale: false, status: "live" })
  })

  it("says how the sources do: a stand-in, a failure, a source that rests", async () => {
    const api = await apiUnderTest({ endpoints })
    const source = { name: "Provider.metric", fetched_at: null, latency_ms: null, staleAfter: null }
    const freshness = (...sources: ReadonlyArray<object>) => ({
      v: 1 as const,
      asOf: instant(START_MS),
      staleAfter: null,
      sources: sources.map((one) => ({ ...source, ...one })) as never,
    })
    const body = { v: 2 as const, changedAt: instant(START_MS), data: { value: 69, label: "Greed" } }
    const tile = async (...sources: ReadonlyArray<object>) => {
      api.store.update("/api/fear-greed", { body, freshness: freshness(...sources) })
      const { status, reason } = tileOf(await worldOf(api), "fear_greed")
      return [status, reason]
    }
    expect(await tile({ status: "fallback", reason: "timeout", fallback_source: "Other.metric" })).toEqual([
      "fallback",
      "timeout; Other.metric stands in",
    ])
    expect(await tile({ status: "live" }, { status: "error", reason: "status 503" })).toEqual(["error", "status 503"])
    api.store.update("/api/stocks", { freshness: freshness({ status: null, reason: "not_configured" }) })
    expect(tileOf(await worldOf(api), "stocks")).toMatchObject({ status: "not_configured", reason: "not_configured" })
  })

  it("stays within its size however hostile the data is: texts are cut, the least severe places left out and counted", async () => {
    const api = await apiUnderTest({ endpoints })
    for (const one of shown) api.fill(keyOf(one), hostile(one.example))
    expect((await worldOf(api)).tiles.filter(({ note }) => note === "")).toEqual([])
    api.fill("/api/climate/earthquakes?magnitude=2.5&period=day", {
      ...earthquakes(150, 7.5),
      earthquakes: earthquakes(150, 7.5).earthquakes.map((one) => ({ ...one, place: HOSTILE })),
    })
    const { body } = await api.app.inject({ url: WORLD })
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(WORLD_MAX_BYTES)
    // Nearly all of the room is used.
    expect(Buffer.byteLength(body)).toBeGreaterThan(WORLD_MAX_BYTES - 1_000)
    const { marks } = await worldOf(api)
    for (const { name, points, omitted } of marks) expect(points.length + omitted, name).toBeLessThanOrEqual(MARKS_MAX)
    const weights = marks.flatMap(({ points }) => points.map(({ weight }) => weight))
    const quakes = marks.find(({ name }) => name === "climate_earthquakes")
    expect(quakes?.omitted).toBeGreaterThan(0)
    // What is left out is no more severe than what is kept.
    expect(Math.min(...weights)).toBeGreaterThanOrEqual(0.9)
    expect(quakes?.points[0]?.title).toMatch(/^M 7\.6, .*…$/)
  })

  it("stands without the data of an endpoint that it cannot read, or that is too long to be read for it", async () => {
    const api = await apiUnderTest({ endpoints })
    api.fill("/api/fear-greed", { value: 69, label: "Greed" })
    api.fill("/api/reactors", { written: "by another version" })
    api.fill("/api/predictions", [{ question: "?".repeat(GLANCE_DATA_MAX_BYTES) }])
    const world = await worldOf(api)
    expect(tileOf(world, "fear_greed").value).toBe(69)
    expect(tileOf(world, "reactors")).toMatchObject({
      value: null,
      status: "error",
      reason: "the data could not be read",
    })
    expect(tileOf(world, "predictions")).toMatchObject({ value: null, reason: expect.stringMatching(/^too long/) })
    expect(api.errors).toMatchObject([{ endpoint: "reactors" }])
    await worldOf(api)
    expect(api.errors, "tried once for a version").toHaveLength(1)
  })

  it("makes the glance at data once for each of its versions, however many ask at the same time", async () => {
    let made = 0
    const counted = endpoint({
      path: "/api/counted",
      name: "counted",
      kind: "prepared",
      tier: "free",
      ttl: "1 minute",
      summary: "",
      description: "",
      parameters: {},
      data: Schema.Struct({ value: Schema.Finite }),
      example: { value: 1 },
      subject: "service",
      glance: {
        title: "Counted",
        headline: ({ value }) => {
          made += 1
          return { value, unit: null, note: "n" }
        },
      },
    })
    const api = await apiUnderTest({ endpoints: [counted, worldEndpoint] })
    api.fill("/api/counted", { value: 1 })
    const { store } = api
    const board = new WorldBoard({
      endpoints: [counted],
      store,
      attribution: new Map(),
      nowMs: () => START_MS,
      logger: { error: () => {} },
    })
    const making = board.current()
    expect(board.current()).toBe(making)
    const reply = await making
    expect(board.current()).toBe(reply)
    made = 0
    const all = await Promise.all(Array.from({ length: 20 }, () => api.app.inject({ url: WORLD })))
    expect(new Set(all.map(({ headers }) => headers.etag)).size).toBe(1)
    api.moveTo(START_MS + 10_000)
    api.store.update("/api/counted", { freshness: null })
    await worldOf(api)
    expect(made).toBe(1)
    api.fill("/api/counted", { value: 2 })
    expect(tileOf(await worldOf(api), "counted").value).toBe(2)
    expect(made).toBe(2)
  })
})
