import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import { recordedUpstream } from "../../ingestors/captures.ts"
import type { Document, Upstream } from "../../ingestors/document.ts"
import kalshi from "../../ingestors/sources/kalshi.ts"
import eventMarkets from "../../processors/tables/event_markets/table.ts"
import eventMarketView from "../../processors/views/event-market.ts"
import { type EventMarket, eventMarket } from "../../schemas/feeds/event-market.ts"
import simulated, { openEvents } from "../world/upstreams/kalshi.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, decodedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, readBy } from "./support/read.ts"
import { OBSERVED_AT, PROVIDER } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { collect, observed, upstreamOf } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const DAY_MS = 86_400_000

let markets = 0
const market = (members: object = {}) => ({
  ticker: `E-${markets++}`,
  event_ticker: "E",
  title: "Will it?",
  yes_sub_title: "Yes it will",
  status: "active",
  last_price_dollars: "0.4000",
  volume_24h_fp: "10.00",
  open_interest_fp: "5.00",
  close_time: "2026-12-01T00:00:00Z",
  ...members,
})
const event = (markets: ReadonlyArray<object>, members: object = {}) => ({
  event_ticker: "E",
  title: "An event",
  category: "Economics",
  markets,
  ...members,
})
const itemsOf = (...rows: ReadonlyArray<object>): ReadonlyArray<EventMarket> =>
  normalised(kalshi, rows, { observedAtMs: NOW_MS }).payload.items
/** The item of one event with these markets. */
const itemOf = (...markets: ReadonlyArray<object>) => itemsOf(event(markets))[0]
const shownOf = (items: ReadonlyArray<EventMarket>) =>
  shown(eventMarketView, [reading({ items, facts: {} })], { nowMs: NOW_MS }) as {
    readonly count: number
    readonly markets: ReadonlyArray<Record<string, unknown>>
  }

const item = {
  eventTicker: "E",
  title: "An event",
  category: null,
  leader: "Held",
  leaderProbability: 0.81,
  volume24hContracts: 10.5,
  openInterestContracts: null,
  marketCount: 2,
  closesAt: null,
  updatedAt: null,
} as const
const row = {
  event_ticker: "E",
  title: "An event",
  category: "",
  leader: "Held",
  leader_probability: 0.81,
  volume_24h_contracts: 10.5,
  open_interest_contracts: null,
  market_count: 2,
  closes_at: null,
  updated_at: null,
  listed: true,
  provider: PROVIDER,
  observed_at: OBSERVED_AT,
}

feedTest({
  feed: eventMarket,
  glances: {
    event_market: [81, "%", "Rates are held: Central bank decision in December?"],
  },
  polls: [
    polled({
      source: kalshi,
      world: simulated,
      freeText: true,
      breakRow: (rows) => [...rows, event([market({ volume_24h_fp: "many" })])],
      refused: [
        ["an answer without an event", [], /has no items/],
        ["sports alone", [event([market()], { category: "Sports" })], /has no items/],
        ["events whose markets are all decided", [event([market({ status: "finalized" })])], /has no items/],
      ],
    }),
  ],
  views: [eventMarketView],
  table: eventMarkets,
  rows: [
    { kind: "changed", item, makes: row },
    {
      kind: "gone",
      item: { ...item, leader: null, leaderProbability: null },
      makes: { ...row, leader: "", leader_probability: null, listed: false },
    },
  ],
})

