import { parse } from "csv-parse/sync"
import { type ExtendedFeatureCollection, geoBounds, geoStream } from "d3-geo"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { apiUnderTest, START_MS } from "../../api/testing/api-under-test.ts"
import { undocumentedBy } from "../../api/testing/documented.ts"
import { sources } from "../../ingestors/registry.ts"
import latest from "../../processors/folds/latest.ts"
import { views } from "../../processors/registry.ts"
import { foldingBench, observed as saw } from "../../processors/testing/folding.ts"
import { defaultParameters, isView, type ViewEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { queryParameters } from "../../schemas/contract/renditions.ts"
import { catalogEndpoint } from "../../schemas/endpoints/catalog.ts"
import { openApiEndpoint } from "../../schemas/endpoints/openapi.ts"
import { instanceKey } from "../../schemas/feed.ts"
import { headerOf } from "../../schemas/formats/csv.ts"
import { FeatureCollection } from "../../schemas/formats/geojson.ts"
import type { Json } from "../../schemas/json.ts"
import { endpoints, eventReader } from "../../schemas/registry.ts"
import { freshnessKey, type ViewBody, type ViewFreshness } from "../../schemas/view-record.ts"
import { observed } from "../feeds/support/world.ts"
import { simulatedUpstreams } from "../world/server.ts"

// Every list of the contract over the simulated world, as a parser that knows nothing of this service reads it.

const lists = endpoints.filter(isView).filter(({ formats }) => formats.length > 1)
type Item = { readonly [name: string]: Json }

/** A poll of the world of every instance of every feed, by the source of the first rank. */
const polls = () =>
  Promise.all(
    sources
      .filter(({ rank }) => rank === 1)
      .flatMap((source) =>
        source.instances.map(async (parameters) => {
          const world = simulatedUpstreams.find(({ name }) => name === source.name)
          if (world === undefined) throw new Error(`the world has no ${source.name}`)
          const { payload } = await observed(source, world, START_MS, parameters)
          const provider = source.provider(parameters)
          return saw(START_MS, source.fills.name, payload as never, { parameters, provider })
        }),
      ),
  )

const bench = foldingBench(latest, eventReader)
bench.fold(...(await polls()))

/** An API of one list over what the fold makes of the world; of the view of another fold, its example. */
const served = async (endpoint: ViewEndpoint) => {
  const { path, example } = endpoint
  const contract = [endpoint, catalogEndpoint, openApiEndpoint]
  const { app, store, fill } = await apiUnderTest({ endpoints: contract, limits: { renditionsPerMinute: 1_000 } })
  const instances = views.find((view) => view.endpoint.path === path)?.instances ?? []
  for (const key of instances.map((parameters) => instanceKey(path, parameters)))
    store.update(key, {
      body: bench.view(key) as ViewBody,
      freshness: bench.view(freshnessKey(key)) as ViewFreshness,
    })
  if (instances.length === 0) fill(path, example)
  await store.settled()
  const undocumented = undocumentedBy(contract)
  const get = async (query: Readonly<Record<string, string>>) => {
    const reply = await app.inject({ url: instanceKey(path, query) })
    expect(undocumented("GET", path, reply) ?? []).toEqual([])
    expect(reply.statusCode, `${JSON.stringify(query)} ${reply.body.slice(0, 300)}`).toBe(200)
    return reply
  }
  return { app, get }
}

/** The queries of an endpoint whose replies stand ready: its defaults, and each value of a parameter with few. */
const queriesOf = (endpoint: ViewEndpoint): ReadonlyArray<Readonly<Record<string, string>>> => {
  const choices = Object.entries(endpoint.parameters).flatMap(([name, { schema, optional }]) =>
    optional !== true && "literals" in schema && Array.isArray(schema.literals)
      ? schema.literals.map((word) => ({ [name]: String(word) }))
      : [],
  )
  return [{}, ...choices].map((query) => ({ ...defaultParameters(endpoint), ...query }))
}

/** The items of the lists that the table is made of, in the JSON of the same reply. */
const itemsOf = ({ table }: ViewEndpoint, data: Json): ReadonlyArray<Item> => {
  if (Array.isArray(data)) return data
  const members = data as { readonly [name: string]: Json }
  const form = table?.find(({ lists: own }) => own.every(({ name, optional }) => optional || (name ?? "") in members))
  return (form?.lists ?? []).flatMap(({ name, unnest }) => {
    const items = (members[name ?? ""] ?? []) as ReadonlyArray<Item>
    return unnest === null ? items : items.flatMap((item) => (item[unnest] as ReadonlyArray<Json>).map(() => item))
  })
}

describe.each(lists.map((one) => [one.path, one] as const))("%s", (path, endpoint) => {
  it("is a table with the rows and the values of its JSON", async () => {
    const { get } = await served(endpoint)
    let rows = 0
    for (const query of queriesOf(endpoint)) {
      const json = (await get(query)).json()
      const items = itemsOf(endpoint, json.data)
      const { body } = await get({ ...query, format: "csv" })
      const records: Array<Record<string, string>> = parse(body, { columns: true, recordDelimiter: "\r\n" })
      expect(records.length, JSON.stringify(query)).toBe(items.length)
      rows += items.length
      const columns = (endpoint.table ?? []).flatMap((form) => form.columns)
      for (const [at, record] of records.entries())
        for (const column of columns.filter(({ path: names, holds }) => names.length === 1 && holds === "value")) {
          const value = items[at]?.[column.name] ?? null
          const cell = record[headerOf(column)]
          // A column of another form of the reply.
          if (cell === undefined) continue
          if (typeof value === "number") expect(Number(cell)).toBe(value)
          else expect(cell.replace(/^'(?='*[=+\-@\t\r\n])/, "")).toBe(value === null ? "" : String(value))
        }
    }
    // So that something was compared.
    expect(rows).toBeGreaterThan(0)
  })

  it("has the fields alone that are asked for, as JSON and as a table", async () => {
    const { app, get } = await served(endpoint)
    const { fields: names } = endpoint
    const chosen = names.filter((_, at) => at % 2 === 0)
    const only = (item: Item): Item =>
      Object.fromEntries(Object.entries(item).filter(([name]) => chosen.includes(name)))
    for (const query of queriesOf(endpoint)) {
      const whole = (await get(query)).json()
      const part = (await get({ ...query, fields: chosen.toReversed().join(",") })).json()
      expect(part._meta).toEqual(whole._meta)
      // What stands beside the lists stays, and every item is there.
      expect(Object.keys(part.data)).toEqual(Object.keys(whole.data))
      const lists = (endpoint.table ?? []).flatMap((form) => form.lists.map(({ name }) => name))
      for (const list of new Set(lists)) {
        const [before, after] = list === null ? [whole.data, part.data] : [whole.data?.[list], part.data?.[list]]
        expect(after, list ?? "").toEqual(Array.isArray(before) ? before.map(only) : before)
      }
      const head = (await get({ ...query, fields: chosen.join(","), format: "csv" })).body.split("\r\n")[0] ?? ""
      const columns = (endpoint.table ?? []).flatMap((form) => form.columns)
      for (const column of columns) {
        if (!chosen.includes(column.path[0] ?? "")) expect(`,${head},`).not.toContain(`,${headerOf(column)},`)
      }
    }
    const refused = await app.inject({
      url: instanceKey(path, { ...queriesOf(endpoint)[0], fields: `${names[0]},nothing` }),
    })
    expect([refused.statusCode, refused.json().allowed]).toEqual([400, names])
  })

  it("says so in the catalog and in OpenAPI, with the default json", async () => {
    const { app } = await served(endpoint)
    const { endpoints: entries } = (await app.inject({ url: "/api" })).json()
    const entry = entries.find((one: { readonly path: string }) => one.path === path)
    const format = entry.parameters.find(({ name }: { readonly name: string }) => name === "format")
    expect(format).toMatchObject({ allowed: endpoint.formats, default: "json", required: false })
    const { paths } = (await app.inject({ url: "/openapi.json" })).json()
    const { parameters, responses } = paths[path].get
    expect(Object.keys(responses["200"].content)).toEqual(entry.media_types)
    expect(parameters.map(({ name }: { readonly name: string }) => name)).toEqual(
      Object.keys(queryParameters(endpoint)),
    )
    expect(responses).toHaveProperty("503")
  })
})

