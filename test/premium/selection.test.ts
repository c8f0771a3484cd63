import { describe, expect, it } from "vitest"
import { START_MS } from "../../api/testing/api-under-test.ts"
import latest from "../../processors/folds/latest.ts"
import { declared, failed, foldingBench, type GivenEvent, observed } from "../../processors/testing/folding.ts"
import { proBriefingEndpoint } from "../../schemas/endpoints/pro-briefing.ts"
import { eventReader } from "../../schemas/registry.ts"
import type { ViewBody, ViewFreshness } from "../../schemas/view-record.ts"
import { at, premiumScene } from "./scene.ts"

const PATH = "/api/pro/briefing"
const DAILY = { magnitude: "2.5", period: "day" }
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

const follows = declared(START_MS, [
  { feed: "earthquakes", parameters: DAILY, provider: "USGS.earthquakes" },
  { feed: "tech-news", provider: "HN.stories" },
  { feed: "btc-price", provider: "Coinbase.bitcoin" },
])
const quakes = (atMs: number) =>
  observed(START_MS + atMs, "earthquakes", { items: [] }, { parameters: DAILY, provider: "USGS.earthquakes" })
const stories = (atMs: number) =>
  observed(START_MS + atMs, "tech-news", { items: [] }, { provider: "HN.stories", freshForMs: DAY_MS })
const bitcoin = (atMs: number) =>
  observed(
    START_MS + atMs,
    "btc-price",
    { currency: "USD", price: 60_000, change24hPercent: null, high24h: null, low24h: null, volume24h: null },
    { provider: "Coinbase.bitcoin", freshForMs: DAY_MS },
  )

/** The premium briefing over a real ledger, built from these events by the real fold. */
const briefed = (...events: ReadonlyArray<GivenEvent>) => briefedWithout([], ...events)

/** The same, without the inputs that are withheld. */
const briefedWithout = async (inputs: ReadonlyArray<string>, ...events: ReadonlyArray<GivenEvent>) => {
  const endpoints = [proBriefingEndpoint]
  const withheld = new Map([[PATH, { inputs: new Set(inputs), feeds: [] }]])
  const scene = await premiumScene({ endpoints, withheld })
  const bench = foldingBench(latest, eventReader)
  bench.fold(follows, ...events)
  const body = (bench.view(PATH) as ViewBody | undefined) ?? null
  scene.store.update(PATH, { body, freshness: bench.view(`${PATH}#freshness`) as ViewFreshness })
  const mine = await scene.token(9)
  const get = async (query: string) => {
    const before = scene.entries().length
    const reply = await scene.get(`${PATH}${query}`, mine)
    const billing = reply.json().billing
    return { reply, body: reply.json(), billing, written: scene.entries().length - before }
  }
  return { ...scene, get }
}
const free = (reason: string) => ({ credits_charged: 0, credits_remaining: 9, no_charge_reason: reason })

