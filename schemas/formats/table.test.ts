import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { isView } from "../contract/endpoint-kinds.ts"
import { endpoints } from "../registry.ts"
import { Latitude, Longitude } from "../values.ts"
import { rowsOf, tableOf } from "./table.ts"

const Place = Schema.Struct({ id: Schema.String, north: Schema.NullOr(Latitude), east: Longitude })
const Other = Schema.Struct({ id: Schema.Finite, note: Schema.optionalKey(Schema.String) })
const names = (table: ReturnType<typeof tableOf>) =>
  table?.map(({ lists, columns }) => [lists.map(({ name }) => name), columns.map(({ name }) => name)])

describe("the table of an endpoint's data", () => {
  it("has the list's objects as rows, wherever the list stands, and their places by the schema of coordinates", () => {
    const whole = tableOf(Schema.Array(Place))
    expect(names(whole)).toEqual([[[null], ["id", "north", "east"]]])
    expect(whole?.[0]).toMatchObject({ place: { latitude: "north", longitude: "east" }, hasId: true })
    expect(
      names(tableOf(Schema.Struct({ count: Schema.Natural, places: Schema.NullOr(Schema.Array(Place)) }))),
    ).toEqual([[["places"], ["id", "north", "east"]]])
    expect(tableOf(Schema.Struct({ at: Place, words: Schema.Array(Schema.String) }))).toBe(null)
    expect(tableOf(Schema.Struct({ inner: Schema.Struct({ places: Schema.Array(Place) }) }))).toBe(null)
  })

  it("unites several lists, unless the endpoint chooses", () => {
    const both = Schema.Struct({ places: Schema.Array(Place), others: Schema.optionalKey(Schema.Array(Other)) })
    const table = tableOf(both)
    expect(names(table)).toEqual([
      [
        ["places", "others"],
        ["id", "north", "east", "note"],
      ],
    ])
    expect(table?.[0]).toMatchObject({ place: null, hasId: false })
    expect(names(tableOf(both, { lists: ["others"] }))).toEqual([[["others"], ["id", "note"]]])
    if (table === null) throw new Error("there is no table")
    const place = { id: "p", north: 1, east: 2 }
    expect(rowsOf(table, { places: [place], others: [{ id: 1 }] })?.rows).toEqual([
      { list: "places", value: place },
      { list: "others", value: { id: 1 } },
    ])
    // An optional list may be absent; one that is null was not read, which is not an empty list.
    expect(rowsOf(table, { places: [] })?.rows).toEqual([])
    expect(rowsOf(table, { places: null })).toBe(null)
    expect(rowsOf(table, {})).toBe(null)
  })

  it("refuses a row that has a member of the name of the column of lists", () => {
    const Listed = Schema.Array(Schema.Struct({ list: Schema.String }))
    expect(() => tableOf(Schema.Struct({ one: Listed, other: Listed }))).toThrow("a member list")
  })

  it("is known for each form of the data, and there is none where one has no list", () => {
    const places = Schema.Struct({ kind: Schema.Literal("a"), places: Schema.Array(Place) })
    const others = Schema.Struct({ kind: Schema.Literal("b"), others: Schema.Array(Other) })
    const table = tableOf(Schema.Union([places, others]))
    expect(names(table)?.map(([lists]) => lists)).toEqual([["places"], ["others"]])
    if (table === null) throw new Error("there is no table")
    expect(rowsOf(table, { kind: "b", others: [{ id: 1 }] })?.form).toBe(table[1])
    expect(tableOf(Schema.Union([places, Other]))).toBe(null)
  })

  it("unnests a list within rows, and keeps a row whose list is empty", () => {
    const Board = Schema.Struct({ name: Schema.String, rows: Schema.Array(Other) })
    const table = tableOf(Schema.Struct({ boards: Schema.Array(Board) }), { unnest: { boards: "rows" } })
    expect(names(table)).toEqual([[["boards"], ["name", "rows.id", "rows.note"]]])
    if (table === null) throw new Error("there is no table")
    const boards = [
      { name: "a", rows: [{ id: 1 }, { id: 2 }] },
      { name: "b", rows: [] },
    ]
    expect(rowsOf(table, { boards })?.rows.map(({ value }) => value)).toEqual([
      { name: "a", rows: { id: 1 } },
      { name: "a", rows: { id: 2 } },
      { name: "b" },
    ])
    expect(() => tableOf(Schema.Struct({ boards: Schema.Array(Board) }), { unnest: { boards: "none" } })).toThrow()
  })
})

describe("the tables of the contract", () => {
  it("are those of its free lists, and of places where items have coordinates", () => {
    const views = endpoints.filter(isView)
    const inFormat = (format: string) => views.filter(({ formats }) => formats.some((one) => one === format))
    const paths = (list: typeof views) => list.map(({ path }) => path.replace("/api/", ""))
    expect(paths(inFormat("geojson"))).toEqual(
      expect.arrayContaining([
        "climate/earthquakes",
        "disaster-alerts",
        "launches",
        "tsunami",
        "volcanoes",
        "wildfires",
      ]),
    )
    expect(paths(inFormat("csv"))).toEqual(
      expect.arrayContaining(["climate/weather-alerts", "predictions", "harnesses", "stocks", "faa-status"]),
    )
    // One value, sections of many feeds, and what is private to its caller.
    for (const path of ["btc-price", "forex", "weather", "briefing", "exposure-scan"])
      expect(paths(inFormat("csv"))).not.toContain(path)
    for (const { tier, path } of inFormat("csv")) expect(tier, path).toBe("free")
  })

  it("have a unit in the name or the header of every coordinate and price", () => {
    const columns = endpoints.filter(isView).flatMap(({ table }) => (table ?? []).flatMap((form) => form.columns))
    const units = new Map(columns.map(({ name, unit }) => [name, unit]))
    expect([units.get("lat"), units.get("lon"), units.get("market_cap"), units.get("depth_km")]).toEqual([
      "degrees north",
      "degrees east",
      "USD",
      null,
    ])
  })
})
