import * as Schema from "effect/Schema"
import { describe, expect, expectTypeOf, it } from "vitest"
import { instant, makeEvent } from "../schemas/event.ts"
import { itemAppeared, itemGone } from "../schemas/events/deltas.ts"
import { listFeed, valueFeed } from "../schemas/feed.ts"
import { itemTable, monthOf, table } from "./table.ts"

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

const change = (type: typeof itemAppeared | typeof itemGone, feed: string, item: Schema.Json) =>
  makeEvent(type as typeof itemAppeared, {
    id: "e",
    source: "test",
    subject: feed,
    time: instant(0),
    data: { feed, parameters: {}, provider: "A.b", key: "k", item, observedAt: instant(0) },
  })

describe("a table over several feeds", () => {
  const threats = table({
    name: "threats",
    feeds: [urls, flaw],
    rows: (one) => {
      expectTypeOf(one.feed).toEqualTypeOf<"urls" | "flaw">()
      // The feed determines the type of the item.
      const indicator = one.feed === "urls" ? one.item.url : one.item.cve
      return [{ source: one.feed, indicator, gone: one.kind === "gone", observed_at: one.observedAt }]
    },
    partition: (row) => monthOf(row.observed_at),
  })

  it("makes rows of the changes of each of them, and of no other feed", () => {
    expect(threats.rows(change(itemAppeared, "urls", { url: "http://a.example" }))).toEqual([
      { source: "urls", indicator: "http://a.example", gone: false, observed_at: instant(0) },
    ])
    expect(threats.rows(change(itemGone, "flaw", { cve: "CVE-2026-1", due: null }))).toMatchObject([
      { source: "flaw", indicator: "CVE-2026-1", gone: true },
    ])
    expect(threats.rows(change(itemAppeared, "other", { url: "http://b.example" }))).toEqual([])
  })

  it("of one feed needs no list", () => {
    const own = table({
      name: "own",
      feed: flaw,
      rows: ({ feed, item: { cve } }) => {
        expectTypeOf(feed).toEqualTypeOf<"flaw">()
        return [{ cve }]
      },
      partition: () => "",
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
      stationName: Schema.NullOr(Schema.String),
      measuredAt: Schema.String,
      sensor: Schema.Struct({ kind: Schema.String }),
    }),
    key: "reading",
  })
  const item = { change24hPercent: null, stationName: null, measuredAt: instant(0), sensor: { kind: "laser" } }
  const readings = itemTable({
    name: "readings",
    feed: reading,
    without: ["sensor"],
    texts: ["stationName"],
    columns: ({ item: { sensor }, provider }) => ({ sensor_kind: sensor.kind, provider }),
    listed: "on_air",
    partition: (row) => {
      expectTypeOf(row.change_24h_percent).toEqualTypeOf<number | null>()
      expectTypeOf(row.station_name).toEqualTypeOf<string>()
      expectTypeOf(row.on_air).toEqualTypeOf<boolean>()
      expectTypeOf(row).not.toHaveProperty("sensor")
      return monthOf(row.measured_at)
    },
  })

  it("has the members of the item as columns in snake case, and what is declared beside them", () => {
    const row = {
      change_24h_percent: null,
      station_name: "",
      measured_at: instant(0),
      sensor_kind: "laser",
      provider: "A.b",
      on_air: true,
      observed_at: instant(0),
    }
    expect(readings.rows(change(itemAppeared, "reading", item))).toEqual([row])
    expect(readings.rows(change(itemGone, "reading", item))).toEqual([{ ...row, on_air: false }])
    expect(readings.partition(row)).toBe("197001")
  })

  it("makes no row of what is gone where no column says so, and stands in partitions of months", () => {
    const own = itemTable({ name: "own", feed: reading, without: ["sensor"], texts: ["stationName"] })
    expect(own.rows(change(itemGone, "reading", item))).toEqual([])
    const [row = {}] = own.rows(change(itemAppeared, "reading", item))
    expect(own.partition(row)).toBe("197001")
  })

  it("refuses members that the item does not have, and nulls of what is no text", () => {
    // @ts-expect-error: no member of the item
    itemTable({ name: "wrong", feed: reading, without: ["sensors"] })
    // @ts-expect-error: a number
    itemTable({ name: "wrong", feed: reading, texts: ["change24hPercent"] })
    // @ts-expect-error: a member without a column
    itemTable({ name: "wrong", feed: reading, without: ["measuredAt"], partition: (row) => row.measured_at })
  })
})
