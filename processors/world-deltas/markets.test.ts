import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { PredictionMarket } from "../../schemas/feeds/predictions.ts"
import type { MarketData } from "../../schemas/payloads/world-delta.ts"
import { market } from "../testing/delta-feeds.ts"
import { hasMoved, leadingOutcome, learnMarkets } from "./markets.ts"

const MINUTE_MS = 60_000

type Polls = ReadonlyArray<readonly [minutes: number, markets: ReadonlyArray<PredictionMarket>]>

/** The news of each poll. */
const learn = (...polls: Polls) => {
  let known: ReturnType<typeof learnMarkets>["known"] | undefined
  return polls.map(([minutes, markets]) => {
    const learnt = learnMarkets(markets, known, minutes * MINUTE_MS)
    known = learnt.known
    return learnt.news.map(({ data }) => data as MarketData)
  })
}
/** As texts: id, leading outcome, its probability and the one before. */
const newsOf = (...polls: Polls) =>
  learn(...polls).map((news) =>
    news.map(({ id, outcome, probability, previous }) => `${id} ${outcome} ${probability} ${previous}`),
  )
const outcomes = (...all: ReadonlyArray<readonly [name: string, probability: number | null]>) =>
  all.map(([name, probability]) => ({ name, probability }))

describe("the leading outcome", () => {
  it.each([
    ["the most probable", outcomes(["A", 0.2], ["B", 0.5], ["C", 0.3]), "B"],
    ["the first of equal ones", outcomes(["A", 0.5], ["B", 0.5]), "A"],
    ["one that has a price", outcomes(["A", null], ["B", 0]), "B"],
    ["none without a price", outcomes(["A", null]), undefined],
    ["none of none", [], undefined],
  ])("is %s", (_, all, name) => {
    expect(leadingOutcome(all)?.name).toBe(name)
  })
})

describe("a market has moved", () => {
  it.each([
    ["by exactly a hundredth, as floats hold it", outcomes(["Yes", 0.56]), outcomes(["Yes", 0.57]), true],
    ["by less", outcomes(["Yes", 0.56]), outcomes(["Yes", 0.5699]), false],
    ["where the outcome that led falls", outcomes(["A", 0.4], ["B", 0.39]), outcomes(["A", 0.3], ["B", 0.395]), true],
    [
      "where the outcome that leads now rose",
      outcomes(["A", 0.4], ["B", 0.39]),
      outcomes(["A", 0.4], ["B", 0.41]),
      true,
    ],
    [
      "not where two change places by little",
      outcomes(["Y", 0.501], ["N", 0.499]),
      outcomes(["Y", 0.499], ["N", 0.501]),
      false,
    ],
    [
      "where an outcome without a price leads",
      outcomes(["A", 0.4], ["B", null]),
      outcomes(["A", 0.4], ["B", 0.5]),
      true,
    ],
    ["not where a price is lost", outcomes(["A", 0.4], ["B", 0.3]), outcomes(["A", null], ["B", 0.3]), false],
    [
      "not where its outcomes stand in another order",
      outcomes(["A", 0.9], ["B", 0.1]),
      outcomes(["B", 0.1], ["A", 0.9]),
      false,
    ],
    ["outcomes of one name apart", outcomes(["X", 0.1], ["X", 0.9]), outcomes(["X", 0.1], ["X", 0.9]), false],
  ])("%s", (_, then, now, expected) => {
    expect(hasMoved(then, now)).toBe(expected)
  })
})

