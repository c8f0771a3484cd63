import { describe, expect, it } from "vitest"
import { sources as declared, type SourceFacts, sourceFactsOf } from "../../ingestors/registry.ts"
import { type TermsDeclaration, termsOf } from "../../ingestors/terms.ts"
import { feedViews, views } from "../../processors/registry.ts"
import type { View } from "../../processors/view/view.ts"
import proAgentContext from "../../processors/views/pro-agent-context.ts"
import proBriefing from "../../processors/views/pro-briefing.ts"
import proCorrelationMatrix from "../../processors/views/pro-correlation-matrix.ts"
import proMacro from "../../processors/views/pro-macro.ts"
import { instanceKey } from "../../schemas/feed.ts"
import {
  licensingOf,
  modelsClosedOf,
  restedBy,
  sourceNames,
  usedSources,
  withheldOf,
  withheldText,
  wrongSourceNames,
} from "./licensing.ts"

const sources = declared.map(sourceFactsOf)
const WALLET = "0x3b8c1a0f5d6e7f80912a3b4c5d6e7f8091a2b3c4"
const PATH = "/api/pro/briefing"

const settings = {
  walletAddress: WALLET,
  restrictedSources: null,
  resaleSources: null,
  sourcesOff: null,
} as const

const licensing = (resaleSources: ReadonlyArray<string> | null = null, walletAddress: string | null = WALLET) =>
  licensingOf({ walletAddress, restrictedSources: null, resaleSources })

const briefingWith = (resaleSources: ReadonlyArray<string> | null, walletAddress: string | null = WALLET) =>
  withheldOf([proBriefing], sources, licensing(resaleSources, walletAddress)).get(PATH)

/** A source with other terms, by its name. */
const withTerms = (name: string, more: Partial<TermsDeclaration>): SourceFacts => {
  const source = declared.find((one) => one.name === name)
  if (source === undefined) throw new Error(`there is no source ${name}`)
  return sourceFactsOf({ ...source, terms: termsOf({ use: "provider", url: "https://example.org", ...more }) })
}

describe("what is withheld from premium replies", () => {
  it("is nothing as long as the service sells nothing", () => {
    expect(withheldOf(feedViews, usedSources(sources, settings), licensing(null, null)).size).toBe(0)
  })

  it("is every input over a feed that one source fills whose terms are not known to allow its sale", () => {
    expect(briefingWith(null)).toEqual({
      inputs: new Set(["frontPage", "people", "catalogue", "markets", "btc24h"]),
      feeds: ["btc-price", "humans-in-space", "launches", "predictions", "tech-news"],
    })
    const others = ["hacker-news", "open-notify", "launch-library", "polymarket-gamma"]
    for (const partly of [["binance-spot", "kraken"], ["coinbase-exchange", "kraken"], ["coingecko"]])
      expect(briefingWith([...others, ...partly])?.feeds, String(partly)).toEqual(["btc-price"])
    for (const whole of [[...others, "binance-spot", "coinbase-exchange", "kraken"], ["all"]])
      expect(briefingWith(whole)).toBeUndefined()
  })

  it("is of one instance alone where the source fills no other", () => {
    const economic = (series: string, more: Partial<TermsDeclaration>): SourceFacts => ({
      ...withTerms("fred", more),
      name: series.toLowerCase(),
      instances: [instanceKey("economic-series", { series })],
    })
    const some = [economic("DGS10", { sold: "yes" }), economic("DGS2", { sold: "yes" }), economic("DCOILWTICO", {})]
    expect(withheldOf([proCorrelationMatrix], some, licensing()).get("/api/pro/correlation-matrix")).toEqual({
      inputs: new Set(["OIL_WTI"]),
      feeds: ["economic-series"],
    })
    expect(withheldOf([proMacro], some, licensing()).get("/api/pro/macro")?.inputs).toEqual(new Set(["oil"]))
  })

  it("is what a source brought that only rests while credits are sold, and nothing of one that is off or without consent", () => {
    const names = (all: ReadonlyArray<SourceFacts>) => all.map(({ name }) => name)
    const used = names(usedSources(sources, settings))
    expect(used).toEqual(expect.arrayContaining(["binance-spot", "kalshi", "okx"]))
    expect(used).not.toContain("fred")
    expect(names(usedSources(sources, { restrictedSources: ["fred"], sourcesOff: ["okx"] }))).toContain("fred")
    expect(names(usedSources(sources, { restrictedSources: ["all"], sourcesOff: ["okx"] }))).not.toContain("okx")
    const off = ["open-notify", "hacker-news", "launch-library", "polymarket-gamma", "binance-spot"]
    const rest = usedSources(sources, { restrictedSources: null, sourcesOff: [...off, "coinbase-exchange", "kraken"] })
    expect(withheldOf([proBriefing], rest, licensing()).size).toBe(0)
  })

  it("is, of the context for language models, what may not be given to them, whether or not credits are sold", () => {
    const quakes = [withTerms("usgs-earthquakes", { sold: "yes", models: "no" })]
    for (const one of [licensing(["all"]), licensing(["all"], null)]) {
      expect(withheldOf([proAgentContext], quakes, one).get("/api/pro/agent-context")?.inputs).toEqual(
        new Set(["quakes"]),
      )
      expect(withheldOf([proBriefing], quakes, one).size).toBe(0)
    }
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
    const resold = licensing(["binance-spot", "kraken", "hacker-news", "open-notify", "launch-library"])
    expect(withheldText([proBriefing, other], sources, resold)).toBe(
      "not_licensed, withheld from premium replies: btc-price (coinbase-exchange) from /api/pro/another, /api/pro/briefing; predictions (polymarket-gamma) from /api/pro/another, /api/pro/briefing (their terms are not known to allow it; RESALE_SOURCES names those that you may sell)",
    )
  })
})