/** A reader of points: lines and areas have no place here. */
const NO_SHAPES = {
  lineStart: () => expect.fail("a line"),
  lineEnd: () => {},
  polygonStart: () => expect.fail("an area"),
  polygonEnd: () => {},
}
/** The library computes on the sphere, and comes back with a rounded coordinate. */
const ROUNDING_DEGREES = 1e-6

const maps = lists.filter(({ formats }) => formats.some((format) => format === "geojson"))
describe.each(maps.map((one) => [one.path, one] as const))("%s", (path, endpoint) => {
  it("is a collection of points with its items, by RFC 7946", async () => {
    const { get } = await served(endpoint)
    for (const query of queriesOf(endpoint)) {
      const items = itemsOf(endpoint, (await get(query)).json().data)
      const collection: unknown = (await get({ ...query, format: "geojson" })).json()
      if (!Schema.is(FeatureCollection)(collection)) throw new Error(`${path} is no feature collection`)
      expect(collection.features.length).toBe(items.length)
      for (const [at, { geometry, properties, id }] of collection.features.entries()) {
        const { lat, lon, ...members } = items[at] ?? {}
        expect(geometry).toEqual(lat === null ? null : { type: "Point", coordinates: [lon, lat] })
        expect(properties).toEqual(members)
        expect(id).toBe(typeof members.id === "string" ? members.id : undefined)
      }
    }
  })

  it("is opened by a library for maps, each point where its item is", async () => {
    const { get } = await served(endpoint)
    for (const query of queriesOf(endpoint)) {
      const items = itemsOf(endpoint, (await get(query)).json().data)
      const collection: ExtendedFeatureCollection = (await get({ ...query, format: "geojson" })).json()
      const points: Array<ReadonlyArray<number>> = []
      geoStream(collection, { ...NO_SHAPES, point: (longitude, latitude) => points.push([longitude, latitude]) })
      expect(points).toEqual(items.flatMap(({ lat, lon }) => (lat === null ? [] : [[lon, lat]])))
      const [[west, south], [east, north]] = geoBounds(collection)
      for (const [longitude = 0, latitude = 0] of points) {
        expect(latitude).toBeGreaterThanOrEqual(south - ROUNDING_DEGREES)
        expect(latitude).toBeLessThanOrEqual(north + ROUNDING_DEGREES)
        // Bounds that cross the antimeridian begin in the east and end in the west.
        const isWithin = [longitude >= west - ROUNDING_DEGREES, longitude <= east + ROUNDING_DEGREES]
        expect(isWithin.filter(Boolean).length, `${longitude} in ${west}..${east}`).toBeGreaterThan(
          west <= east ? 1 : 0,
        )
      }
    }
  })
})
