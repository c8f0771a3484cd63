import { describe, expect, it } from "vitest"
import { type Terms, termsQuestions, type Word } from "../schemas/contract/provenance.ts"
import { sources } from "./registry.ts"
import { type Licensing, mayPoll, maySell, openTerms, type TermsDeclaration, termsOf } from "./terms.ts"

const URL = "https://example.org"
const termsWith = (more: Partial<TermsDeclaration>): Terms => termsOf({ use: "provider", url: URL, ...more })
const licensing = (more: Partial<Licensing> = {}): Licensing => ({
  isSelling: true,
  restrictedSources: [],
  resaleSources: [],
  ...more,
})

describe("terms", () => {
  it("answer unknown, of no clause, to each question that a source leaves out", () => {
    const unread = { answer: "unknown", clause: null, readOn: null }
    expect(termsWith({})).toEqual({
      use: "provider",
      url: URL,
      shown: unread,
      kept: unread,
      sold: unread,
      models: unread,
      credit: null,
    })
  })

  it("hold the clause and the day of each answer, its own or the common one", () => {
    const own = { answer: 24, clause: "4: refreshed daily", readOn: "2026-11-02" } as const
    const terms = termsWith({ clause: "9.4: personal use", sold: "no", kept: own, models: { answer: "no" } })
    expect(terms.sold).toEqual({ answer: "no", clause: "9.4: personal use", readOn: null })
    expect(terms.models).toEqual(terms.sold)
    expect(terms.kept).toEqual(own)
  })

  it("of the public domain and the like allow everything, and say by which licence", () => {
    const yes = { answer: "yes", clause: "CC0 1.0", readOn: null }
    expect(openTerms(URL, "CC0 1.0")).toMatchObject({ shown: yes, kept: yes, sold: yes, models: yes })
  })
})

describe("whether data may be sold", () => {
  it.each([
    ["yes", licensing(), true],
    // Its clause was not read, so nothing is known that allows it.
    ["unknown", licensing(), false],
    ["unknown", licensing({ resaleSources: ["coingecko"] }), true],
    ["unknown", licensing({ isSelling: false }), true],
    ["no", licensing(), false],
    ["no", licensing({ resaleSources: ["another", "coingecko-pro"] }), false],
    ["no", licensing({ resaleSources: ["another", "coingecko"] }), true],
    ["no", licensing({ resaleSources: ["all"] }), true],
    ["no", licensing({ restrictedSources: ["all"] }), false],
    ["no", licensing({ isSelling: false }), true],
  ] as const)("%s, with %j: %s", (sold, settings, expected) => {
    expect(maySell(settings, "coingecko", termsWith({ sold }))).toBe(expected)
  })
})

describe("whether a source may be polled", () => {
  const words: ReadonlyArray<Word> = ["yes", "unknown"]

  it.each(["shown", "kept"] as const)(
    "is denied once credits are sold where it may not be %s, and by no other answer",
    (question) => {
      for (const answer of words) expect(mayPoll(licensing(), "one", termsWith({ [question]: answer }))).toBe(true)
      const denied = termsWith({ [question]: "no" })
      expect(mayPoll(licensing(), "one", denied)).toBe(false)
      expect(mayPoll(licensing({ restrictedSources: ["one"] }), "one", denied)).toBe(true)
      expect(mayPoll(licensing({ isSelling: false }), "one", denied)).toBe(true)
    },
  )

  it("is not decided by whether it may be sold or given to models", () => {
    expect(mayPoll(licensing(), "one", termsWith({ sold: "no", models: "no" }))).toBe(true)
  })

  it("is denied where its provider has to consent, unless the operator names it: `all` does not, nor that nothing is sold", () => {
    const terms = termsWith({ use: "consent" })
    for (const isSelling of [true, false]) {
      expect(mayPoll(licensing({ isSelling }), "one", terms)).toBe(false)
      expect(mayPoll(licensing({ isSelling, restrictedSources: ["all"] }), "one", terms)).toBe(false)
      expect(mayPoll(licensing({ isSelling, restrictedSources: ["one"] }), "one", terms)).toBe(true)
    }
  })
})

describe("the terms of the sources", () => {
  const restricted =
    /^(binance-.+|bybit|coingecko|finnhub|gvp-volcanoes|kalshi|okx|open-meteo.*|shodan-internetdb|stooq|threatfox|urlhaus)$/
  const unsold = /^(coinbase-.+|news-rss|polymarket-gamma|steam-charts)$/

  it("are restricted where providers are reported to serve personal or non-commercial use, which allows no sale", () => {
    const declared = sources.filter(({ name }) => restricted.test(name))
    expect(declared.length).toBeGreaterThan(12)
    for (const { name, terms } of declared)
      expect([name, terms.use, terms.sold.answer]).toEqual([name, "restricted", "no"])
    // Facts of a chain may be sold, however public nodes may be asked for them.
    for (const { name, terms } of sources)
      if ((terms.use === "restricted" && name !== "ethereum-rpc") || terms.use === "consent")
        expect(terms.sold.answer, name).toBe("no")
  })

  it("forbid the sale where a clause is reported to, and say nothing where none was found", () => {
    const answerOf = (name: string) => sources.find((source) => source.name === name)?.terms.sold.answer
    for (const { name, terms } of sources) if (unsold.test(name)) expect(terms.sold.answer, name).toBe("no")
    for (const name of ["mempool-space", "mempool-recent", "gdacs", "launch-library", "nasdaq-halts", "statuspage"])
      expect(answerOf(name), name).toBe("unknown")
    for (const name of ["alternative-fng", "ethereum-rpc", "ethereum-gas", "solana-rpc", "usgs-earthquakes"])
      expect(answerOf(name), name).toBe("yes")
  })

  it("allow an operator's own use alone where nothing may be shown or kept, and then no model either", () => {
    const closed = (question: "shown" | "models") =>
      sources.filter(({ terms }) => terms[question].answer === "no").map(({ name }) => name)
    expect(closed("shown")).toEqual(["kalshi", "okx", "stooq"])
    expect(closed("models")).toEqual(["fred", "kalshi", "okx", "stooq"])
    const fred = sources.find(({ name }) => name === "fred")
    expect([fred?.terms.use, fred?.terms.kept.answer]).toEqual(["consent", "no"])
  })

  it("give a clause for each `no` and each number, but for those whose clause nobody reported, and a day only as a day", () => {
    const unreported = /^(coinbase-.+|news-rss)$/
    for (const { name, terms } of sources)
      for (const question of termsQuestions) {
        const { answer, clause, readOn } = terms[question]
        if (answer !== "unknown" && !unreported.test(name)) expect([name, question, clause]).not.toContain(null)
        if (readOn !== null) expect(readOn).toMatch(/^\d{4}-\d{2}-\d{2}$/)
      }
  })

  it("require a line of credit where providers ask for one", () => {
    const credits = Object.fromEntries(
      sources.flatMap(({ name, terms }) => (terms.credit === null ? [] : [[name, terms.credit]])),
    )
    expect(credits).toMatchObject({
      coingecko: "Powered by CoinGecko",
      "alternative-fng": expect.stringContaining("Alternative.me"),
      "nasa-firms": expect.stringContaining("FIRMS"),
    })
  })
})
