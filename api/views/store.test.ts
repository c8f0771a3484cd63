import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import type { Endpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { freshnessKey, type ViewFreshness } from "../../schemas/view-record.ts"
import { apiUnderTest, contract, START_MS } from "../testing/api-under-test.ts"
import { ViewStore } from "./store.ts"

const at = (offsetMs: number) => new Date(START_MS + offsetMs).toISOString()
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))

const freshness = (asOfMs: number, staleAfterMs: number): ViewFreshness => ({
  v: 1,
  asOf: at(asOfMs),
  staleAfter: at(staleAfterMs),
  sources: [
    { name: "A.things", status: "live", fetched_at: at(asOfMs), latency_ms: 5, staleAfter: at(staleAfterMs) },
    { name: "B.things", status: "live", fetched_at: at(asOfMs), latency_ms: 5, staleAfter: at(staleAfterMs + 60_000) },
    { name: "C.things", status: null, fetched_at: null, latency_ms: null, reason: "timeout", staleAfter: at(0) },
  ],
})

const setUp = () => {
  let nowMs = START_MS
  const store = new ViewStore({ endpoints: contract, nowMs: () => nowMs, onDemandKeysMax: 3 })
  const body = (key: string) => {
    const prepared = store.get(key)
    if (prepared === undefined) return undefined
    return JSON.parse(prepared.representations.identity.bytes.toString())
  }
  const advance = async (offsetMs: number) => {
    nowMs = START_MS + offsetMs
    store.advance(nowMs)
    await store.settled()
  }
  let offset = 0
  const apply = (key: string, value: unknown) => {
    offset += 1
    return store.applyRecords([{ offset, key, value: value === null ? null : bytes(value) }], offset + 1)
  }
  return { store, body, advance, apply }
}

const fill = (apply: (key: string, value: unknown) => boolean, key: string, data: unknown) => {
  apply(key, { v: 2, changedAt: at(-1_000), data })
  apply(freshnessKey(key), freshness(-500, 300_000))
}

