import { describe, expect, it } from "vitest"
import { sources } from "./registry.ts"
import { type Licensing, maySell, type Terms } from "./terms.ts"

const terms = (resale: Terms["resale"]): Terms => ({ use: "provider", resale, url: "https://example.org" })
const selling = (...resaleSources: ReadonlyArray<string>): Licensing => ({
  isSelling: true,
  restrictedSources: [],
  resaleSources,
})

describe("whether data may be sold", () => {
  it.each([
    ["allowed", selling(), true],
    // Its clause was not read, so nothing is known that forbids it.
    ["unknown", selling(), true],
    ["not_allowed", selling(), false],
    ["not_allowed", selling("another", "coingecko-pro"), false],
    ["not_allowed", selling("another", "coingecko"), true],
    ["not_allowed", selling("all"), true],
    ["not_allowed", { ...selling(), restrictedSources: ["all"] }, false],
    ["not_allowed", { ...selling(), isSelling: false }, true],
  ] as const)("%s, with %j: %s", (resale, licensing, expected) => {
    expect(maySell(licensing, "coingecko", terms(resale))).toBe(expected)
  })

  it("is denied for the sources whose clause has to be read first", () => {
    const unread = /^(coingecko|mempool-space|news-rss|binance-.+|coinbase-.+)$/
    const declared = sources.filter(({ name }) => unread.test(name))
    expect(declared.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["binance-futures", "binance-spot", "coinbase-exchange", "coingecko"]),
    )
    for (const source of declared) expect(source.terms.resale, source.name).toBe("not_allowed")
  })
})
