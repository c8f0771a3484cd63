import { describe, expect, it } from "vitest"
import nasdaq from "../../ingestors/sources/nasdaq-halts.ts"
import tradeHaltsView from "../../processors/views/trade-halts.ts"
import { TRADE_HALTS_MAX, type TradeHalt, tradeHalts } from "../../schemas/feeds/trade-halts.ts"
import simulated, { listedHalts } from "../world/upstreams/nasdaq-halts.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { expectFollowsClock } from "./support/follows-clock.ts"
import { normalised, refusedBy } from "./support/read.ts"
import { OBSERVED_AT } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { observed } from "./support/world.ts"

type Collected = Parameters<typeof nasdaq.read>[0]

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const wire = (members: object = {}) => ({
  "ndaq:IssueSymbol": "TIDE",
  "ndaq:IssueName": "Tidewater Robotics, Inc.",
  "ndaq:Market": "NASDAQ",
  "ndaq:ReasonCode": "T1",
  "ndaq:HaltDate": "11/19/2026",
  "ndaq:HaltTime": "19:50:00.123",
  "ndaq:PauseThresholdPrice": "",
  "ndaq:ResumptionDate": "",
  "ndaq:ResumptionQuoteTime": "",
  "ndaq:ResumptionTradeTime": "",
  ...members,
})
const LIST = "NASDAQ Trade Halts"
const listed = (item: ReadonlyArray<object>, numItems: string | null = String(item.length)): Collected => ({
  rss: { channel: { description: LIST, item, ...(numItems === null ? {} : { "ndaq:numItems": numItems }) } },
})
const itemsOf = (...item: ReadonlyArray<object>): ReadonlyArray<TradeHalt> =>
  normalised(nasdaq, listed(item), { observedAtMs: NOW_MS }).payload.items
const itemOf = (members: object = {}): TradeHalt | undefined => itemsOf(wire(members))[0]

interface Shown {
  readonly count: number
  readonly total: number
  readonly halts: ReadonlyArray<Record<string, unknown>>
}
const show = (items: ReadonlyArray<TradeHalt>, nowMs: number): Shown =>
  shown(tradeHaltsView, [reading({ items, facts: {} })], { nowMs }) as Shown
const symbolsAt = (items: ReadonlyArray<TradeHalt>, at: string) =>
  show(items, Date.parse(at)).halts.map(({ symbol }) => symbol)

const item: TradeHalt = {
  symbol: "BKSY.W",
  name: "Warrants",
  market: "NYSE",
  reasonCode: "LUDP",
  haltedAt: "2026-08-07T20:05:26.515Z",
  pauseThresholdPrice: 4.25,
  resumptionQuoteAt: null,
  resumptionAt: "2026-08-07T20:10:26.000Z",
}
const row = {
  halted_at: "2026-08-07T20:05:26.515Z",
  symbol: "BKSY.W",
  name: "Warrants",
  market: "NYSE",
  reason_code: "LUDP",
  pause_threshold_price: 4.25,
  resumption_quote_at: null,
  resumption_at: "2026-08-07T20:10:26.000Z",
  listed: true,
  observed_at: OBSERVED_AT,
}

feedTest({
  feed: tradeHalts,
  glances: {
    trade_halts: [1, null, "in force on US exchanges, the latest TIDE, News pending"],
  },
  polls: [
    polled({
      source: nasdaq,
      world: simulated,
      freeText: true,
      breakRow: ({ rss: { channel } }) => ({
        rss: {
          channel: {
            ...channel,
            "ndaq:numItems": String((channel.item ?? []).length + 1),
            item: [...(channel.item ?? []), wire({ "ndaq:HaltDate": "02/30/2026" })],
          },
        },
      }),
      refused: [
        ["a list without items that says it has some", listed([], "17"), /does not say that there are none/],
        ["a list without items that says nothing", listed([], null), /does not say that there are none/],
        ["a list that lacks one of its items", listed([wire()], "2"), /has 1 items, and says another number/],
        ["a list whose number of items is none", listed([wire()], "many"), /has 1 items, and says another number/],
        ["a list of something else", listed([{ title: "Alert" }]), /cannot be read/],
        [
          "another feed, which is empty",
          { rss: { channel: { description: "Nasdaq Equity Trader Alerts", "ndaq:numItems": "0" } } },
          /not the list of halts/,
        ],
      ],
    }),
  ],
  views: [tradeHaltsView],
  rows: [
    { kind: "appeared", item, makes: row },
    { kind: "gone", item, makes: { ...row, listed: false } },
  ],
})

