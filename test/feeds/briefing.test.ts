import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import alternative from "../../ingestors/sources/alternative-fng.ts"
import coinbase from "../../ingestors/sources/coinbase-exchange.ts"
import hackerNews from "../../ingestors/sources/hacker-news.ts"
import openNotify from "../../ingestors/sources/open-notify.ts"
import polymarket from "../../ingestors/sources/polymarket-gamma.ts"
import statuspage from "../../ingestors/sources/statuspage.ts"
import usgs from "../../ingestors/sources/usgs-earthquakes.ts"
import { buildData, viewInstance } from "../../processors/view/build-view.ts"
import type { Reading } from "../../processors/view/view.ts"
import briefing from "../../processors/views/briefing.ts"
import btcPrice from "../../processors/views/btc-price.ts"
import earthquake from "../../processors/views/earthquake.ts"
import predictionsView from "../../processors/views/predictions.ts"
import serviceStatusView from "../../processors/views/service-status.ts"
import techNews from "../../processors/views/tech-news.ts"
import { Briefing, SUMMARY_MAX_CHARACTERS } from "../../schemas/endpoints/briefing.ts"
import { instanceKey } from "../../schemas/feed.ts"
import { serviceInstances } from "../../schemas/feeds/service-status.ts"
import alternativeWorld from "../world/upstreams/alternative-fng.ts"
import coinbaseWorld from "../world/upstreams/coinbase-exchange.ts"
import hackerNewsWorld from "../world/upstreams/hacker-news.ts"
import openNotifyWorld from "../world/upstreams/open-notify.ts"
import polymarketWorld from "../world/upstreams/polymarket-gamma.ts"
import statuspageWorld from "../world/upstreams/statuspage.ts"
import usgsWorld from "../world/upstreams/usgs-earthquakes.ts"
import { DAILY, QUAKES, quake } from "./support/briefing-feeds.ts"
import { inputsOf, reading, shown } from "./support/shown.ts"
import { observed } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")

/** The briefing of the readings at hand, by the key of their instance. */
const briefed = (readings: ReadonlyMap<string, Reading<unknown>>): Briefing => {
  const inputs = inputsOf(briefing, {}, (feed, instance) => readings.get(instanceKey(feed, instance)))
  const { data } = briefing.build(inputs, { parameters: {}, nowMs: NOW_MS })
  return Schema.decodeUnknownSync(Briefing, { onExcessProperty: "error" })(data)
}

const nothing: Briefing["sections"] = {
  crypto: null,
  fear_greed: null,
  earthquakes: null,
  predictions: null,
  news: null,
  top_story_count: null,
  services: null,
  crew: null,
}
const price = {
  currency: "USD",
  price: 1063212.97,
  change24hPercent: -0.5,
  high24h: null,
  low24h: null,
  volume24h: null,
}

