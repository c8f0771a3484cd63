import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { clausesOf } from "./clauses.ts"
import { meaningAt, ownWords } from "./lexicon.ts"
import { signalOf } from "./signal.ts"

const weightOf = (phrase: string) => meaningAt(clausesOf(phrase)[0] ?? [], 0)?.meaning

describe("the signal of a headline", () => {
  it.each([
    ["S&P 500, Nasdaq fall as chip stocks weaken; earnings in focus", "-"],
    ["Oil prices climb as OPEC signals a deeper output cut", "neutral"],
    ["Tether confirms minimal EQIBank exposure following $89M US asset seizure", "-"],
    ["Acme Corp Reports Record Quarterly Revenue and Raises Guidance", "+"],
    ["Company misses estimates, cuts outlook; shares tumble 12%", "-"],
    ["Bitcoin surges to all-time high as bulls return", "+"],
    ["Regulator sues exchange over alleged fraud", "-"],
    ["Analyst downgrades stock to sell", "-"],
  ])("of %j is %s, as a reader says", (title, signal) => expect(signalOf(title)).toBe(signal))

  it.each([
    // Who takes a profit from a record rally sells: words alone do not show it.
    ["Gold, Silver Plunge as Traders Book Profit from Record Rallies", "+", "negative"],
    // Caution is a negative word, and a central bank's habit.
    ["Fed holds rates steady, signals caution", "-", "neutral"],
  ])("of %j is %s, where a reader says %s: a known miss", (title, signal) => expect(signalOf(title)).toBe(signal))

  it.each([
    ["Bitcoin does not crash", "+"],
    ["Exchange denies fraud", "+"],
    ["Exchange denies it was hacked", "+"],
    ["Bitcoin fails to rally", "-"],
    ["Fund fails, to gain time", "neutral"],
    ["No fraud found at exchange", "+"],
    ["Stocks never recovered", "-"],
    ["Token can’t recover", "-"],
    ["Token isn't safe", "-"],
    // Two negations cancel each other.
    ["Not without risk", "-"],
    // The fourth word behind a negation is not reversed.
    ["Fed does not see the reason for a crash", "-"],
    ["Never in past fraud", "+"],
    ["Never in the past fraud", "-"],
    // Nor is another clause.
    ["Not today: markets crash", "-"],
    ["Not today. Markets crash", "-"],
    ["The No. 1 winner", "+"],
  ])("of %j is %s: negation", (title, signal) => expect(signalOf(title)).toBe(signal))

  it.each([
    "Missile test over the sea",
    "Students meet at a hackathon",
    "Encryption is on by default",
    "Hacker News turns twenty",
    "Exchange lists shares and gold",
    "Space probe reaches Jupiter",
    "constructor toString __proto__ hasOwnProperty",
    "$FRAUD",
  ])("of %j is none: no word of the lexicon", (title) => expect(signalOf(title)).toBeNull())

  it("counts a whole phrase, not its words: a longer one goes first", () => {
    expect(weightOf("default")).toBe(-2)
    expect(weightOf("by default")).toBe("neutral")
    expect(weightOf("better-than-expected")).toBeGreaterThan(0)
    expect(weightOf("sell-off")).toBeLessThan(0)
    expect(signalOf("A loan in default by Default Corp")).toBe("-")
  })

  it("knows U.S. and J.P. as words, whose full stops end no clause", () => {
    expect(clausesOf("No U.S. recession. Stocks rise")).toHaveLength(2)
    expect(signalOf("No U.S. recession")).toBe("+")
  })

  it("weighs each own word once, and never beyond the scale", () => {
    const words = ownWords.map(([word]) => word)
    expect(new Set(words).size).toBe(words.length)
    expect(words.length).toBeGreaterThan(140)
    for (const [word, weight] of ownWords) {
      expect([word, weightOf(word)]).toEqual([word, weight])
      expect(Math.abs(weight)).toBeLessThanOrEqual(5)
      expect(weight).not.toBe(0)
    }
  })

  it("is one of four for any text, the same each time and in any case", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.lorem()), (title) => {
        const signal = signalOf(title)
        expect(["+", "-", "neutral", null]).toContain(signal)
        expect(signalOf(title)).toBe(signal)
      }),
    )
    fc.assert(
      fc.property(fc.constantFrom(...ownWords), ([word, weight]) => {
        expect(signalOf(word.toUpperCase())).toBe(weight > 0 ? "+" : "-")
        expect(signalOf(`not ${word}`)).toBe(weight > 0 ? "-" : "+")
      }),
    )
  })

  it("takes time in proportion to the text, however it is made", () => {
    for (const unit of ["'a", "not ", "not bad ", "$", "a.", "fails to ", "all-time-", "("])
      expect(["+", "-", "neutral", null]).toContain(signalOf(unit.repeat(20_000)))
  })
})