describe.skipIf(capturesAbsent)("captured events", () => {
  /** What is collected where the provider has this recorded answer alone. */
  const collected = async (name: "events" | "markets", file: string) => {
    const document = kalshi.documents[name] as Document
    const recorded = recordedUpstream(new Map([[document, [decodedCapture(kalshi, name, file)]]]))
    const rows = await Effect.runPromise(
      kalshi.collect(recorded.upstream, { parameters: {}, key: null, observedAtMs: NOW_MS }),
    )
    return { rows, urls: recorded.urls }
  }

  it("are ordered by the volume of all of their markets, each with the answer of the highest price", async () => {
    const { rows, urls } = await collected("events", "events-open-nested-2-events-9-markets-2026-07.json")
    // The recorded cursor is sent; the second answer has the same one, and is the last.
    expect(urls.map((url) => new URL(url).searchParams.get("cursor"))).toEqual([
      null,
      "CgYI8OG8lQ8SE0tYTkVYVE5BVE9TRUNHRU4tOTk",
    ])
    const { payload, contentAtMs } = normalised(kalshi, rows)
    expect(contentAtMs).toBe(Date.parse("2026-06-29T19:47:00.786Z"))
    expect(shownOf(payload.items)).toEqual({
      count: 2,
      markets: [
        {
          event_ticker: "KXELONMARS-99",
          title: "Will Elon Musk visit Mars in his lifetime?",
          category: "World",
          leader: "Mars",
          leader_pct: 12,
          volume_24h: 45.25,
          open_interest: 40009.97,
          market_count: 1,
          closes_at: "2099-08-01T04:59:00.000Z",
        },
        {
          event_ticker: "KXNEXTNATOSECGEN-99",
          title: "Who will be the next Secretary General of NATO?",
          category: "Elections",
          leader: "Alexander Stubb",
          leader_pct: 18,
          volume_24h: 38,
          // 48 + 282.01 + 130 + 90 + 36 + 86.25 + 53 + 55
          open_interest: 780.26,
          market_count: 8,
          closes_at: "2099-01-08T15:00:00.000Z",
        },
      ],
    })
  })
  it("of markets alone are put together by their event, without a category", async () => {
    const { rows, urls } = await collected("markets", "markets-event-2-markets-2026-09-29.json")
    expect(urls.map((url) => new URL(url).pathname)).toEqual(["/trade-api/v2/events", "/trade-api/v2/markets"])
    expect(normalised(kalshi, rows).payload.items).toEqual([
      {
        eventTicker: "KXNFLGAME-26OCT08TBDAL",
        title: "Dallas wins",
        category: null,
        leader: "Dallas",
        leaderProbability: 0.81,
        // 202329.86 + 293060.43, and 242310.93 + 377188.38
        volume24hContracts: 495390.29,
        openInterestContracts: 619499.31,
        marketCount: 2,
        closesAt: "2026-10-11T00:15:00.000Z",
        updatedAt: "2026-09-29T04:05:00.889Z",
      },
    ])
  })
  it("of the older form, in cents: a market without a trade has no price, and its volume is zero", async () => {
    const { rows } = await collected("markets", "markets-cents-and-dollars-1-market-names-replaced-2025-12-27.json")
    expect(normalised(kalshi, rows).payload.items).toEqual([
      {
        eventTicker: "KXMVESPORTSMULTIGAMEEXTENDED-S2025B00AF9F365C",
        title: "Test Market",
        category: null,
        leader: null,
        leaderProbability: null,
        volume24hContracts: 0,
        openInterestContracts: 0,
        marketCount: 1,
        closesAt: "2026-01-10T02:30:00.000Z",
        updatedAt: null,
      },
    ])
  })
})