describe("what may not be given to language models", () => {
  it("is named by the paths that serve it and its names in replies, of the sources that are used", () => {
    const closed = modelsClosedOf(feedViews, usedSources(sources, settings))
    expect(closed.get("/api/event-market")).toEqual(new Set(["Kalshi.events"]))
    expect(closed.get("/api/funding-rates")).toEqual(new Set(["OKX.funding"]))
    expect([...(closed.get("/api/stocks") ?? [])].every((name) => name.startsWith("Stooq."))).toBe(true)
    expect(closed.has("/api/pro/macro")).toBe(false)
    expect(closed.has("/api/earthquake")).toBe(false)
    const withFred = modelsClosedOf(feedViews, usedSources(sources, { ...settings, restrictedSources: ["fred"] }))
    expect(withFred.get("/api/pro/macro")?.size).toBeGreaterThan(0)
    expect(withFred.has("/api/pro/agent-context")).toBe(false)
  })
})

describe("what the settings leave unpolled", () => {
  const restricted = termsOf({ use: "restricted", url: "https://example.org" })

  it("is a source that is off, one of restricted use while credits are sold, and one without consent", () => {
    const rested = restedBy({ walletAddress: WALLET, restrictedSources: ["two"], sourcesOff: ["two", "three"] })
    expect(rested("one", restricted)).toEqual({ reason: "not_licensed", setting: "RESTRICTED_SOURCES" })
    for (const off of ["two", "three"])
      expect(rested(off, restricted)).toEqual({ reason: "not_configured", setting: "SOURCES_OFF" })
    expect(rested("four", termsOf({ use: "provider", url: "https://example.org" }))).toBeNull()
  })
})

describe("names of sources in settings", () => {
  it("are refused where there is no such source, each with the nearest one", () => {
    const known = sources.map(({ name }) => name)
    expect(sourceNames()).toEqual(known)
    expect(
      wrongSourceNames({ restrictedSources: ["all", "fred"], resaleSources: ["krakn"], sourcesOff: ["all"] }, known),
    ).toEqual([
      "RESALE_SOURCES: there is no source krakn; the nearest is kraken",
      expect.stringMatching(/^SOURCES_OFF: there is no source all; the nearest is /),
    ])
  })
})
