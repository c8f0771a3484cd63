import { describe, expect, it } from "vitest"
import { isView } from "../../schemas/contract/endpoint-kinds.ts"
import { noProvenance } from "../../schemas/contract/provenance.ts"
import { endpoints } from "../../schemas/registry.ts"
import { livePages } from "./live.ts"

const made = (feeds: ReadonlyArray<string>, changesByItems = true) => ({
  endpoints,
  provenance: () => ({ ...noProvenance, feeds, changesByItems }),
})
const stating = endpoints.filter(isView).find(({ changes }) => changes.length > 0)
const [{ feed } = { feed: { name: "none" } }] = stating?.changes ?? []

describe("how a page is kept current", () => {
  it("is by the changes of its feeds alone where each change of the reply is one of an item", () => {
    expect(livePages(made([feed.name])).of("/api/climate/earthquakes")).toEqual({
      feeds: [feed.name],
      ttlMs: 120_000,
      followsClock: false,
    })
  })

  it("is by the clock too where other things change it, and where a feed states no changes here", () => {
    expect(livePages(made([feed.name], false)).of("/api/climate/earthquakes").followsClock).toBe(true)
    expect(livePages(made([feed.name, "of-none"])).of("/api/climate/earthquakes")).toEqual({
      feeds: [feed.name],
      ttlMs: 120_000,
      followsClock: true,
    })
    // The endpoint that states its changes is not offered.
    const { provenance } = made([feed.name])
    const others = endpoints.filter(
      (endpoint) => !isView(endpoint) || endpoint.changes.every((one) => one.feed !== feed),
    )
    expect(livePages({ endpoints: others, provenance }).of("/api/earthquake").feeds).toEqual([])
  })

  it("reads no reply oftener than four times a minute by the clock, however short its reuse is", () => {
    expect(livePages({ endpoints }).of("/api/nothing")).toEqual({ feeds: [], ttlMs: 15_000, followsClock: true })
  })
})