describe("events", () => {
  it.each([
    ["the last trade", { last_price_dollars: "0.0310" }, 0.031],
    ["a trade at one dollar", { last_price_dollars: "1.0000" }, 1],
    ["whole cents where there is no text in dollars", { last_price_dollars: undefined, last_price: 55 }, 0.55],
    ["whole cents where the text is empty", { last_price_dollars: "", last_price: 55 }, 0.55],
    [
      "the middle of bid and ask without a trade",
      { last_price_dollars: "0.0000", yes_bid_dollars: "0.2000", yes_ask_dollars: "0.3000" },
      0.25,
    ],
    ["the middle of bid and ask in cents", { last_price_dollars: null, yes_bid: 20, yes_ask: 22 }, 0.21],
    [
      "nothing where bid and ask lie further apart",
      { last_price_dollars: "0.0000", yes_bid_dollars: "0.2000", yes_ask_dollars: "0.3100" },
      null,
    ],
    [
      "nothing where the ask is below the bid",
      { last_price_dollars: "0.0000", yes_bid_dollars: "0.3000", yes_ask_dollars: "0.2000" },
      null,
    ],
    [
      "nothing where one of them is missing",
      { last_price_dollars: "0.0000", yes_bid_dollars: "0.0000", yes_ask_dollars: "0.0500" },
      null,
    ],
    ["nothing beyond a dollar", { last_price_dollars: "81.0000" }, null],
  ])("have as their probability %s", (_, members, probability) => {
    // A member that is undefined is absent from JSON.
    const [found] = itemsOf(event([JSON.parse(JSON.stringify(market(members)))]))
    expect(found?.leaderProbability).toBe(probability)
    expect(found?.leader).toBe(probability === null ? null : "Yes it will")
  })
  it("leave decided markets out of every number, and count markets that are called open", () => {
    expect(
      itemOf(
        market({ status: "finalized", last_price_dollars: "0.9900", volume_24h_fp: "1000.00", yes_sub_title: "Over" }),
        market({ status: "open", volume_24h_fp: "2.25" }),
        market({ status: "active", volume_24h_fp: "1.50", last_price_dollars: "0.5000", yes_sub_title: "Second" }),
        market({ status: "paused", volume_24h_fp: "7.00" }),
      ),
    ).toMatchObject({
      leader: "Second",
      leaderProbability: 0.5,
      volume24hContracts: 3.75,
      openInterestContracts: 10,
      marketCount: 2,
    })
  })
  it("sum the numbers that are known, with null where none is", () => {
    const unknown = { volume_24h_fp: null, open_interest_fp: null }
    expect(
      itemOf(market(), market({ ...unknown, volume_24h: 3 }), market({ open_interest_fp: "-1.00" })),
    ).toMatchObject({
      volume24hContracts: 23,
      openInterestContracts: 5,
    })
    expect(itemOf(market({ open_interest_fp: null }))).toMatchObject({ openInterestContracts: null })
  })
  it("count a market once that stands on two pages", () => {
    const [one, other] = [market({ ticker: "E-one" }), market({ ticker: "E-other" })]
    expect(itemOf(one, other, one)).toMatchObject({ marketCount: 2, volume24hContracts: 20 })
  })
  it("close with the last of their open markets, and name an answer by the first text that there is", () => {
    expect(
      itemOf(
        market({ close_time: "2026-12-03T00:00:00Z", yes_sub_title: " ", subtitle: "<b>Later</b>" }),
        market({ close_time: "never" }),
        market({ close_time: "2027-12-03T00:00:00Z", status: "closed" }),
      ),
    ).toMatchObject({ closesAt: "2026-12-03T00:00:00.000Z", leader: "<b>Later</b>" })
    expect(itemOf(market({ yes_sub_title: null }))).toMatchObject({ leader: "Will it?" })
    expect(itemsOf(event([market()], { title: " " }))[0]).toMatchObject({ title: "Will it?" })
  })
  it.each([
    ["no ticker", event([market()], { event_ticker: "" })],
    ["a market of another event", event([market({ event_ticker: "F" })])],
    ["no volume at all", event([market({ volume_24h_fp: null })])],
    ["no title anywhere", event([market({ title: "" })], { title: null })],
    ["a change in the future", event([market({ updated_time: "2026-11-20T13:34:00Z" })])],
  ])("with %s are left out, and counted", (_, broken) => {
    const others = ["A", "B"].map((ticker) => event([market({ event_ticker: ticker })], { event_ticker: ticker }))
    const { outcome, unreadable } = readBy(kalshi, [...others, broken], { observedAtMs: NOW_MS })
    expect(outcome).toMatchObject({ payload: { items: [{ eventTicker: "A" }, { eventTicker: "B" }] } })
    expect(unreadable).toHaveLength(1)
  })
  it("have changed with leader, price or volume, and not with the interest held", () => {
    const [before] = itemsOf(event([market()]))
    const isRevised = (members: object) =>
      eventMarket.isRevised(before as EventMarket, itemOf(market(members)) as EventMarket)
    expect(isRevised({ open_interest_fp: "6.00", close_time: "2026-12-02T00:00:00Z" })).toBe(false)
    expect(isRevised({ last_price_dollars: "0.4100" })).toBe(true)
    expect(isRevised({ volume_24h_fp: "11.00" })).toBe(true)
    expect(isRevised({ yes_sub_title: "No it will not" })).toBe(true)
  })
  it("are the ten largest of every page of the world, without sports", async () => {
    const world = worldAt("test", NOW_MS)
    const { payload } = await observed(kalshi, simulated, NOW_MS)
    const ours = openEvents(world)
      .filter(({ category }) => category !== "Sports")
      .map(({ ticker, markets }) => ({
        ticker,
        volume: markets.filter(({ status }) => status === "active").reduce((sum, one) => sum + one.volume24h, 0),
      }))
      .sort((one, other) => other.volume - one.volume)
    expect(openEvents(world).length).toBeGreaterThan(200)
    expect(payload.items.map(({ eventTicker }) => eventTicker)).toEqual(ours.slice(0, 100).map(({ ticker }) => ticker))
    const { count, markets } = shownOf(payload.items)
    expect(count).toBe(10)
    expect(markets[0]?.volume_24h).toBeCloseTo(ours[0]?.volume ?? 0, 2)
  })
  it("come from the markets where the list of events fails, and from neither when both fail", async () => {
    const real = upstreamOf(simulated, worldAt("test", NOW_MS))
    const failing = (...paths: ReadonlyArray<string>): Upstream => {
      const none = upstreamOf(simulated, worldAt("test", NOW_MS), { unreachable: simulated.hosts })
      return {
        ...real,
        fetch: (document, input) =>
          (paths.some((path) => document.url(input).includes(path)) ? none : real).fetch(document, input),
      }
    }
    const exit = await collect(kalshi, failing("/events"))
    if (Exit.isFailure(exit)) throw new Error(String(exit.cause))
    const tickers = new Set(openEvents(worldAt("test", NOW_MS)).map(({ ticker }) => ticker))
    const { items } = normalised(kalshi, exit.value, { observedAtMs: NOW_MS }).payload
    expect(items).toHaveLength(100)
    expect(items.every(({ eventTicker, category }) => tickers.has(eventTicker) && category === null)).toBe(true)
    // A list that breaks off in the middle is no list.
    expect(Exit.findErrorOption(await collect(kalshi, failing("cursor=", "/markets")))).toMatchObject({
      value: { reason: "unreachable" },
    })
  })
  it("are read of all pages, and refused where there are more than are read", async () => {
    const listOf = (pages: number): Upstream => {
      let asked = 0
      return {
        ...upstreamOf(simulated, worldAt("test", NOW_MS)),
        fetch: (() =>
          Effect.sync(() => {
            asked += 1
            const cursor = asked === pages ? "" : `c${asked}`
            const row = event([market()], { event_ticker: `E${asked}` })
            return { events: [row], markets: [row], cursor }
          })) as Upstream["fetch"],
      }
    }
    const long = await collect(kalshi, listOf(60))
    expect(Exit.isSuccess(long) && long.value).toHaveLength(60)
    expect(Exit.findErrorOption(await collect(kalshi, listOf(Number.POSITIVE_INFINITY)))).toMatchObject({
      value: { message: "the list has more than 120 pages" },
    })
  })
  it("keep the members that are read", async () => {
    const whole = await collect(kalshi, upstreamOf(simulated, worldAt("test", NOW_MS)))
    if (Exit.isFailure(whole)) throw new Error(String(whole.cause))
    const text = JSON.stringify(whole.value)
    expect(text).toContain("volume_24h_fp")
    expect(["rules_primary", "settlement_sources", " wins"].filter((words) => text.includes(words))).toEqual([])
  })
  it("of each day of the world hold sports, decided and untraded markets, and prices below a cent", () => {
    for (let day = 0; day < 7; day++) {
      const all = openEvents(worldAt("test", NOW_MS + day * DAY_MS))
      const markets = all.flatMap((one) => one.markets)
      expect(all.some(({ category }) => category === "Sports")).toBe(true)
      expect(markets.some(({ status }) => status === "finalized")).toBe(true)
      expect(markets.some(({ last }) => last === 0)).toBe(true)
      expect(markets.some(({ last }) => Math.abs(last * 100 - Math.round(last * 100)) > 1e-6)).toBe(true)
    }
  })
})
