import { describe, expect, it } from "vitest"
import { buildData, viewInstance } from "../../processors/view/build-view.ts"
import proSentiment from "../../processors/views/pro-sentiment.ts"
import { proSentimentEndpoint } from "../../schemas/endpoints/pro-sentiment.ts"
import { SIGNAL_MARKETS_MAX } from "../../schemas/payloads/pro-sentiment.ts"
import { selectProSentiment } from "../../schemas/payloads/pro-sentiment-selection.ts"
import {
  bench,
  expectExplained,
  fullOf,
  HOUR_MS,
  headline,
  index,
  market,
  markets,
  NOW_MS,
  news,
  press,
  replyOf,
  replyTo,
  stories,
  story,
} from "./support/sentiment-feeds.ts"

describe("the sentiment of headlines", () => {
  it("is missing before the first feed has answered", () => {
    const none = () => undefined
    const empty = { feed: none, payload: none, declared: none, remembered: none }
    expect(buildData(viewInstance(proSentiment, {}), empty, NOW_MS)).toEqual({ _tag: "Missing" })
  })

  it("counts, scores and shows what three sources of headlines say, with the index and the markets", () => {
    const reply = replyOf(
      stories(NOW_MS, story(1, "Nvidia unveils a chip", NOW_MS - HOUR_MS), story(2, "A radio from 1974", NOW_MS, null)),
      news(
        NOW_MS,
        headline("Bitcoin surges to all-time high as bulls return", NOW_MS - 2 * HOUR_MS),
        headline("Bitcoin slumps as ETF outflows mount", NOW_MS - 3 * HOUR_MS),
        headline("Coinbase, Bitcoin rally", NOW_MS - 4 * HOUR_MS),
        headline("BTC in numbers", NOW_MS - 5 * HOUR_MS),
      ),
      press(NOW_MS, headline("SEC Charges Bitcoin Fund with Fraud", NOW_MS - HOUR_MS, "https://www.sec.gov/1")),
      index(NOW_MS, 30),
      markets(
        NOW_MS,
        market("m", 5_000, [
          ["Yes", 0.25],
          ["No", 0.75],
        ]),
      ),
    )
    expect(reply).toMatchObject({
      window: "24h",
      lexicon: "lexicon-1",
      market_indices: {
        crypto_fear_greed: { value: 30, label: "Fear", source: "Crypto Fear & Greed Index of alternative.me" },
        stocks_vix: null,
      },
      prediction_markets_signals: [
        { question: "Question m?", yes_probability: 0.25, volume_24h: 5_000, url: "https://polymarket.com/event/m" },
      ],
      // Scored are neither the two stories nor the third about bitcoin, which has no word of the lexicon.
      sample_size: { headlines_scanned: 7, headlines_scored: 4, tickers_with_mentions: 3 },
    })
    expect(reply.trending.map(({ symbol, mention_count_24h: count }) => [symbol, count])).toEqual([
      ["BTC", 5],
      ["COIN", 1],
      ["NVDA", 1],
    ])
    expect(reply.trending[0]).toMatchObject({
      asset_class: "crypto",
      sources: { coindesk: 4, sec: 1 },
      sentiment_score: 0,
      sentiment_label: "neutral",
      scored: 4,
      low_sample: false,
    })
    expect(
      reply.trending[0]?.sample_headlines.map(({ source, sentiment_signal: signal, scored }) => [
        source,
        signal,
        scored,
      ]),
    ).toEqual([
      ["sec", "-", true],
      ["coindesk", "+", true],
      ["coindesk", "-", true],
      ["coindesk", "+", true],
      ["coindesk", "neutral", false],
    ])
    expect(reply.trending[1]).toMatchObject({
      asset_class: "crypto-equity",
      sentiment_score: 1,
      sentiment_label: "positive",
      low_sample: true,
    })
    expect(reply.trending[2]).toMatchObject({
      asset_class: "equity",
      sources: { "hacker-news": 1 },
      scored: 0,
      sentiment_score: 0,
      sample_headlines: [{ title: "Nvidia unveils a chip", url: "https://blog.example/1", scored: false }],
    })
    expectExplained(reply)
  })

  it("says which assets no headline names, by class", () => {
    const { notes } = replyOf(news(NOW_MS, headline("Bitcoin and Coinbase", NOW_MS)))
    expect(notes.trending).toMatch(
      /Without a headline \(equity\): AAPL, MSFT, NVDA, AMZN, GOOGL, META, TSLA, AMD, INTC, NFLX, JPM\./,
    )
    expect(notes.trending).toMatch(/\(crypto-equity\): MSTR, MARA, RIOT, HOOD\./)
    expect(notes.trending).not.toMatch(/BTC|COIN/)
  })

  it("links a story without an address to its discussion", () => {
    const [row] = replyOf(stories(NOW_MS, story(7, "Ask HN: Is Tesla safe?", NOW_MS, null))).trending
    expect(row?.sample_headlines[0]?.url).toBe("https://news.ycombinator.com/item?id=7")
  })
})

