import * as Schema from "effect/Schema"
import { describe, expect, expectTypeOf, it } from "vitest"
import { instant, makeEvent } from "../schemas/event.ts"
import { itemAppeared, itemGone } from "../schemas/events/deltas.ts"
import { listFeed, valueFeed } from "../schemas/feed.ts"
import { monthOf, table } from "./table.ts"

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
