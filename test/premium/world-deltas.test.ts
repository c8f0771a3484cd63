import { describe, expect, it } from "vitest"
import { START_MS } from "../../api/testing/api-under-test.ts"
import worldDeltas from "../../processors/folds/world-deltas.ts"
import { launch, polls, quake, story } from "../../processors/testing/delta-feeds.ts"
import { declared, foldingBench, type GivenEvent } from "../../processors/testing/folding.ts"
import { proWorldDeltasEndpoint } from "../../schemas/endpoints/pro-world-deltas.ts"
import { DAILY } from "../../schemas/feeds/earthquakes.ts"
import { eventReader } from "../../schemas/registry.ts"
import type { ViewBody, ViewFreshness } from "../../schemas/view-record.ts"
import { at, premiumScene } from "./scene.ts"

const PATH = proWorldDeltasEndpoint.path
const MINUTE_MS = 60_000

const everyFeed = declared(START_MS, [
  { feed: "earthquakes", parameters: DAILY, provider: "USGS.earthquakes" },
  { feed: "tech-news", provider: "HackerNews.stories" },
  { feed: "predictions", provider: "Polymarket.markets" },
  { feed: "launches", provider: "LaunchLibrary.launches" },
])
const allRead = [
  polls.quakes(START_MS, []),
  polls.frontPage(START_MS, [story(1)]),
  polls.markets(START_MS, []),
  polls.catalogue(START_MS, []),
]

/** The endpoint over a real ledger, with the view that the fold publishes of these events. */
const scene = async (...events: ReadonlyArray<GivenEvent>) => {
  const made = await premiumScene({ endpoints: [proWorldDeltasEndpoint] })
  const bench = foldingBench(worldDeltas, eventReader)
  const fold = (...more: ReadonlyArray<GivenEvent>) => {
    bench.fold(...more)
    made.store.update(PATH, {
      body: (bench.view(PATH) as ViewBody | undefined) ?? null,
      freshness: bench.view(`${PATH}#freshness`) as ViewFreshness,
    })
  }
  fold(everyFeed, ...events)
  const mine = await made.token(10)
  const get = async (query = "") => {
    const before = made.entries().length
    const reply = await made.get(`${PATH}${query}`, mine)
    return { reply, body: reply.json(), written: made.entries().length - before }
  }
  return { ...made, fold, get }
}

describe("GET /api/pro/world-deltas", () => {
  it("costs two credits where something was learnt", async () => {
    const { get } = await scene(...allRead, polls.quakes(START_MS + 1, [quake("q", 6.1, START_MS - MINUTE_MS)]))
    const { body } = await get()
    expect(body).toMatchObject({
      source: "tidewire-pro",
      endpoint: "pro/world-deltas",
      billing: { credits_charged: 2, credits_remaining: 8 },
      events: [{ type: "earthquake", timestamp: at(1), severity: "major", data: { id: "q" } }],
      next_since: at(1),
    })
  })

  it("is free of charge without a new event, decided before any debit, with a receipt that verifies", async () => {
    const { get, receipts } = await scene(...allRead)
    const { reply, body, written } = await get()
    expect(reply.statusCode).toBe(200)
    expect([body.billing, written]).toEqual([
      { credits_charged: 0, credits_remaining: 10, no_charge_reason: "empty_range" },
      0,
    ])
    expect(await receipts.verify(body.receipt.jws, body)).toMatchObject({
      valid: true,
      claims: { credits: 0, reason: "empty_range" },
    })
  })

  it("is charged once for each event by a caller who polls with next_since", async () => {
    const { get, fold } = await scene(...allRead)
    const charged: Array<number> = []
    let since = (await get()).body.next_since
    for (const second of [1, 2, 3]) {
      if (second === 2) fold(polls.frontPage(START_MS + second * 1_000, [story(2), story(1)]))
      const { body } = await get(`?since=${encodeURIComponent(since)}`)
      charged.push(body.billing.credits_charged)
      since = body.next_since
    }
    expect(charged).toEqual([0, 2, 0])
  })

  it.each([
    ["five minutes ahead", 5 * MINUTE_MS],
    ["of now, later than the view", 1_500],
    ["of the view itself, as a caller who polls", 1_001],
  ])("reveals nothing free of charge for a since %s: no launch, no count", async (_, afterMs) => {
    const near = launch("near", START_MS + 60 * MINUTE_MS)
    const { get } = await scene(
      ...allRead,
      polls.catalogue(START_MS, [near]),
      polls.frontPage(START_MS + 1_000, [story(3), story(2), story(1)]),
    )
    const charged = await get()
    expect(charged.body).toMatchObject({
      billing: { credits_charged: 2 },
      counts: { tech_news_story: 2, space_launch: 1 },
      sample_size: { events_in_rolling_hour: 2 },
    })
    const { body, written } = await get(`?since=${encodeURIComponent(at(afterMs))}`)
    expect([body.billing, written]).toMatchObject([{ credits_charged: 0, no_charge_reason: "empty_range" }, 0])
    expect([body.events, body.counts]).toEqual([[], {}])
    expect(body.sample_size).toEqual({ events_in_rolling_hour: null, events_after_since_filter: 0 })
    expect(JSON.stringify(body)).not.toContain("near")
  })

  it("is warming and free of charge while nothing was read, and while it is empty and a feed was never read", async () => {
    const { get, fold } = await scene()
    expect((await get()).body).toMatchObject({
      _meta: { warming: true },
      billing: { no_charge_reason: "warming" },
      events: [],
      since: null,
    })
    fold(polls.quakes(START_MS, []))
    expect((await get()).body).toMatchObject({ _meta: { warming: true }, billing: { no_charge_reason: "warming" } })
  })

  it("is free of charge while every source is stale", async () => {
    const { get, moveTo } = await scene(...allRead, polls.frontPage(START_MS + 1, [story(2)]))
    expect((await get()).body.billing.credits_charged).toBe(2)
    moveTo(START_MS + 30 * MINUTE_MS)
    expect((await get()).body.billing).toMatchObject({ credits_charged: 0, no_charge_reason: "stale_sources" })
  })

  it.each([
    ["without a zone", "2026-01-01T00:00:00"],
    ["that does not exist", "2026-02-29T00:00:00Z"],
    ["more than five minutes ahead", encodeURIComponent(at(5 * MINUTE_MS + 1))],
    ["that is none", "yesterday"],
    ["that is empty", ""],
  ])("refuses a since %s with 400, and takes nothing for it", async (_, since) => {
    const { get } = await scene(...allRead, polls.frontPage(START_MS + 1, [story(2)]))
    const { reply, body, written } = await get(`?since=${since}`)
    expect([reply.statusCode, body, written]).toMatchObject([
      400,
      { error: "invalid_parameter", parameter: "since" },
      0,
    ])
  })

  it("takes a since of up to five minutes ahead, and an offset whose plus was not encoded", async () => {
    const { get } = await scene(...allRead, polls.frontPage(START_MS + 1, [story(2)]))
    const ahead = await get(`?since=${encodeURIComponent(at(5 * MINUTE_MS))}`)
    expect([ahead.reply.statusCode, ahead.body.since]).toEqual([200, at(5 * MINUTE_MS)])
    const local = `${at(60 * MINUTE_MS).slice(0, -1)}+01:00`
    expect((await get(`?since=${local}`)).body).toMatchObject({ since: at(0), counts: { tech_news_story: 1 } })
  })
})