describe.skipIf(capturesAbsent)("captured halts", () => {
  it("of 25 September 2026, before the open: all seventeen are in force, that of 2019 as well", () => {
    const collected = collectedCapture(nasdaq, "halts", "tradehalts-17-items-2026-09-25.xml")
    const { payload, contentAtMs } = normalised(nasdaq, collected)
    expect(contentAtMs).toBe(Date.parse("2026-09-25T10:32:05Z"))
    const { count, total, halts } = show(payload.items, Date.parse("2026-09-25T10:32:05Z"))
    expect([count, total]).toEqual([17, 17])
    expect(halts.map(({ symbol, halted_at, reason_code }) => [symbol, halted_at, reason_code])).toEqual([
      ["KITT", "2026-09-24T23:50:00.000Z", "T1"],
      ["KITTW", "2026-09-24T23:50:00.000Z", "T1"],
      ["RPGL", "2026-09-24T23:50:00.000Z", "T1"],
      ["JSPRW", "2026-09-24T20:00:30.000Z", "T12"],
      ["KLXER", "2026-09-24T07:58:11.430Z", "T1"],
      ["BKKT.W", "2026-09-22T20:15:52.638Z", "H11"],
      ["HCHL", "2026-06-11T23:50:00.000Z", "T12"],
      // Eastern time is an hour further behind in winter.
      ["MAGH", "2025-12-05T00:50:00.000Z", "T12"],
      ["MAMK", "2025-11-15T00:50:00.000Z", "T12"],
      ["MCTA", "2025-11-12T00:50:00.000Z", "T12"],
      ["LAWR", "2025-10-22T23:50:00.000Z", "T12"],
      ["PC", "2025-10-16T23:50:00.000Z", "T12"],
      ["EFTY", "2025-10-03T23:50:00.000Z", "T12"],
      ["UCFI", "2025-10-01T15:28:10.000Z", "T12"],
      ["UCFIW", "2025-10-01T15:28:10.000Z", "T12"],
      ["OST", "2025-09-12T16:24:23.000Z", "T12"],
      ["SVA", "2019-02-22T21:02:01.000Z", "T12"],
    ])
    expect(halts[0]).toEqual({
      symbol: "KITT",
      name: "Nauticus Robotics, Inc.",
      market: "NASDAQ",
      reason_code: "T1",
      reason: "News pending",
      halted_at: "2026-09-24T23:50:00.000Z",
      pause_threshold_price: null,
      resumption_quote_at: null,
      resumption_at: null,
    })
  })
  const august = () =>
    normalised(nasdaq, collectedCapture(nasdaq, "halts", "tradehalts-3-items-one-resumed-2026-08-07-trimmed.xml"))

  it("of 7 August 2026, after the close: the pause of MB is over, the other two are not", () => {
    const { payload, contentAtMs } = august()
    expect(contentAtMs).toBe(Date.parse("2026-08-08T00:38:33Z"))
    expect(payload.items).toHaveLength(3)
    expect(payload.items.find(({ symbol }) => symbol === "MB")).toEqual({
      symbol: "MB",
      name: "MasterBeef Grp Ord",
      market: "NASDAQ",
      reasonCode: "LUDP",
      haltedAt: "2026-08-07T19:42:38.183Z",
      pauseThresholdPrice: null,
      resumptionQuoteAt: "2026-08-07T19:42:38.000Z",
      resumptionAt: "2026-08-07T20:00:00.000Z",
    })
    expect(show(payload.items, contentAtMs ?? 0)).toMatchObject({
      count: 2,
      halts: [
        { symbol: "AEHL", halted_at: "2026-08-07T23:50:00.000Z", reason: "News pending" },
        { symbol: "BKSY.W", market: "NYSE", halted_at: "2026-08-07T20:05:26.515Z", reason: "Regulatory concern" },
      ],
    })
  })
  it("of 7 August 2026, in the afternoon: the pause of MB lasts until its very time", () => {
    const { items } = august().payload
    expect(symbolsAt(items, "2026-08-07T19:59:59.999Z")).toContain("MB")
    expect(symbolsAt(items, "2026-08-07T20:00:00.000Z")).not.toContain("MB")
  })
})

