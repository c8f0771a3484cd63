import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { tickers } from "../published/tickers.ts"
import { signals } from "./pro-sentiment.ts"
import {
  distinctHeadlines,
  plainTitle,
  type ReadHeadline,
  sentimentByTicker,
  sentimentLabelOf,
  sentimentScore,
} from "./pro-sentiment-selection.ts"

const headline = (title: string, rest: Partial<ReadHeadline> = {}): ReadHeadline => ({
  title,
  url: `https://news.example/${encodeURIComponent(title.toWellFormed())}`,
  source: "coindesk",
  publishedAt: "2026-11-20T10:00:00.000Z",
  signal: null,
  symbols: ["BTC"],
  ...rest,
})

describe("the score of a ticker", () => {
  it.each([
    [0, 0, 0, "neutral"],
    [1, 0, 1, "positive"],
    [0, 1, -1, "negative"],
    [2, 1, 0.333, "positive"],
    [13, 7, 0.3, "positive"],
    [64, 36, 0.28, "moderately_positive"],
    [11, 9, 0.1, "moderately_positive"],
    [12, 10, 0.091, "neutral"],
    [5, 5, 0, "neutral"],
    [10, 12, -0.091, "neutral"],
    [9, 11, -0.1, "moderately_negative"],
    [36, 64, -0.28, "moderately_negative"],
    [7, 13, -0.3, "negative"],
  ])("of %i positive and %i negative headlines is %f, %s", (positive, negative, score, label) => {
    expect(sentimentScore(positive, negative)).toBe(score)
    expect(sentimentLabelOf(score)).toBe(label)
  })

  it("lies between -1 and 1, and changes its sign with the sides", () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.nat(1000), (positive, negative) => {
        const score = sentimentScore(positive, negative)
        expect(Math.abs(score)).toBeLessThanOrEqual(1)
        expect(score + sentimentScore(negative, positive)).toBe(0)
      }),
    )
  })
})

describe("repeated headlines", () => {
  it("are one whatever their case, marks and spaces: the earliest", () => {
    const later = headline("BITCOIN surges — to $100,000!", {
      publishedAt: "2026-11-20T12:00:00.000Z",
      source: "other",
    })
    const first = headline("Bitcoin surges to $100,000")
    expect(distinctHeadlines([later, first])).toEqual([first])
    expect(distinctHeadlines([first, later])).toEqual([first])
    expect(distinctHeadlines([first, headline("Bitcoin surges to $100,001")])).toHaveLength(2)
  })
  it("differ by the marks of a letter, as its vowels in other scripts", () => {
    expect(plainTitle("की")).not.toBe(plainTitle("के"))
  })
  it("of marks alone differ by their marks", () => {
    expect([plainTitle("!!!"), plainTitle("???")]).toEqual(["!!!", "???"])
  })
})

const symbolSets = [[], ["BTC"], ["BTC", "ETH"], ["AAPL"]]
/** A headline's signal and symbols follow from its title. */
const some = fc.record({
  title: fc.oneof(fc.constantFrom("Up", "up!", "Down", "Same"), fc.string({ unit: "binary", minLength: 1 })),
  source: fc.constantFrom("coindesk", "hacker-news", "sec"),
  hour: fc.integer({ min: 10, max: 20 }),
})
const many = fc.array(some, { maxLength: 30 }).map((all) =>
  all.map(({ title, source, hour }) =>
    headline(title, {
      source,
      publishedAt: `2026-11-20T${hour}:00:00.000Z`,
      signal: [...signals, null][title.length % 4] ?? null,
      symbols: symbolSets[title.length % symbolSets.length] ?? [],
    }),
  ),
)
const byTicker = (headlines: ReadonlyArray<ReadHeadline>) => sentimentByTicker(distinctHeadlines(headlines), tickers)

describe("the sentiment by ticker", () => {
  it("counts mentions by source, and the scored ones beside the positive and the negative", () => {
    const given = [
      headline("a", { signal: "+", source: "sec" }),
      headline("b", { signal: "-", publishedAt: "2026-11-20T11:00:00.000Z" }),
      headline("c", { signal: "neutral", symbols: ["BTC", "ETH"] }),
      headline("d", { signal: "+" }),
      headline("e"),
      headline("f", { symbols: [] }),
    ]
    const [first, second, ...others] = byTicker(given)
    expect(others).toEqual([])
    expect(first).toMatchObject({
      symbol: "BTC",
      assetClass: "crypto",
      mentionCount: 5,
      sources: { coindesk: 4, sec: 1 },
      scored: 4,
      positive: 2,
      negative: 1,
      score: 0.333,
      label: "positive",
    })
    expect(first?.headlines.map(({ title }) => title)).toEqual(["b", "c", "d", "e", "a"])
    expect(second).toMatchObject({ symbol: "ETH", mentionCount: 1, scored: 1, positive: 0, negative: 0, score: 0 })
  })

  it("does not depend on the order of the headlines, nor on their repetition", () => {
    fc.assert(
      fc.property(
        many.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, shuffled]) => {
          expect(byTicker(shuffled)).toEqual(byTicker(all))
          expect(byTicker([...shuffled, ...all])).toEqual(byTicker(all))
        },
      ),
    )
  })

  it("counts each mention at one source, and ranks by mentions, then by symbol", () => {
    fc.assert(
      fc.property(many, (all) => {
        const rows = byTicker(all)
        for (const { sources, mentionCount, scored, positive, negative, score } of rows) {
          expect(Object.values(sources).reduce((sum, count) => sum + count, 0)).toBe(mentionCount)
          expect(mentionCount).toBeGreaterThanOrEqual(scored)
          expect(scored).toBeGreaterThanOrEqual(positive + negative)
          expect(Math.abs(score)).toBeLessThanOrEqual(1)
        }
        const ranked = rows.toSorted((a, b) => b.mentionCount - a.mentionCount || (a.symbol < b.symbol ? -1 : 1))
        expect(rows).toEqual(ranked)
      }),
    )
  })
})
