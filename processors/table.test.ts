import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import * as Schema from "effect/Schema"
import { afterAll, describe, expect, expectTypeOf, it } from "vitest"
import { instant, makeEvent } from "../schemas/event.ts"
import { itemAppeared, itemGone } from "../schemas/events/deltas.ts"
import { listFeed, valueFeed } from "../schemas/feed.ts"
import { readDdl } from "./ddl.ts"
import { itemTable, table, tableOfFeed } from "./table.ts"

const folder = mkdtempSync(join(tmpdir(), "tables-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** The address of the file of a table with these columns. */
const declaring = (name: string, columns: ReadonlyArray<string>, partition = "toYYYYMM(observed_at)"): string => {
  mkdirSync(join(folder, name), { recursive: true })
  const lines = [...columns, "observed_at DateTime64(3, 'UTC')", "event_id String", "log_offset UInt64"]
  const sql = `CREATE TABLE ${name}\n(\n${lines.map((line) => `    ${line} COMMENT 'It''s one'`).join(",\n")}\n)\nENGINE = MergeTree\nPARTITION BY ${partition}\nCOMMENT 'All'\n`
  writeFileSync(join(folder, name, "001.sql"), sql)
  return pathToFileURL(join(folder, name, "table.ts")).href
}

const urls = listFeed({
  name: "urls",
  description: "",
  item: Schema.Struct({ url: Schema.String }),
  itemsMax: 10,
  key: ({ url }) => url,
})
const flaw = valueFeed({
  name: "flaw",
  description: "",
  value: Schema.Struct({ cve: Schema.String, due: Schema.NullOr(Schema.String) }),
  key: "flaw",
})

const change = (type: typeof itemAppeared | typeof itemGone, feed: string, item: Schema.Json, parameters = {}) =>
  makeEvent(type as typeof itemAppeared, {
    id: "e",
    source: "test",
    subject: feed,
    time: instant(0),
    data: { feed, parameters, provider: "A.b", key: "k", item, observedAt: instant(0) },
  })

describe("a table over several feeds", () => {
  const threats = table(declaring("threats", ["source String"]), {
    feeds: [urls, flaw],
    rows: (one) => {
      expectTypeOf(one.feed).toEqualTypeOf<"urls" | "flaw">()
      // The feed determines the type of the item.
      const indicator = one.feed === "urls" ? one.item.url : one.item.cve
      return [{ source: one.feed, indicator, gone: one.kind === "gone", observed_at: one.observedAt }]
    },
  })

  it("makes rows of the changes of each of them, and of no other feed", () => {
    expect(threats.name).toBe("threats")
    expect(threats.rows(change(itemAppeared, "urls", { url: "http://a.example" }))).toEqual([
      { source: "urls", indicator: "http://a.example", gone: false, observed_at: instant(0) },
    ])
    expect(threats.rows(change(itemGone, "flaw", { cve: "CVE-2026-1", due: null }))).toMatchObject([
      { source: "flaw", indicator: "CVE-2026-1", gone: true },
    ])
    expect(threats.rows(change(itemAppeared, "other", { url: "http://b.example" }))).toEqual([])
  })

  it("of one feed needs no list", () => {
    const own = table(declaring("own", ["cve String"]), {
      feed: flaw,
      rows: ({ feed, item: { cve } }) => {
        expectTypeOf(feed).toEqualTypeOf<"flaw">()
        return [{ cve }]
      },
    })
    expect(own.rows(change(itemAppeared, "flaw", { cve: "CVE-2026-2", due: null }))).toEqual([{ cve: "CVE-2026-2" }])
    expect(own.rows(change(itemAppeared, "urls", { url: "http://a.example" }))).toEqual([])
  })
})

describe("a table of items", () => {
  const reading = valueFeed({
    name: "reading",
    description: "",
    value: Schema.Struct({
      change24hPercent: Schema.NullOr(Schema.Finite),
      speedMPerS: Schema.Finite,
      stationName: Schema.NullOr(Schema.String),
      measuredAt: Schema.String,
      sensor: Schema.Struct({ kind: Schema.String }),
    }),
    key: "reading",
  })
  const item = {
    change24hPercent: null,
    speedMPerS: 2,
    stationName: null,
    measuredAt: instant(0),
    sensor: { kind: "laser" },
  }
  const asked = { lat: "43.7", lon: "-79.4", network: "north" }

  it("has the member that a column spells, what is known of the observation, and what is declared", () => {
    const columns = [
      "change_24h_percent Nullable(Float64)",
      "speed_m_s Float64",
      "station_name LowCardinality(String)",
      "measured_at Date",
      "asked_latitude Float64",
      "asked_longitude Float64",
      "network String",
      "sensor_kind String",
      "provider String",
      "on_air Bool",
    ]
    const readings = itemTable(declaring("readings", columns, "toYear(measured_at)"), {
      feed: reading,
      columns: ({ item: { sensor } }) => {
        expectTypeOf(sensor.kind).toEqualTypeOf<string>()
        return { sensor_kind: sensor.kind }
      },
      listed: "on_air",
    })
    const row = {
      change_24h_percent: null,
      speed_m_s: 2,
      station_name: "",
      measured_at: "1970-01-01",
      asked_latitude: 43.7,
      asked_longitude: -79.4,
      network: "north",
      sensor_kind: "laser",
      provider: "A.b",
      on_air: true,
      observed_at: instant(0),
    }
    expect(readings.rows(change(itemAppeared, "reading", item, asked))).toEqual([row])
    expect(readings.rows(change(itemGone, "reading", item, asked))).toEqual([{ ...row, on_air: false }])
    expect(readings.partitions.of(row)).toBe("1970")
  })

  it("says by `listed` whether an item is gone, and makes no row of that without such a column", () => {
    const listed = itemTable(declaring("with_listed", ["speed_m_s Float64", "listed Bool"]), { feed: reading })
    expect(listed.rows(change(itemGone, "reading", item))).toMatchObject([{ listed: false }])
    const own = itemTable(declaring("without_listed", ["speed_m_s Float64"]), { feed: reading })
    expect(own.rows(change(itemGone, "reading", item))).toEqual([])
    expect(own.partitions.of({ observed_at: instant(0) })).toBe("197001")
  })

  it("refuses an item that has no value for a column, and a value that has no column", () => {
    const sensors = itemTable(declaring("sensors", ["sensor_kind String"]), { feed: reading })
    expect(() => sensors.rows(change(itemAppeared, "reading", item))).toThrow(
      "sensors.sensor_kind has no value in an item of reading",
    )
    const file = declaring("kinds", ["sensor_kind String"])
    const kinds = itemTable(file, { feed: reading, columns: () => ({ sensor_kind: "laser", kind: "laser" }) })
    expect(() => kinds.rows(change(itemAppeared, "reading", item))).toThrow(
      "kinds declares values of columns that its DDL does not have",
    )
  })

  it("needs no declaration where its folder is named as the feed", () => {
    const { name, holds } = tableOfFeed({ ...reading, name: "trade-halts" })
    expect([name, holds.feeds]).toEqual(["trade_halts", ["trade-halts"]])
    expect(() => tableOfFeed(reading)).toThrow("the DDL of reading cannot be read")
  })
})

describe("the DDL of a table", () => {
  it("has the columns of its first file with what later ones change", () => {
    const file = declaring("grown", ["a String", "b Nullable(Float64)"])
    const later =
      "ALTER TABLE grown ADD COLUMN IF NOT EXISTS c UInt8 COMMENT 'New';\nALTER TABLE grown DROP COLUMN IF EXISTS a"
    writeFileSync(new URL("002.sql", file), later)
    const { columns, comment } = readDdl(new URL("./", file))
    expect(comment).toBe("All")
    expect(columns.map(({ name }) => name)).toEqual(["b", "observed_at", "event_id", "log_offset", "c"])
    expect(columns[0]).toEqual({ name: "b", type: "Nullable(Float64)", comment: "It's one" })
    expect(columns.at(-1)).toEqual({ name: "c", type: "UInt8", comment: "New" })
  })

  it("may partition by a day, a month or a year alone", () => {
    expect(() => readDdl(new URL("./", declaring("odd", ["a String"], "cityHash64(a)")))).toThrow(
      "odd is partitioned by cityHash64(a): only toYear,toYYYYMM,toYYYYMMDD are",
    )
  })
})