describe("the briefing", () => {
  it("is null before the first feed has answered", () => {
    const nothing = () => undefined
    const empty = { feed: nothing, payload: nothing, declared: nothing, remembered: nothing }
    expect(buildData(viewInstance(briefing, {}), empty, NOW_MS)).toEqual({ _tag: "Missing" })
  })

  it("is null, never zero, for missing values, and leaves them out of the summary", () => {
    const { summary, sections } = briefed(new Map([["btc-price", reading(price)]]))
    expect(sections).toEqual({
      ...nothing,
      crypto: {
        symbol: "BTC",
        price_usd: 1063212.97,
        change_24h_percent: -0.5,
        high_24h: null,
        low_24h: null,
        volume_24h_usd: null,
      },
    })
    expect(summary).toBe("Bitcoin at 1,063,212.97 US dollars, down 0.50% in 24 hours.")
  })

  it("distinguishes an empty answer from a missing one", () => {
    const { summary, sections } = briefed(
      new Map([
        [QUAKES, reading({ items: [] }, DAILY)],
        ["humans-in-space", reading({ items: [{ name: "A", craft: null }] })],
      ]),
    )
    expect(sections.earthquakes).toEqual({ count: 0, latest: null, strongest: null })
    expect(summary).toBe("0 earthquakes of magnitude 2.5 and above in 24 hours; 1 person in space.")
  })

  it("names the strongest quake and the services in trouble, and counts only those heard", () => {
    const status = (word: string) => ({
      items: [],
      facts: { status: word, description: word, components: { count: 1, affected: 0 } },
    })
    const quakes = { items: [quake(null, "here"), quake(3, "there"), quake(6.1, "Kodiak"), quake(6.1, "later")] }
    const { summary, sections } = briefed(
      new Map<string, Reading<unknown>>([
        [QUAKES, reading(quakes, DAILY)],
        ["service-status?service=github", reading(status("operational"), { service: "github" })],
        ["service-status?service=npm", reading(status("major"), { service: "npm" })],
      ]),
    )
    expect(summary).toBe(
      "4 earthquakes of magnitude 2.5 and above in 24 hours, the strongest 6.1 (Kodiak); 1 of 2 services fully operational (not: npm).",
    )
    expect(sections.earthquakes?.latest).toMatchObject({ magnitude: null, location: "here" })
    expect(sections.services).toHaveLength(serviceInstances.length)
  })

  it("stays a bounded sentence whatever an upstream calls a place", () => {
    const quakes = { items: [quake(5, "\u{1F30B}".repeat(5000))] }
    const { summary } = briefed(new Map([[QUAKES, reading(quakes, DAILY)]]))
    expect(summary).toHaveLength(SUMMARY_MAX_CHARACTERS)
  })

  it("of the world equals the single endpoints", async () => {
    const quakes = (await observed(usgs, usgsWorld, NOW_MS, DAILY)).payload
    const pages = await Promise.all(
      serviceInstances.map(async (instance) => {
        const { payload } = await observed(statuspage, statuspageWorld, NOW_MS, instance)
        return reading(payload, instance)
      }),
    )
    const single = {
      "btc-price": reading((await observed(coinbase, coinbaseWorld, NOW_MS)).payload),
      "fear-greed": reading((await observed(alternative, alternativeWorld, NOW_MS)).payload),
      predictions: reading((await observed(polymarket, polymarketWorld, NOW_MS)).payload),
      "tech-news": reading((await observed(hackerNews, hackerNewsWorld, NOW_MS)).payload),
      "humans-in-space": reading((await observed(openNotify, openNotifyWorld, NOW_MS)).payload),
    }
    const { summary, sections } = briefed(
      new Map<string, Reading<unknown>>([
        ...Object.entries(single),
        [QUAKES, reading(quakes, DAILY)],
        ...pages.map((page): [string, Reading<unknown>] => [instanceKey("service-status", page.parameters), page]),
      ]),
    )
    const at = { nowMs: NOW_MS }
    expect(sections.crypto).toMatchObject(shown(btcPrice, [single["btc-price"]], at) as object)
    expect(sections.predictions).toEqual(
      (shown(predictionsView, [single.predictions], at) as ReadonlyArray<unknown>).slice(0, 5),
    )
    expect(sections.news).toEqual((shown(techNews, [single["tech-news"]], at) as ReadonlyArray<unknown>).slice(0, 5))
    expect(sections.services).toEqual(shown(serviceStatusView, pages, at))
    const plain = shown(earthquake, [reading(quakes, DAILY)], at) as {
      count: number
      earthquakes: ReadonlyArray<unknown>
    }
    expect(sections.earthquakes).toMatchObject({ count: plain.count, latest: plain.earthquakes[0] })
    expect(sections.top_story_count).toBeGreaterThan(20)
    expect(sections.crew?.count).toBeGreaterThan(5)
    expect(Object.values(sections)).not.toContain(null)
    expect(summary.split("; ")).toHaveLength(8)
  })
})
