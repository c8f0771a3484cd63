import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import historyQuery from "../../api/premium/queries/feed-reliability-history.ts"
import type { HistoryQuery } from "../../api/premium/query.ts"
import { START_MS } from "../../api/testing/api-under-test.ts"
import { proBriefingEndpoint } from "../../schemas/endpoints/pro-briefing.ts"
import { proFeedReliabilityEndpoint, STALLED_AFTER_MS } from "../../schemas/endpoints/pro-feed-reliability.ts"
import {
  FeedReliabilityHistory,
  proFeedReliabilityHistoryEndpoint,
} from "../../schemas/endpoints/pro-feed-reliability-history.ts"
import { instant } from "../../schemas/event.ts"
import type { Json } from "../../schemas/json.ts"
import { ProBriefing, type ProBriefingFull, proBriefingWords } from "../../schemas/payloads/pro-briefing.ts"
import { type History, HistoryUnavailable } from "../../schemas/ports/history.ts"
import { eventReader } from "../../schemas/registry.ts"
import { premiumScene } from "./scene.ts"

const endpoints = [proBriefingEndpoint, proFeedReliabilityEndpoint, proFeedReliabilityHistoryEndpoint]

/** The query of the product, on a history that answers with these rows, or fails. */
const queryOn = (answer: Effect.Effect<ReadonlyArray<unknown>, HistoryUnavailable>): HistoryQuery => ({
  ...historyQuery,
  run: (_, parameters, nowMs) => historyQuery.run({ query: () => answer } as unknown as History, parameters, nowMs),
})
const sceneOf = (rows: Effect.Effect<ReadonlyArray<unknown>, HistoryUnavailable> = Effect.succeed([])) =>
  premiumScene({ ...(endpoints === undefined ? {} : { endpoints }), queries: [queryOn(rows)] })

const full: ProBriefingFull = {
  sections: {
    earthquakes: { count: 1, latest: { magnitude: 6.1, place: "Kodiak", time: START_MS } },
    tech_news: { top_story_count: 30 },
    humans_in_space: null,
    launches: null,
    predictions: { count: 0, top: [] },
  },
  series: { btc_24h: [{ ts: START_MS, price: 63_000.5 }] },
}

describe("GET /api/pro/briefing", () => {
  it("costs one credit and holds every section, a missing one as null, and no series", async () => {
    const { fill, get, token, balanceOf } = await sceneOf()
    fill("/api/pro/briefing", full)
    const mine = await token(3)
    const reply = await get("/api/pro/briefing", mine)
    expect(reply.statusCode).toBe(200)
    const { source, endpoint, generated_at, billing, receipt, _meta, ...data } = reply.json()
    expect([source, endpoint, generated_at]).toEqual(["tidewire-pro", "pro/briefing", instant(START_MS)])
    expect(billing).toEqual({ credits_charged: 1, credits_remaining: 2 })
    expect(Schema.decodeUnknownSync(ProBriefing, { onExcessProperty: "error" })(data).sections).toEqual(full.sections)
    expect(data).not.toHaveProperty("series")
    expect(await balanceOf(mine)).toBe(2)
  })

  it("holds the included sections, in any order, and the series on request", async () => {
    const { fill, get, token } = await sceneOf()
    fill("/api/pro/briefing", full)
    const reply = await get("/api/pro/briefing?include=predictions,earthquakes&history=24h", await token(3))
    const { sections, series } = reply.json()
    expect(sections).toEqual({ earthquakes: full.sections.earthquakes, predictions: full.sections.predictions })
    expect(series).toEqual(full.series)
  })

  it("gives each call its own selection of the same data, and of newer data", async () => {
    const { fill, get, token } = await sceneOf()
    fill("/api/pro/briefing", full)
    const mine = await token(9)
    const sectionsOf = async (query: string) => (await get(`/api/pro/briefing${query}`, mine)).json().sections
    const { earthquakes, tech_news } = full.sections
    for (let turn = 0; turn < 2; turn++) {
      expect(await sectionsOf("?include=earthquakes")).toEqual({ earthquakes })
      expect(await sectionsOf("?include=tech-news")).toEqual({ tech_news })
    }
    const newer = { ...full, sections: { ...full.sections, tech_news: { top_story_count: 31 } } }
    fill("/api/pro/briefing", newer)
    expect(await sectionsOf("?include=tech-news")).toEqual({ tech_news: { top_story_count: 31 } })
  })

  it("refuses an unknown word with the words that there are, and takes nothing for it", async () => {
    const { fill, get, token, entries } = await sceneOf()
    fill("/api/pro/briefing", full)
    const reply = await get("/api/pro/briefing?include=earthquakes,btc", await token(3))
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toMatchObject({
      error: "invalid_parameter",
      parameter: "include",
      allowed: proBriefingWords,
    })
    expect(entries()).toEqual([])
  })
})

