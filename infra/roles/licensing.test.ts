import { describe, expect, it } from "vitest"
import { sources as declared } from "../../ingestors/registry.ts"
import { type SourceFacts, sourceFactsOf } from "../../ingestors/source-facts.ts"
import { termsOf } from "../../ingestors/terms.ts"
import { views } from "../../processors/registry.ts"
import type { View } from "../../processors/view/view.ts"
import proBriefing from "../../processors/views/pro-briefing.ts"
import { licensingOf, withheldOf, withheldText } from "./licensing.ts"

const sources = declared.map(sourceFactsOf)
const WALLET = "0x3b8c1a0f5d6e7f80912a3b4c5d6e7f8091a2b3c4"
const PATH = "/api/pro/briefing"

const licensing = (resaleSources: ReadonlyArray<string> | null = null, walletAddress: string | null = WALLET) =>
  licensingOf({ walletAddress, restrictedSources: null, resaleSources })

const briefingWith = (resaleSources: ReadonlyArray<string> | null, walletAddress: string | null = WALLET) =>
  withheldOf([proBriefing], sources, licensing(resaleSources, walletAddress)).get(PATH)

describe("what is withheld from premium replies", () => {
  it("is nothing as long as the service sells nothing", () => {
    expect(withheldOf(views, sources, licensing(null, null)).size).toBe(0)
  })

  it("is every input over a feed that one unsold source fills", () => {
    expect(briefingWith(null)).toEqual({ inputs: new Set(["btc24h"]), feeds: ["btc-price"] })
    for (const partly of [["binance-spot"], ["coinbase-exchange"], ["kraken"], ["coingecko"]])
      expect(briefingWith(partly)?.feeds, String(partly)).toEqual(["btc-price"])
    for (const whole of [["binance-spot", "coinbase-exchange"], ["all"]]) expect(briefingWith(whole)).toBeUndefined()
  })

  it("is never a part of a free reply", () => {
    const free = views.filter(({ endpoint }) => endpoint.tier !== "premium")
    expect(free.length).toBeGreaterThan(0)
    expect(withheldOf(free, sources, licensing()).size).toBe(0)
  })

  it("follows the terms without a key: an API process has none", () => {
    const [source] = declared.filter(({ name }) => name === "usgs-earthquakes")
    if (source === undefined) throw new Error("there is no such source")
    const paid = termsOf({ use: "provider", url: "https://example.org", sold: "yes" })
    const unsold: SourceFacts = sourceFactsOf({
      ...source,
      terms: termsOf({ use: "provider", url: "https://example.org", sold: "no" }),
      key: { setting: "P_KEY", description: "P", signupUrl: "https://example.org", optional: true, terms: paid },
    })
    expect(withheldOf([proBriefing], [unsold], licensing()).get(PATH)?.feeds).toEqual(["earthquakes"])
  })

  it("is said in one line: feeds, sources to name, endpoints", () => {
    const other: View = { ...proBriefing, endpoint: { ...proBriefing.endpoint, path: "/api/pro/another" } }
    const withheld = withheldOf([proBriefing, other], sources, licensing(["binance-spot"]))
    expect(withheldText(withheld, sources, licensing(["binance-spot"]))).toBe(
      "not_licensed, withheld from premium replies: btc-price (coinbase-exchange) from /api/pro/another, /api/pro/briefing (the terms of these sources allow no resale; see RESALE_SOURCES)",
    )
  })
})
