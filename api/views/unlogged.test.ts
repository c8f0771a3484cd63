import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { endpoint } from "../../schemas/contract/endpoint.ts"
import { instant } from "../../schemas/event.ts"
import { type Demand, DemandFailed } from "../../schemas/ports/demand.ts"
import { freshnessKey } from "../../schemas/view-record.ts"
import { apiUnderTest, contract, START_MS } from "../testing/api-under-test.ts"
import { waitFor } from "../testing/wait-for.ts"
import { ViewStore } from "./store.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const host = endpoint({
  path: "/api/host",
  name: "host",
  kind: "on-demand",
  tier: "free",
  ttl: "1 hour",
  prepared: [{}],
  unlogged: true,
  summary: "A host",
  description: "",
  parameters: { ip: { schema: Schema.NonEmptyString, description: "Address", optional: true, example: "1.1.1.1" } },
  data: Schema.Struct({ open: Schema.Finite }),
  example: { open: 1 },
})
const URL_A = "/api/host?ip=9.9.9.9"

const viewAt = (atMs: number, open: number) => ({
  body: { v: 2 as const, changedAt: instant(atMs), data: { open } },
  freshness: { v: 1 as const, asOf: instant(atMs), staleAfter: instant(atMs + 2 * HOUR_MS), sources: [] },
})

/** An API with the endpoint, whose fetches succeed until `fail` is called. */
const hosts = async () => {
  const asked: Array<string | undefined> = []
  const state = { nowMs: START_MS, isFailing: false }
  const demand: Demand = {
    observe: (_, { ip }) =>
      Effect.suspend(() => {
        asked.push(ip)
        return state.isFailing
          ? Effect.fail(new DemandFailed({ reason: "upstream_failed", retryAfterSeconds: 1 }))
          : Effect.succeed(viewAt(state.nowMs, asked.length))
      }),
  }
  const made = await apiUnderTest({ endpoints: [...contract, host], demand })
  const moveTo = (atMs: number) => {
    state.nowMs = atMs
    made.moveTo(atMs)
  }
  return { ...made, asked, moveTo, fail: () => Object.assign(state, { isFailing: true }) }
}

describe("a reply of an unlogged endpoint", () => {
  it("serves later requests from memory, and is for no shared cache", async () => {
    const { app, asked } = await hosts()
    for (let times = 0; times < 2; times++) {
      const { headers, statusCode } = await app.inject({ url: URL_A })
      expect([statusCode, headers["cache-control"]]).toEqual([200, "private, max-age=3600, stale-if-error=86400"])
    }
    expect(asked).toEqual(["9.9.9.9"])
  })

  it("is forgotten a day after its last fetch, though the upstream fails meanwhile", async () => {
    const { app, store, moveTo, fail } = await hosts()
    const kept = () => store.sizes.onDemand
    await app.inject({ url: URL_A })
    moveTo(START_MS + 7 * HOUR_MS)
    await app.inject({ url: URL_A })
    fail()
    moveTo(START_MS + 31 * HOUR_MS - 1)
    // Nothing better is there: the last good data, with its age.
    expect((await app.inject({ url: URL_A })).json().data).toEqual({ open: 2 })
    expect(kept()).toBe(1)
    moveTo(START_MS + 31 * HOUR_MS)
    expect(kept()).toBe(0)
    expect((await app.inject({ url: URL_A })).json()).toMatchObject({ data: null, _meta: { warming: true } })
  })

  it("is forgotten where the clock was set back, and where the least recently used reply makes room", () => {
    let nowMs = START_MS
    const store = new ViewStore({ endpoints: [host], nowMs: () => nowMs, onDemandKeysMax: 2 })
    for (const ip of ["1", "2", "3"]) store.update(`/api/host?ip=${ip}`, viewAt(nowMs, 1))
    expect(["1", "2", "3"].map((ip) => store.get(`/api/host?ip=${ip}`) !== undefined)).toEqual([false, true, true])
    nowMs = START_MS - DAY_MS
    store.advance(nowMs)
    expect(store.sizes.onDemand).toBe(0)
  })

  it("stays where the log holds it too, and so does that of an endpoint whose requests are logged", async () => {
    const { app, store, moveTo, fill } = await hosts()
    await app.inject({ url: URL_A })
    const { body, freshness } = viewAt(START_MS, 7)
    const bytes = (value: unknown) => Buffer.from(JSON.stringify(value))
    const key = "/api/host?ip=9.9.9.9"
    const records = [
      { key, value: bytes(body) },
      { key: freshnessKey(key), value: bytes(freshness) },
    ]
    store.applyRecords(
      records.map((record, offset) => ({ ...record, offset })),
      2,
    )
    fill("/api/place?lat=1&lon=2", { temperature: 20 })
    moveTo(START_MS + 3 * DAY_MS)
    expect(store.sizes.onDemand).toBe(2)
    await waitFor(() => expect(store.get(key)?.representations.identity.bytes.toString()).toContain('"open":7'))
  })
})

describe("a reply of an on-demand endpoint that stands ready", () => {
  it("is never fetched on request, and warms until the fold has built it", async () => {
    const { app, asked, fill } = await hosts()
    expect((await app.inject({ url: "/api/host" })).json()).toMatchObject({ data: null, _meta: { warming: true } })
    fill("/api/host", { open: 3 })
    const { headers, ...reply } = await app.inject({ url: "/api/host" })
    expect(reply.json()).toMatchObject({ data: { open: 3 } })
    expect(headers["cache-control"]).toMatch(/^public, /)
    expect(asked).toEqual([])
  })

  it("is not crowded out by fetched ones, and stays when they are forgotten", () => {
    let nowMs = START_MS
    const store = new ViewStore({ endpoints: [host], nowMs: () => nowMs, onDemandKeysMax: 1 })
    store.update("/api/host", viewAt(nowMs, 3))
    for (const ip of ["1", "2", "3"]) store.update(`/api/host?ip=${ip}`, viewAt(nowMs, 1))
    nowMs += 2 * DAY_MS
    store.advance(nowMs)
    expect(store.sizes).toEqual({ fixed: 1, onDemand: 0 })
  })
})
