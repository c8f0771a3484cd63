import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { tickers } from "../../schemas/published/tickers.ts"
import { mentionsOf, signalOf } from "./headline-words.ts"
import { meaningAt, ownWords } from "./lexicon.ts"
import { clausesOf } from "./phrases.ts"

describe("the assets that a headline names", () => {
  it.each([
    ["Bitcoin's rally lifts ETH and $sol", "BTC,ETH,SOL"],
    ["bitcoin, ether and solana slip", "BTC,ETH,SOL"],
    ["BTC/USD and BTC-ETH pairs halted", "BTC,ETH"],
    ["Tether and Ripple sign a deal", "USDT,XRP"],
    ["Apple, Amazon and Intel beat estimates", "AAPL,AMZN,INTC"],
    ["Google (Alphabet) sued", "GOOGL"],
    ["Meta Platforms raises guidance", "META"],
    ["J.P. Morgan and JPMorgan Chase", "JPM"],
    ["JP Morgan's bank", "JPM"],
    ["Coinbase and Robinhood list DOGE", "COIN,DOGE,HOOD"],
    ["MARA Holdings, Riot Platforms mine more", "MARA,RIOT"],
    ["NVDA and AMD up, INTC down", "AMD,INTC,NVDA"],
    ["Bitcoin Bitcoin BTC $BTC", "BTC"],
    ["Ｂｉｔｃｏｉｎ rises", "BTC"],
  ])("%j names %s", (title, symbols) => expect(mentionsOf(title).join(",")).toBe(symbols))

  it.each([
    // Symbols that are words count with a cash tag or by name only.
    "SOL is a Peruvian currency",
    "LINK in bio",
    "META analysis of 40 studies",
    "Toss a COIN",
    "HOOD ornament",
    "Meta-analysis of sleep",
    // Names that are words count with a capital only.
    "An apple a day",
    "The amazon of startups",
    "Military intel leaks",
    "A tether for satellites",
    "The alphabet of birds",
    "A ripple in the pond",
    // Phrases that mean something else.
    "Fires in the Amazon rainforest",
    "Apple pie recipes from the Big Apple",
    "Nikola Tesla's last patent",
    "The Ripple Effect of tariffs",
    "Files vanish into the ether",
    "How the coinbase transaction works",
    // Parts of words, and symbols in a title that is all in capitals.
    "Ethernet at 800 gigabits",
    "Metadata and the googleplex",
    "ETHICS OF ADA LOVELACE",
    "eth and ada in lower case",
    "BTCUSD",
    "constructor __proto__ toString",
    "",
  ])("%j names none", (title) => expect(mentionsOf(title)).toEqual([]))

  it("are 26, each known by its cash tag in any case and by each of its names", () => {
    expect(tickers).toHaveLength(26)
    expect(new Set(tickers.map(({ symbol }) => symbol)).size).toBe(26)
    for (const { symbol, names, isWord } of tickers) {
      expect(mentionsOf(`buy $${symbol.toLowerCase()}!`)).toEqual([symbol])
      expect(mentionsOf(`Why ${symbol} moved`)).toEqual(isWord ? [] : [symbol])
      for (const name of names) expect(mentionsOf(`Why ${name} moved`)).toEqual([symbol])
    }
  })

  it("are known symbols, sorted and each once, for any text", () => {
    const known = new Set(tickers.map(({ symbol }) => symbol))
    const pieces = fc.array(
      fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...known, "Bitcoin", "Apple pie", "$")),
    )
    fc.assert(
      fc.property(pieces, (words) => {
        const symbols = mentionsOf(words.join(" "))
        expect(symbols).toEqual([...new Set(symbols)].sort())
        for (const symbol of symbols) expect(known).toContain(symbol)
      }),
    )
  })
})

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