describe("markets that are news", () => {
  it("are newly listed, or have moved since they were last stated; the first payload is where its markets stood", () => {
    expect(
      newsOf(
        [0, [market("a", 0.6)]],
        [1, [market("a", 0.605), market("b", 0.3)]],
        [2, [market("a", 0.61), market("b", 0.3)]],
      ),
    ).toEqual([[], ["b No 0.7 null"], ["a Yes 0.61 0.6"]])
  })

  it("add up small moves until they are a hundredth", () => {
    expect(newsOf(...[0.6, 0.604, 0.608, 0.612].map((yes, at) => [at, [market("a", yes)]] as const))).toEqual([
      [],
      [],
      [],
      ["a Yes 0.612 0.6"],
    ])
  })

  it("are stated once in five minutes, then with all that has moved", () => {
    const polls = [0.5, 0.6, 0.7, 0.8, 0.8, 0.8, 0.8].map((yes, at) => [at, [market("a", yes)]] as const)
    expect(newsOf(...polls)).toEqual([[], ["a Yes 0.6 0.5"], [], [], [], [], ["a Yes 0.8 0.6"]])
  })

  it("are not stated for a move that is undone within five minutes", () => {
    const polls = [0.5, 0.6, 0.7, 0.6].map((yes, at) => [2 * at, [market("a", yes)]] as const)
    expect(newsOf(...polls)).toEqual([[], ["a Yes 0.6 0.5"], [], []])
  })

  it("have a turnover of 10,000 US dollars; a new one is stated when it has reached it", () => {
    const small = (volume24hUsd: number | null) => market("a", 0.7, { volume24hUsd })
    expect(newsOf([0, []], [1, [small(null)]], [2, [small(9_999.99)]], [3, [small(10_000)]])).toEqual([
      [],
      [],
      [],
      ["a Yes 0.7 null"],
    ])
    // One of the first payload must also move.
    expect(newsOf([0, [small(5)]], [1, [small(10_000)]])).toEqual([[], []])
  })

  it("have a price: a first payload without one is no news when the first comes", () => {
    expect(newsOf([0, [market("a", null)]], [1, [market("a", 0.6)]], [2, [market("a", 0.62)]])).toEqual([
      [],
      [],
      ["a Yes 0.62 0.6"],
    ])
    expect(newsOf([0, []], [1, [market("a", null)]], [2, [market("a", 0.6)]])).toEqual([[], [], ["a Yes 0.6 null"]])
  })

  it("are not newly listed where they return within 24 hours, and are after them", () => {
    const a = [market("a", 0.6)]
    expect(newsOf([0, a], [1, []], [24 * 60, a], [24 * 60 + 1, [market("a", 0.7)]])).toEqual([
      [],
      [],
      [],
      ["a Yes 0.7 0.6"],
    ])
    expect(newsOf([0, a], [1, []], [24 * 60 + 1, a])).toEqual([[], [], ["a Yes 0.6 null"]])
  })

  it("may have any id", () => {
    const odd = [market("__proto__", 0.6), market("constructor", 0.6)]
    expect(newsOf([0, []], [1, odd], [2, odd])).toEqual([
      [],
      ["__proto__ Yes 0.6 null", "constructor Yes 0.6 null"],
      [],
    ])
  })

  it("are five minutes apart, moved by a hundredth each, and none that has is left out", () => {
    const poll = fc.record({
      minutes: fc.integer({ min: 1, max: 7 }),
      yes: fc.integer({ min: 400, max: 600 }),
      isListed: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    })
    fc.assert(
      fc.property(fc.array(poll, { minLength: 2, maxLength: 60 }), (polls) => {
        let at = 0
        const given = polls.map(({ minutes, yes, isListed }) => {
          at += minutes
          return [at, isListed ? [market("a", yes / 1000)] : []] as const
        })
        const news = learn(...given)
        let stated: { readonly at: number; readonly yes: number } | null = null
        let isKnown = false
        for (const [index, [minutes, [one]]] of given.entries()) {
          const yes = one?.outcomes[0]?.probability ?? null
          const found = news[index]?.[0]
          expect(news[index]?.length ?? 0).toBeLessThanOrEqual(1)
          if (yes === null) {
            expect(found).toBeUndefined()
            continue
          }
          if (!isKnown) {
            // Listed in the first payload: where it stood. Listed later: news.
            isKnown = true
            expect(found === undefined).toBe(index === 0)
            expect(found?.previous ?? null).toBeNull()
            stated = { at: index === 0 ? Number.NEGATIVE_INFINITY : minutes, yes }
            continue
          }
          const before = stated ?? expect.fail("it was stated")
          const isDue = Math.round(Math.abs(yes - before.yes) * 1000) >= 10 && minutes - before.at >= 5
          expect(found !== undefined).toBe(isDue)
          if (found !== undefined) {
            expect(found.probability).toBe(Math.max(yes, Number((1 - yes).toFixed(4))))
            stated = { at: minutes, yes }
          }
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