describe("GET /api/pro/feed-reliability", () => {
  const at = (capturedMs: number): Json =>
    ({ ...proFeedReliabilityEndpoint.example, captured_at: instant(capturedMs) }) as unknown as Json

  it("costs two credits while the monitor is alive, up to 48 hours after its last check", async () => {
    const { fill, get, token, balanceOf } = await sceneOf()
    fill("/api/pro/feed-reliability", at(START_MS - STALLED_AFTER_MS))
    const mine = await token(2)
    expect((await get("/api/pro/feed-reliability", mine)).json()).toMatchObject({
      feeds: [{ rank: 1, feed: "earthquakes", composite: 100 }],
      billing: { credits_charged: 2, credits_remaining: 0 },
    })
    expect(await balanceOf(mine)).toBe(0)
    expect((await get("/api/pro/feed-reliability", mine)).statusCode).toBe(402)
  })

  it("is free of charge from then on, at balance 0 too, with the reason", async () => {
    const { fill, get, token, entries } = await sceneOf()
    fill("/api/pro/feed-reliability", at(START_MS - STALLED_AFTER_MS - 1))
    const mine = await token(0)
    const before = entries().length
    const reply = await get("/api/pro/feed-reliability", mine)
    expect(reply.statusCode).toBe(200)
    expect(reply.json().billing).toEqual({
      credits_charged: 0,
      credits_remaining: 0,
      no_charge_reason: "stalled_monitor",
    })
    expect(entries()).toHaveLength(before)
  })
})

describe("GET /api/pro/feed-reliability/history", () => {
  const day = (date: string) => ({
    date,
    composite: 88,
    uptime: 0.75,
    availability: 1,
    staleness_rate: 0.25,
    dark_rate: 0,
    checks: 4,
    ok: 3,
    stale: 1,
    dark: 0,
  })

  it("costs two credits and holds the days", async () => {
    const today = instant(START_MS).slice(0, 10)
    const { get, token } = await sceneOf(Effect.succeed([day("2026-01-02"), day(today)]))
    const reply = await get(`/api/pro/feed-reliability/history?feed=earthquakes&from=2026-01-01`, await token(2))
    const { source, endpoint, generated_at, billing, receipt, _meta, ...data } = reply.json()
    expect(billing).toEqual({ credits_charged: 2, credits_remaining: 0 })
    const parsed = Schema.decodeUnknownSync(FeedReliabilityHistory, { onExcessProperty: "error" })(data)
    expect(parsed).toMatchObject({ from: "2026-01-01", to: today, empty: false })
    expect(parsed.series.map(({ complete }) => complete)).toEqual([true, false])
  })

  it("gives the credits back for an empty range", async () => {
    const { get, token, memory } = await sceneOf()
    const mine = await token(2)
    const reply = await get("/api/pro/feed-reliability/history?feed=earthquakes", mine)
    expect(reply.json()).toMatchObject({
      empty: true,
      series: [],
      billing: { credits_charged: 0, credits_remaining: 2, no_charge_reason: "empty_range" },
    })
    // The ledger's entries decode by their schema.
    for (const event of memory.events("ledger"))
      expect(eventReader.readEvent(new TextEncoder().encode(JSON.stringify(event)))._tag).toBe("Success")
  })

  it("lists the feeds to a call that names none: before any debit, at balance 0, without the history", async () => {
    const { get, token, entries, receipts } = await sceneOf(Effect.die("the history must not be queried"))
    const mine = await token(0)
    const before = entries().length
    const reply = await get("/api/pro/feed-reliability/history?to=2026-01-31", mine)
    expect(reply.statusCode).toBe(200)
    const body = reply.json()
    expect(body).toMatchObject({
      feed: null,
      feeds: expect.arrayContaining(["earthquakes"]),
      to: "2026-01-31",
      empty: true,
      series: [],
      billing: { credits_charged: 0, credits_remaining: 0, no_charge_reason: "empty_range" },
    })
    expect(entries()).toHaveLength(before)
    expect(await receipts.verify(body.receipt.jws, body)).toMatchObject({
      valid: true,
      claims: { reason: "empty_range", credits: 0 },
    })
    expect(proFeedReliabilityHistoryEndpoint.noCharge).toContainEqual(
      expect.objectContaining({ reason: "empty_range", decided: "before" }),
    )
  })

  it.each([
    ["an unknown feed", "feed=nonsense", { parameter: "feed", allowed: expect.arrayContaining(["earthquakes"]) }],
    ["a day that does not exist", "feed=humans-in-space&from=2026-02-30", { parameter: "from" }],
    ["366 days", "feed=humans-in-space&from=2024-01-01&to=2024-12-31", { parameter: "from" }],
    ["an end before its beginning", "feed=humans-in-space&from=2024-01-02&to=2024-01-01", { parameter: "from" }],
  ])("refuses %s with 400, and takes nothing for it", async (_, query, expected) => {
    const { get, token, entries } = await sceneOf(Effect.die("the history must not be queried"))
    const reply = await get(`/api/pro/feed-reliability/history?${query}`, await token(2))
    expect([reply.statusCode, reply.json()]).toMatchObject([400, expected])
    expect(entries()).toEqual([])
  })

  it("is no empty answer when the history cannot be read: 5xx, and the credits are back", async () => {
    const { get, token, balanceOf } = await sceneOf(Effect.fail(new HistoryUnavailable({ problem: "away" })))
    const mine = await token(2)
    const reply = await get("/api/pro/feed-reliability/history?feed=earthquakes", mine)
    expect(reply.statusCode).toBeGreaterThanOrEqual(500)
    expect(reply.json()).not.toHaveProperty("series")
    expect(await balanceOf(mine)).toBe(2)
  })
})
