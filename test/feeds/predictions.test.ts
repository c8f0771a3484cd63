import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import type { CollectFailed, Upstream } from "../../ingestors/document.ts"
import { HttpFailed } from "../../ingestors/http-client.port.ts"
import { undecodable } from "../../ingestors/poll/read.ts"
import polymarket from "../../ingestors/sources/polymarket-gamma.ts"
import predictionMarkets from "../../processors/tables/prediction_markets/table.ts"
import predictionsView from "../../processors/views/predictions.ts"
import { OUTCOMES_MAX, type PredictionRow, predictions } from "../../schemas/feeds/predictions.ts"
import simulated, { openMarkets } from "../world/upstreams/polymarket-gamma.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, decodedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, readBy } from "./support/read.ts"
import { OBSERVED_AT } from "./support/rows.ts"
import { reading, shown } from "./support/shown.ts"
import { collect, observed, upstreamOf } from "./support/world.ts"

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const rows = (payload: unknown) =>
  shown(predictionsView, [reading(payload)], { nowMs: NOW_MS }) as ReadonlyArray<PredictionRow>

feedTest({
  feed: predictions,
  glances: {
    predictions: [51, "%", "Yes: Will it rain on the opening day of the fair?"],
  },
  polls: [
    polled({
      source: polymarket,
      world: simulated,
      freeText: true,
      breakRow: (markets) => [...markets, { question: "Without an id?" }],
      refused: [
        ["an answer without a market", [], /has no items/],
        ["an answer without an open market", [{ id: "1", question: "Q?", closed: true }], /has no items/],
      ],
    }),
  ],
  views: [predictionsView],
  table: predictionMarkets,
  rows: [
    {
      kind: "gone",
      item: {
        id: "7",
        question: "Q?",
        outcomes: [
          { name: "Yes", probability: 0.25 },
          { name: "No", probability: null },
        ],
        volume24hUsd: 5,
        volumeUsd: null,
        endsAt: null,
        url: null,
      },
      makes: {
        id: "7",
        question: "Q?",
        outcomes: ["Yes", "No"],
        probabilities: [0.25, null],
        yes_probability: 0.25,
        volume_24h_usd: 5,
        volume_usd: null,
        ends_at: null,
        url: "",
        listed: false,
        observed_at: OBSERVED_AT,
      },
    },
  ],
})

describe.skipIf(capturesAbsent)("captured markets", () => {
  it("are decoded twice and ordered by the turnover of 24 hours", () => {
    const made = normalised(
      polymarket,
      decodedCapture<ReadonlyArray<unknown>>(polymarket, "listed", "markets-5-2026-06-21.json"),
    )
    expect(made.contentAtMs).toBe(Date.parse("2026-06-21T18:26:26.563Z"))
    const shownRows = rows(made.payload)
    expect(shownRows.map(({ volume_24h_usd }) => volume_24h_usd)).toEqual([2502.29, 2131.53, 965.36, 726.44, 484.82])
    expect(shownRows[1]).toMatchObject({
      question: "Will Jesus Christ return before GTA VI?",
      yes_percent: 49.5,
      no_percent: 50.5,
      outcomes: [
        { name: "Yes", percent: 49.5 },
        { name: "No", percent: 50.5 },
      ],
      url: "https://polymarket.com/event/what-will-happen-before-gta-vi",
    })
    expect(shownRows[0]?.volume_usd).toBe(832995.13)
  })
  it("whose answers are not Yes and No stay, with their answers and without percentages of Yes", () => {
    const upDown = decodedCapture<unknown>(polymarket, "market", "market-single-btc-updown-2026-03-11.json")
    const [row] = rows(normalised(polymarket, [upDown]).payload)
    expect(row).toMatchObject({
      yes_percent: null,
      no_percent: null,
      volume_usd: 10,
      outcomes: [
        { name: "Up", percent: 50.5 },
        { name: "Down", percent: 49.5 },
      ],
    })
  })
  it.each(["market-single-closed-resolved-2026-05-11.json", "market-single-closed-nonbinary-legacy.json"])(
    "that are closed are left out: %s",
    (file) => {
      const closed = decodedCapture<unknown>(polymarket, "market", file)
      const open = { id: "1", question: "Is it open?" }
      expect(normalised(polymarket, [closed, open]).payload.items.map(({ id }) => id)).toEqual(["1"])
    },
  )
})

