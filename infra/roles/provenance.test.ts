import { describe, expect, it } from "vitest"
import { sourceFactsOf, sources } from "../../ingestors/registry.ts"
import { feedViews, tables, tableViews } from "../../processors/registry.ts"
import { feedIds } from "../../schemas/endpoints/pro-feed-reliability-history.ts"
import { isData } from "../../schemas/printers/tools.ts"
import { endpoints } from "../../schemas/registry.ts"
import { makeProvenance } from "./provenance.ts"

const provenance = makeProvenance(feedViews, sources.map(sourceFactsOf))
const of = (path: string) => {
  const { upstreams, tables: held, monitored } = provenance(path)
  return { providers: upstreams.map(({ provider }) => provider), tables: held.map(({ name }) => name), monitored }
}

describe("the provenance of an endpoint", () => {
  it("has the sources of every feed that its view reads, with their terms, each once", () => {
    for (const { endpoint, reads } of feedViews) {
      const { upstreams, monitored } = provenance(endpoint.path)
      for (const { feed } of Object.values(reads))
        for (const { attribution, terms } of sources.filter(({ fills }) => fills === feed))
          expect(upstreams, endpoint.path).toContainEqual({ ...attribution, terms })
      expect(new Set(upstreams.map((one) => JSON.stringify(one))).size).toBe(upstreams.length)
      for (const id of monitored) expect(feedIds, endpoint.path).toContain(id)
    }
    expect(of("/api/earthquake")).toEqual({
      providers: ["U.S. Geological Survey, Earthquake Hazards Program"],
      tables: ["earthquakes"],
      monitored: ["earthquakes"],
    })
  })

  it("says which feeds change it, and whether nothing else does", () => {
    const changedBy = (path: string) => {
      const { feeds, changesByItems } = provenance(path)
      return { feeds, changesByItems }
    }
    expect(changedBy("/api/predictions")).toEqual({ feeds: ["predictions"], changesByItems: true })
    expect(changedBy("/api/btc-price")).toEqual({ feeds: ["btc-price"], changesByItems: true })
    // It follows the clock; another instance publishes its changes; its window drops items; a processor builds it; unknown.
    expect(changedBy("/api/launches")).toEqual({ feeds: ["launches"], changesByItems: false })
    expect(changedBy("/api/earthquake")).toEqual({ feeds: ["earthquakes"], changesByItems: false })
    expect(changedBy("/api/wildfires")).toEqual({ feeds: ["wildfires"], changesByItems: false })
    expect(changedBy("/api/pro/correlation-matrix").changesByItems).toBe(false)
    expect(changedBy("/api/nothing")).toEqual({ feeds: [], changesByItems: false })
  })

  it("has the table of a view of its own, also of one that no feed fills", () => {
    expect(of("/api/pro/correlation-matrix").tables).toEqual(["correlations", "economic_series"])
    expect(of("/api/pro/world-deltas").tables[0]).toBe("world_deltas")
    expect(of("/api/feed-reliability")).toEqual({ providers: [], tables: ["feed_probes"], monitored: [] })
    expect(of("/api/pro/feed-reliability/history").tables).toEqual(["feed_reliability_daily"])
    expect(of("/api/ai-stats").tables).toEqual(["requests_by_minute"])
  })

  it("leads to every table but those of the ledger, and those of every feed and view, from some endpoint of data", () => {
    const reached = new Set(endpoints.filter(isData).flatMap(({ path }) => of(path).tables))
    const all = [...tables, ...tableViews].map(({ name }) => name)
    expect(all.filter((name) => !reached.has(name))).toEqual([
      "credit_entries",
      "item_changes",
      "purchases",
      "view_versions",
      "premium_calls",
      "purchases_now",
    ])
  })
})