describe("the markets and the index", () => {
  it("are the five with the largest known turnover; a probability only where the answers are Yes and No", () => {
    const reply = replyOf(
      markets(
        NOW_MS,
        market("a", 9, [
          ["Red", 0.5],
          ["Blue", 0.5],
        ]),
        market("none", 8, [
          ["Yes", null],
          ["No", null],
        ]),
        market("b", null, [
          ["Yes", 0.5],
          ["No", 0.5],
        ]),
        ...["c", "d", "e", "f"].map((id, at) =>
          market(id, 7 - at, [
            ["No", 0.9],
            ["Yes", 0.1],
          ]),
        ),
      ),
    )
    expect(reply.prediction_markets_signals).toHaveLength(SIGNAL_MARKETS_MAX)
    expect(reply.prediction_markets_signals.map(({ yes_probability: yes }) => yes)).toEqual([null, null, 0.1, 0.1, 0.1])
    expect(reply.prediction_markets_signals[1]?.url).toBeNull()
    expectExplained(reply)
  })
  it("are null, with a note, while they were never read", () => {
    const reply = replyOf(news(NOW_MS, headline("Bitcoin", NOW_MS)))
    expect(reply.market_indices.crypto_fear_greed).toBeNull()
    expect(reply.prediction_markets_signals).toEqual([])
    expect(reply.notes).toMatchObject({
      crypto_fear_greed: "Not read yet.",
      prediction_markets_signals: "Not read yet.",
    })
    expectExplained(reply)
  })
  it("alone make a reply: it is empty only where nothing at all is known", () => {
    expect(proSentimentEndpoint.empty(replyOf(index(NOW_MS, 1)))).toBe(false)
    expect(proSentimentEndpoint.empty(replyOf(news(NOW_MS, headline("x", NOW_MS))))).toBe(false)
    expect(proSentimentEndpoint.empty(replyTo(proSentimentEndpoint.cold ?? expect.fail()).reply)).toBe(true)
    expectExplained(replyTo(proSentimentEndpoint.cold ?? expect.fail()).reply)
  })
})

const whole = fullOf(
  bench(
    stories(NOW_MS, story(1, "Apple wins", NOW_MS), story(2, "Bitcoin soars", NOW_MS - 1)),
    news(NOW_MS, headline("Bitcoin soars!", NOW_MS - HOUR_MS), headline("Ether falls", NOW_MS)),
    press(NOW_MS, headline("SEC sues Ripple", NOW_MS, "https://www.sec.gov/1")),
    index(NOW_MS, 30),
    markets(
      NOW_MS,
      market("m", 5_000, [
        ["Yes", 0.25],
        ["No", 0.75],
      ]),
    ),
  ),
)
const inputNames = Object.keys(proSentiment.reads)

describe("what may not be resold", () => {
  it("is left out before anything is counted: a title that two sources have stays with the other", () => {
    expect(replyTo(whole).reply.trending.find(({ symbol }) => symbol === "BTC")?.sources).toEqual({ coindesk: 1 })
    const { reply, inputs } = replyTo(whole, ["news"])
    expect(reply.trending.find(({ symbol }) => symbol === "BTC")?.sources).toEqual({ "hacker-news": 1 })
    expect(reply.trending.map(({ symbol }) => symbol)).not.toContain("ETH")
    expect(JSON.stringify(reply)).not.toContain("coindesk")
    expect(reply.notes.trending).toMatch(/Withheld, as their terms are not known to allow resale: news outlets\./)
    expect([...inputs].sort()).toEqual(inputNames.filter((name) => name !== "news").sort())
  })
  it("is null or absent, each null with a note, whichever inputs are withheld", () => {
    for (const withheld of Array.from({ length: 2 ** inputNames.length }, (_, mask) =>
      inputNames.filter((_name, at) => (mask >> at) % 2 === 1),
    )) {
      const { reply, inputs } = replyTo(whole, withheld)
      expect([...inputs].sort()).toEqual(inputNames.filter((name) => !withheld.includes(name)).sort())
      expect(reply.market_indices.crypto_fear_greed === null).toBe(withheld.includes("index"))
      expect(reply.prediction_markets_signals.length === 0).toBe(withheld.includes("markets"))
      expectExplained(reply)
    }
    expect(replyTo(whole, inputNames).reply).toEqual(
      replyTo(proSentimentEndpoint.cold ?? expect.fail(), inputNames).reply,
    )
  })
  it("changes nothing of what it selects from", () => {
    const before = JSON.stringify(whole)
    selectProSentiment(whole, {}, new Set(["news", "index"]))
    expect(JSON.stringify(whole)).toBe(before)
  })
})