describe("trading halts", () => {
  it("have the times of their dates in Eastern time, and those of a doubled hour the earlier one", () => {
    const at = (date: string, time: string) => itemOf({ "ndaq:HaltDate": date, "ndaq:HaltTime": time })?.haltedAt
    expect(at("11/19/2026", "19:50:00.123")).toBe("2026-11-20T00:50:00.123Z")
    expect(at("7/9/2026", "9:30:00.1234567")).toBe("2026-07-09T13:30:00.123Z")
    // A blank before the fraction of a second exists in the field.
    expect(at("07/09/2026", "07:32:12 .540")).toBe("2026-07-09T11:32:12.540Z")
    expect(at("07/09/2026", " 09:30 ")).toBe("2026-07-09T13:30:00.000Z")
    expect(at("11/01/2026", "01:30:00")).toBe("2026-11-01T05:30:00.000Z")
  })
  it("that may be quoted again do not trade yet", () => {
    const quoted = itemsOf(wire({ "ndaq:ResumptionDate": "11/20/2026", "ndaq:ResumptionQuoteTime": "07:00:00" }))
    expect(quoted).toMatchObject([{ resumptionQuoteAt: "2026-11-20T12:00:00.000Z", resumptionAt: null }])
    expect(show(quoted, NOW_MS)).toMatchObject({ count: 1 })
  })
  it.each([
    ["12.3400", 12.34],
    ["0", null],
    ["-1", null],
    ["n/a", null],
    ["", null],
  ])("have %j as a threshold price of %s", (text, price) => {
    expect(itemOf({ "ndaq:PauseThresholdPrice": text })?.pauseThresholdPrice).toBe(price)
  })
  it.each([
    ["a day that does not exist", { "ndaq:HaltDate": "02/30/2026" }],
    ["no time", { "ndaq:HaltTime": "" }],
    ["an hour that spring skipped", { "ndaq:HaltDate": "03/08/2026", "ndaq:HaltTime": "02:30:00" }],
    ["a time in the future", { "ndaq:HaltDate": "11/21/2026" }],
    ["a resumption at no time", { "ndaq:ResumptionDate": "11/20/2026", "ndaq:ResumptionTradeTime": "soon" }],
    ["a resumption on no day", { "ndaq:ResumptionTradeTime": "10:00:00" }],
    ["no symbol", { "ndaq:IssueSymbol": " " }],
  ])("are refused, all of them, for one with %s: left out, it would seem to be over", (_, members) => {
    const good = [wire({ "ndaq:IssueSymbol": "ONE" }), wire({ "ndaq:IssueSymbol": "TWO" })]
    const refused = refusedBy(nasdaq, listed([...good, wire(members)]), { observedAtMs: NOW_MS })
    expect(refused?.message).toMatch(/1 of 3 rows cannot be read/)
    expect(refusedBy(nasdaq, listed(good), { observedAtMs: NOW_MS })).toBeUndefined()
  })
  it("are none where the list says so", () => {
    expect(normalised(nasdaq, listed([])).payload.items).toEqual([])
    expect(show([], NOW_MS)).toEqual({ count: 0, total: 0, halts: [] })
  })
  it("are read where the list does not say how many there are", () => {
    expect(refusedBy(nasdaq, listed([wire()], null), { observedAtMs: NOW_MS })).toBeUndefined()
  })
  it("of one symbol are many a day, and the first of two equal ones stands", () => {
    const items = itemsOf(wire(), wire({ "ndaq:HaltTime": "19:51:00" }), wire({ "ndaq:ReasonCode": "T12" }))
    expect(items.map(({ haltedAt, reasonCode }) => [haltedAt, reasonCode])).toEqual([
      ["2026-11-20T00:51:00.000Z", "T1"],
      ["2026-11-20T00:50:00.123Z", "T1"],
    ])
  })
  it("beyond the most that a payload holds are refused, all of them, and not cut; beyond a hundred they are counted", () => {
    const old = wire({ "ndaq:IssueSymbol": "OLD", "ndaq:HaltDate": "02/22/2019" })
    const over = (index: number) =>
      wire({
        "ndaq:IssueSymbol": `S${index}`,
        "ndaq:ResumptionDate": "11/20/2026",
        "ndaq:ResumptionTradeTime": "09:00:00",
      })
    const many = Array.from({ length: TRADE_HALTS_MAX }, (_, index) => over(index))
    expect(refusedBy(nasdaq, listed([...many, old]), { observedAtMs: NOW_MS })?.message).toBe(
      `the list has ${TRADE_HALTS_MAX + 1} items, more than ${TRADE_HALTS_MAX}`,
    )
    const items = itemsOf(...many.slice(1), old)
    expect(items).toHaveLength(TRADE_HALTS_MAX)
    expect(items[0]?.symbol).toBe("OLD")
    const { count, total, halts } = show(items, NOW_MS)
    expect([count, total, halts.length]).toEqual([100, TRADE_HALTS_MAX, 100])
    expect(symbolsAt(items, "2026-11-20T14:00:00.000Z")).toEqual(["OLD"])
  })
  it("have changed with their reason and resumption, and not with the name of the security", () => {
    const [one, named, resumed, released] = [
      {},
      { "ndaq:IssueName": "Tidewater" },
      { "ndaq:ResumptionDate": "11/20/2026", "ndaq:ResumptionTradeTime": "09:00:00" },
      { "ndaq:ReasonCode": "T2" },
    ].map((members) => itemOf(members))
    if (!one || !named || !resumed || !released) throw new Error("a halt is missing")
    expect([named, resumed, released].map((other) => tradeHalts.isRevised(one, other))).toEqual([false, true, true])
  })
  it("of a day of the world resume, last and are none, and the view changes at its own instants alone", async () => {
    const seen = { paused: 0, announced: 0, resumed: 0, none: 0 }
    let builds = 0
    for (let atMs = NOW_MS; atMs < NOW_MS + 24 * HOUR_MS; atMs += 10 * MINUTE_MS) {
      const { payload } = await observed(nasdaq, simulated, atMs)
      const world = listedHalts(worldAt("test", atMs))
      // The exchange writes resumptions without their milliseconds.
      const inForce = world.filter(
        ({ resumptionMs }) => resumptionMs === null || Math.floor(resumptionMs / 1000) * 1000 > atMs,
      )
      expect(
        show(payload.items, atMs)
          .halts.map(({ symbol, halted_at }) => `${symbol} ${halted_at}`)
          .sort(),
      ).toEqual(inForce.map(({ symbol, haltedMs }) => `${symbol} ${new Date(haltedMs).toISOString()}`).sort())
      if (world.length === 0) seen.none += 1
      for (const { code, resumptionMs } of world) {
        if (code === "LUDP" && resumptionMs !== null && resumptionMs > atMs) seen.paused += 1
        if (code === "T3" && resumptionMs !== null && resumptionMs > atMs) seen.announced += 1
        if (resumptionMs !== null && resumptionMs <= atMs) seen.resumed += 1
      }
      builds += expectFollowsClock(tradeHaltsView, reading(payload), {
        fromMs: atMs,
        untilMs: atMs + HOUR_MS,
        everyMs: MINUTE_MS,
      })
    }
    expect(
      Object.values({ ...seen, builds }).every((count) => count > 0),
      JSON.stringify({ ...seen, builds }),
    ).toBe(true)
  })
})
