import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { tickers } from "../../schemas/published/tickers.ts"
import { mentionsOf } from "./mentions.ts"

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