describe("prediction markets", () => {
  it("keep each of their outcomes; one of more than there can be is left out, and counted", () => {
    const market = (count: number) => ({
      id: String(count),
      question: "Who?",
      outcomes: Array.from({ length: count }, (_, n) => `Candidate ${n}`),
    })
    const { outcome, unreadable } = readBy(polymarket, [market(2), market(OUTCOMES_MAX), market(OUTCOMES_MAX + 1)])
    expect(outcome).toMatchObject({ payload: { items: [{ id: "2" }, { id: String(OUTCOMES_MAX) }] } })
    expect(unreadable).toHaveLength(1)
    const { payload } = normalised(polymarket, [market(21)])
    expect(payload.items[0]?.outcomes).toHaveLength(21)
  })
  it("that have just been made have no odds and no turnover: null, never zero, and last", () => {
    const { payload } = normalised(polymarket, [
      { id: "new", question: "New?", outcomes: ["Yes", "No"] },
      { id: "old", question: "Old?", outcomes: ["No", "Yes"], outcomePrices: [0.3, 0.71], volume24hr: 0 },
    ])
    expect(
      rows(payload).map(({ question, yes_percent, no_percent, volume_24h_usd }) => [
        question,
        yes_percent,
        no_percent,
        volume_24h_usd,
      ]),
    ).toEqual([
      ["Old?", 71, 30, 0],
      ["New?", null, null, null],
    ])
  })
  it("never link to anything but an event's page", () => {
    const slug = "../../evil?x=javascript:alert(1)"
    const { payload } = normalised(polymarket, [{ id: "1", question: "Q?", events: [{ slug }] }])
    expect(rows(payload)[0]?.url).toBeNull()
  })
  it("of the world are those shown", async () => {
    const { payload } = await observed(polymarket, simulated, NOW_MS)
    const world = openMarkets(worldAt("test", NOW_MS))
    expect(payload.items).toHaveLength(50)
    const shownRows = rows(payload)
    expect(shownRows.map(({ question }) => question)).toEqual(world.slice(0, 50).map(({ question }) => question))
    const [top] = world
    expect(shownRows[0]?.outcomes.map(({ name }) => name)).toEqual(top?.outcomes)
    expect(shownRows[0]?.outcomes[0]?.percent).toBe(Math.round((top?.probability ?? 0) * 1e4) / 100)
    expect(shownRows.some(({ yes_percent }) => yes_percent === null)).toBe(true)
  })
  it("come from the older list where the one by keyset is gone or has another form, and from neither under a limit", async () => {
    const world = upstreamOf(simulated, worldAt("test", NOW_MS))
    const behind = (failure: CollectFailed): Upstream => ({
      ...world,
      fetch: (document, input) =>
        document.url(input).includes("/keyset") ? Effect.fail(failure as HttpFailed) : world.fetch(document, input),
    })
    const refused = (status: number) =>
      new HttpFailed({ reason: "status", host: "h", status, retryAfterMs: null, message: "refused" })
    const whole = await collect(polymarket, world)
    expect(await collect(polymarket, behind(refused(404)))).toEqual(whole)
    expect(await collect(polymarket, behind(undecodable("markets", "another form")))).toEqual(whole)
    expect(Exit.isFailure(await collect(polymarket, behind(refused(429))))).toBe(true)
  })
  it("change when their odds do", () => {
    const items = (price: number) =>
      predictions.items(
        normalised(polymarket, [
          { id: "1", question: "Q?", outcomes: ["Yes", "No"], outcomePrices: [price, 1 - price] },
        ]).payload,
      )
    const [before, same, moved] = [0.4, 0.4, 0.41].map((price) => items(price)[0])
    if (before === undefined || same === undefined || moved === undefined) throw new Error("a market is missing")
    expect(predictions.isRevised(before, same)).toBe(false)
    expect(predictions.isRevised(before, moved)).toBe(true)
  })
})