describe("of several changes", () => {
  const prepared = contract.filter(({ kind, tier }) => kind === "prepared" && tier === "free").map(({ path }) => path)
  const [first = "", second = "", small = ""] = prepared
  const words = (count: number) => ({ text: Array.from({ length: count }, (_, index) => index % 9973).join(" ") })
  const isThere = (store: ViewStore, path: string) => store.get(path)?.missing === null

  it("the smallest is prepared first", async () => {
    const { store, apply } = setUp()
    store.hold(true)
    fill(apply, first, words(40_000))
    fill(apply, second, words(30_000))
    fill(apply, small, words(3))
    store.hold(false)
    expect([first, second, small].filter((path) => isThere(store, path))).toEqual([small])
    await store.settled()
    expect([first, second, small].every((path) => isThere(store, path))).toBe(true)
  })

  it("one that is large leaves a place to those that are not, and another large one waits", async () => {
    const { store, apply } = setUp()
    fill(apply, first, words(800_000))
    fill(apply, second, words(900_000))
    fill(apply, small, words(3_000))
    const order: Array<string> = []
    while (order.length < 3) {
      for (const path of [small, first, second]) if (!order.includes(path) && isThere(store, path)) order.push(path)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(order).toEqual([small, first, second])
  })
})

describe("a premium view", () => {
  const premium = { ...contract[0], path: "/api/pro/things", name: "pro_things", tier: "premium" } as Endpoint
  const premiumSetUp = () => {
    const store = new ViewStore({ endpoints: [premium], nowMs: () => START_MS })
    const apply = (key: string, value: unknown) =>
      store.applyRecords([{ offset: 0, key, value: value === null ? null : bytes(value) }], 1)
    return { store, apply }
  }

  it("is parsed once for each version, and has no bytes that stand ready", async () => {
    const { store, apply } = premiumSetUp()
    expect(store.standing(premium.path)).toBeUndefined()
    apply(premium.path, { v: 2, changedAt: at(-1_000), data: { items: ["a"] } })
    apply(freshnessKey(premium.path), freshness(-500, 300_000))
    await store.settled()
    expect(store.get(premium.path)).toBeUndefined()
    const first = store.standing(premium.path)
    expect(first).toEqual({
      data: { changedAt: at(-1_000), value: { items: ["a"] } },
      freshness: freshness(-500, 300_000),
    })
    apply(freshnessKey(premium.path), freshness(0, 300_000))
    expect(store.standing(premium.path)?.data).toBe(first?.data)
    // The same instant, and other data.
    apply(premium.path, { v: 2, changedAt: at(-1_000), data: { items: ["b"] } })
    expect(store.standing(premium.path)?.data?.value).toEqual({ items: ["b"] })
  })

  it("without data still has the status of its sources", () => {
    const { store, apply } = premiumSetUp()
    apply(freshnessKey(premium.path), freshness(0, 1_000))
    expect(store.standing(premium.path)).toEqual({ data: null, freshness: freshness(0, 1_000) })
    apply(premium.path, { v: 2, changedAt: at(0), data: { items: [] } })
    apply(premium.path, null)
    expect(store.standing(premium.path)?.data).toBeNull()
    apply(freshnessKey(premium.path), null)
    expect(store.standing(premium.path)).toBeUndefined()
  })
})

describe("view store", () => {
  it("composes the envelopes", () => {
    const { apply, body } = setUp()
    fill(apply, "/api/things", { items: ["ö"] })
    expect(Object.keys(body("/api/things"))).toEqual(["source", "endpoint", "updated_at", "data", "_meta"])
    expect(body("/api/things")).toMatchObject({
      source: "tidewire",
      endpoint: "things",
      updated_at: at(-500),
      data: { items: ["ö"] },
      _meta: { as_of: at(-500), changed_at: at(-1_000), stale_after: at(300_000), stale: false },
    })
    fill(apply, "/api/digest", { summary: "one", sections: { count: 1 } })
    expect(Object.keys(body("/api/digest"))).toEqual(["source", "generated_at", "summary", "sections", "_meta"])
    fill(apply, "/api/digest", {})
    expect(Object.keys(body("/api/digest"))).toEqual(["source", "generated_at", "_meta"])
  })

  it("holds the same reply in every coding, each under its own tag", async () => {
    const { apply, store } = setUp()
    for (const size of [10, 100, 20_000]) {
      fill(apply, "/api/things", { items: Array.from({ length: size }, (_, index) => `thing ${index}`) })
      await store.settled()
      const { identity, gzip, br } = store.get("/api/things")?.representations ?? expect.fail("nothing prepared")
      const plain = identity.bytes.toString()
      if (gzip.coding === "gzip") expect(gunzipSync(gzip.bytes).toString()).toBe(plain)
      if (br.coding === "br") expect(brotliDecompressSync(br.bytes).toString()).toBe(plain)
      expect(JSON.parse(plain).data.items).toHaveLength(size)
      if (size > 10) expect(new Set([identity.etag, gzip.etag, br.etag]).size).toBe(3)
      for (const { etag } of [identity, gzip, br]) expect(etag).toMatch(/^"[\w-]+"$/)
    }
  })

  it("turns stale by itself, source by source, and only then changes its bytes", async () => {
    const { apply, advance, body, store } = setUp()
    fill(apply, "/api/things", { items: [] })
    const tag = () => store.get("/api/things")?.representations.identity.etag
    const before = tag()
    await advance(299_999)
    expect(tag()).toBe(before)
    await advance(300_000)
    expect(body("/api/things")._meta).toMatchObject({
      stale: true,
      sources: [
        { name: "A.things", status: "stale" },
        { name: "B.things", status: "live" },
        { name: "C.things", status: null },
      ],
    })
    await advance(360_000)
    expect(body("/api/things")._meta.sources[1]).toMatchObject({ status: "stale" })
    apply(freshnessKey("/api/things"), freshness(400_000, 900_000))
    expect(body("/api/things")._meta).toMatchObject({ stale: false, as_of: at(400_000) })
    await advance(899_999)
    expect(body("/api/things")._meta.stale).toBe(false)
    await advance(900_000)
    expect(body("/api/things")._meta.stale).toBe(true)
  })

  it("is stale while the clock is years ahead, and no longer when the clock is set right", async () => {
    const { apply, advance, body, store } = setUp()
    fill(apply, "/api/things", { items: [] })
    await advance(0)
    await advance(5 * 365 * 24 * 3_600_000)
    expect(body("/api/things")._meta.stale).toBe(true)
    await advance(1_000)
    expect(body("/api/things")._meta).toMatchObject({ stale: false, as_of: at(-500) })
    await advance(300_000)
    expect(body("/api/things")._meta.stale).toBe(true)
    await advance(-5 * 365 * 24 * 3_600_000)
    expect(body("/api/things")._meta.stale).toBe(false)
    // Seen from there its data is of the future, which is as far away as the past.
    expect(store.ageMs("/api/things")).toBeGreaterThan(365 * 24 * 3_600_000)
  })

  it("never shows the members that are its own", () => {
    const { apply, body } = setUp()
    fill(apply, "/api/things", { items: [] })
    expect(JSON.stringify(body("/api/things"))).not.toMatch(/staleAfter|asOf|"v":/)
  })

  it("is warming, with a reason, while there is a freshness and no body", () => {
    const { apply, body, store } = setUp()
    apply(freshnessKey("/api/things"), freshness(0, 60_000))
    expect(body("/api/things")).toMatchObject({
      updated_at: null,
      data: null,
      _meta: { as_of: null, warming: true, reason: "timeout", stale: true, sources: [{}, {}, { reason: "timeout" }] },
    })
    expect(store.get("/api/things")?.missing).toEqual({ resting: false, reason: "timeout" })
    expect(store.ageMs("/api/things")).toBe(null)
  })

  it("removes a view whose records were removed", () => {
    const { apply, store } = setUp()
    fill(apply, "/api/things", { items: [] })
    apply("/api/things", null)
    apply(freshnessKey("/api/things"), null)
    expect(store.get("/api/things")).toBeUndefined()
  })

  it("prepares the newest of many changes of a large body", async () => {
    const { apply, body, store } = setUp()
    for (let version = 0; version < 20; version++) {
      apply("/api/things", {
        v: 2,
        changedAt: at(version),
        data: { items: Array.from({ length: 5_000 }, () => `version ${version}`) },
      })
      if (version % 7 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    await store.settled()
    expect(body("/api/things").data.items[0]).toBe("version 19")
    expect(body("/api/things").updated_at).toBe(at(19))
  })

  it("stops at a record newer than itself and goes on serving what it has", () => {
    const { apply, body, store } = setUp()
    fill(apply, "/api/things", { items: ["last good"] })
    const offset = store.nextOffset
    expect(apply("/api/things", { v: 3, changedAt: at(0), data: {} })).toBe(false)
    expect(store.halted).toMatch(/newer/)
    expect(apply("/api/things", { v: 2, changedAt: at(0), data: { items: ["later"] } })).toBe(false)
    expect(store.nextOffset).toBe(offset)
    expect(body("/api/things").data.items).toEqual(["last good"])
  })

  it("halts at a record of an older version, with the remedy", () => {
    const { apply, store } = setUp()
    expect(apply("/api/things", { v: 1, updatedAt: at(0), data: {} })).toBe(false)
    expect(store.halted).toMatch(/before the first release: begin with an empty log/)
  })

  it("keeps a view as it was at a record that is none, with its age, and goes on with the others", async () => {
    for (const value of [{ v: "2" }, { v: 2, data: 1 }, 1, null, "x", {}]) {
      const { apply, advance, body, store } = setUp()
      fill(apply, "/api/things", { items: ["last good"] })
      const damaged = { offset: 8, key: "/api/things", value: bytes(value) }
      expect(store.applyRecords([damaged], 9)).toBe(true)
      expect([store.halted, [...store.stopped.keys()]]).toEqual([null, ["/api/things"]])
      // The freshness of a body that could not be read is not that of the body that is served.
      apply(freshnessKey("/api/things"), freshness(250_000, 900_000))
      fill(apply, "/api/digest", { summary: "on", sections: { count: 1 } })
      await advance(310_000)
      expect(body("/api/things").data.items).toEqual(["last good"])
      expect(body("/api/things")._meta).toMatchObject({ as_of: at(-500), stale: true })
      expect(body("/api/digest").summary).toBe("on")
      apply("/api/things", { v: 2, changedAt: at(240_000), data: { items: ["anew"] } })
      await store.settled()
      expect(body("/api/things").data.items).toEqual(["anew"])
      expect(body("/api/things")._meta).toMatchObject({ as_of: at(250_000), stale: false })
      expect(store.stopped.size).toBe(0)
    }
  })

  it("serves the body beside a freshness that is none, with the age before", async () => {
    const { apply, body, store } = setUp()
    fill(apply, "/api/things", { items: ["a"] })
    apply(freshnessKey("/api/things"), { v: 1, sources: 5 })
    apply("/api/things", { v: 2, changedAt: at(0), data: { items: ["b"] } })
    await store.settled()
    expect([...store.stopped.keys()]).toEqual(["/api/things"])
    expect(body("/api/things").data.items).toEqual(["b"])
    expect(body("/api/things")._meta.as_of).toBe(at(-500))
  })

  it("ignores views of endpoints that it does not serve", () => {
    const { apply, store } = setUp()
    expect(apply("/api/of-tomorrow", { v: 2, changedAt: at(0), data: {} })).toBe(true)
    expect(store.sizes).toEqual({ fixed: 0, onDemand: 0 })
  })

  it("keeps a bounded number of bytes of on-demand keys, and one that alone is larger", () => {
    const { store, apply } = setUp()
    const place = (at: number) => `/api/place?lat=${at}&lon=0`
    const large = { text: "x".repeat(3 * 1024 * 1024) }
    for (let at = 0; at < 3; at += 1) fill(apply, place(at), large)
    expect(store.sizes.onDemand).toBe(2)
    fill(apply, place(3), { text: "x".repeat(9 * 1024 * 1024) })
    expect([store.sizes.onDemand, store.dataOf(place(3))?.data]).toEqual([1, expect.anything()])
  })

  it("keeps a bounded number of on-demand keys", () => {
    const { apply, store } = setUp()
    for (let at = 0; at < 10; at++) fill(apply, `/api/place?lat=${at}&lon=0`, { temperature: at })
    expect(store.sizes.onDemand).toBe(3)
    expect(store.get("/api/place?lat=9&lon=0")).toBeDefined()
    expect(store.get("/api/place?lat=0&lon=0")).toBeUndefined()
  })

  it("does not let an older view that was demanded replace a newer one from the log", () => {
    const { apply, body, store } = setUp()
    fill(apply, "/api/place?lat=1&lon=0", { temperature: 20 })
    store.update("/api/place?lat=1&lon=0", {
      body: { v: 2, changedAt: at(-90_000), data: { temperature: 10 } },
      freshness: freshness(-90_000, 60_000),
    })
    expect(body("/api/place?lat=1&lon=0").data.temperature).toBe(20)
  })
})

describe("the line of credit that the terms of a source require", () => {
  it("stands in _meta beside its name, and in that of the source that stands in", async () => {
    const credits = new Map([["Provider.things", "Things by Provider"]])
    const { app, fill, store } = await apiUnderTest({ credits })
    fill("/api/things", { items: ["one"] })
    await store.settled()
    const sourcesOf = async () => (await app.inject({ url: "/api/things" })).json()._meta.sources
    expect(await sourcesOf()).toMatchObject([{ name: "Provider.things", credit: "Things by Provider" }])
    const { freshness } = store.dataOf("/api/things") ?? {}
    if (freshness === undefined || freshness === null) throw new Error("the view has no freshness")
    const sources = freshness.sources.map(({ credit: _, ...source }) => source)
    store.update("/api/things", {
      freshness: { ...freshness, sources: sources.map((one) => ({ ...one, fallback_source: "Another.things" })) },
    })
    await store.settled()
    expect((await sourcesOf())[0]).not.toHaveProperty("credit")
  })
})