describe("a call for a part of a view", () => {
  it("is free of charge while the sources of that part are stale, whatever the others are", async () => {
    const { get, moveTo, receipts } = await briefed(quakes(0), stories(0))
    moveTo(START_MS + 10 * MINUTE_MS)
    const { reply, body, billing, written } = await get("?include=earthquakes")
    expect([billing, written]).toEqual([free("stale_sources"), 0])
    expect(body._meta).toMatchObject({ as_of: at(0), stale: true, sources: [{ name: "USGS.earthquakes" }] })
    expect(body._meta.sources).toHaveLength(1)
    expect(reply.headers).toMatchObject({ "x-service-stale": "true", "x-credits-charged": "0" })
    expect(await receipts.verify(body.receipt.jws, body)).toMatchObject({
      valid: true,
      claims: { credits: 0, reason: "stale_sources" },
    })
    expect((await get("?include=earthquakes,launches")).billing).toEqual(free("stale_sources"))
    expect((await get("?include=earthquakes,tech-news")).billing).toMatchObject({ credits_charged: 1 })
  })

  it("is charged while its own sources are fresh, and does not mention the others", async () => {
    const { get, moveTo } = await briefed(
      quakes(0),
      stories(5_000),
      failed(9_000 + START_MS, "humans-in-space", "timeout", "late"),
    )
    moveTo(START_MS + 10 * MINUTE_MS)
    const { reply, body, billing } = await get("?include=tech-news")
    expect(billing).toEqual({ credits_charged: 1, credits_remaining: 8 })
    expect(body._meta).toMatchObject({ as_of: at(5_000), stale_after: at(5_000 + DAY_MS), stale: false })
    expect(body._meta.sources).toEqual([{ name: "HN.stories", status: "live", fetched_at: at(5_000), latency_ms: 7 }])
    expect(reply.headers).toMatchObject({ "x-service-as-of": at(5_000), "x-service-stale": "false" })
  })

  it("is free of charge while no part holds data, and reports whether some will come", async () => {
    const { get } = await briefed(stories(0))
    const coming = await get("?include=earthquakes")
    expect([coming.billing, coming.written]).toEqual([free("warming"), 0])
    expect(coming.body).toMatchObject({ sections: { earthquakes: null }, _meta: { warming: true, stale: true } })
    expect(coming.reply.headers).toHaveProperty("retry-after")
    const undeclared = await get("?include=launches")
    expect([undeclared.billing, undeclared.written]).toEqual([free("warming"), 0])
    expect(undeclared.body).toMatchObject({ sections: { launches: null }, _meta: { warming: true, sources: [] } })
    const both = await get("?include=earthquakes,launches&history=24h")
    expect(both.billing).toEqual(free("warming"))
  })

  it("is free of charge where every source of that part rests, and does not promise that data comes", async () => {
    const resting = declared(START_MS, [
      { feed: "earthquakes", parameters: DAILY, provider: "USGS.earthquakes" },
      { feed: "tech-news", provider: "HN.stories", rests: "not_licensed" },
      { feed: "btc-price", provider: "Coinbase.bitcoin" },
    ])
    const { get, receipts } = await briefed(resting)
    const { reply, body, billing, written } = await get("?include=tech-news")
    expect([billing, written]).toEqual([free("not_licensed"), 0])
    expect(body).toMatchObject({
      sections: { tech_news: null },
      _meta: { stale: true, reason: "not_licensed", sources: [{ name: "HN.stories", reason: "not_licensed" }] },
    })
    expect(body._meta).not.toHaveProperty("warming")
    expect(reply.headers).not.toHaveProperty("retry-after")
    expect(await receipts.verify(body.receipt.jws, body)).toMatchObject({ claims: { reason: "not_licensed" } })
    // A part of the selection may still get data.
    expect((await get("?include=tech-news,earthquakes")).billing).toEqual(free("warming"))
  })

  it("gives no price series away: what holds it is charged", async () => {
    const { get } = await briefed(bitcoin(0))
    const { body, billing } = await get("?include=launches&history=24h")
    expect(billing).toEqual({ credits_charged: 1, credits_remaining: 8 })
    expect(body.series.btc_24h).toHaveLength(1)
    expect(body._meta.sources.map(({ name }: { name: string }) => name)).toEqual(["Coinbase.bitcoin"])
    expect((await get("?include=launches")).billing).toMatchObject({ no_charge_reason: "warming" })
  })

  it("holds no price series that may not be sold, and is charged for the rest alone", async () => {
    const { get } = await briefedWithout(["btc24h"], stories(0), bitcoin(0))
    const { body, billing } = await get("?include=tech-news&history=24h")
    expect(billing).toEqual({ credits_charged: 1, credits_remaining: 8 })
    expect(body).not.toHaveProperty("series")
    expect(body.notes.btc_24h).toMatch(/are not known to allow it/)
    expect(body._meta.sources.map(({ name }: { name: string }) => name)).toEqual(["HN.stories"])
    // Launches have not been read: they may come, and the series will not.
    expect((await get("?include=launches&history=24h")).billing).toMatchObject({ no_charge_reason: "warming" })
  })
})
