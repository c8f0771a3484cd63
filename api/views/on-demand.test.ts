import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { instant } from "../../schemas/event.ts"
import { type Demand, type DemandedView, DemandFailed } from "../../schemas/ports/demand.ts"
import { apiUnderTest, START_MS } from "../testing/api-under-test.ts"
import { waitFor } from "../testing/wait-for.ts"

const MINUTE_MS = 60_000

const demanded = (atMs: number, temperature: number): DemandedView => ({
  body: { v: 2, changedAt: instant(atMs), data: { temperature } },
  freshness: {
    v: 1,
    asOf: instant(atMs),
    staleAfter: instant(atMs + 20 * MINUTE_MS),
    sources: [
      {
        name: "A.weather",
        status: "live",
        fetched_at: instant(atMs),
        latency_ms: 9,
        staleAfter: instant(atMs + 20 * MINUTE_MS),
      },
    ],
  },
})

type Outcome = DemandedView | DemandFailed | "never"

/** A demand whose next outcomes are set by the test, and which notes what it was asked. */
const fakeDemand = () => {
  const asked: Array<string> = []
  const state: { outcome: Outcome; release: () => void } = { outcome: "never", release: () => undefined }
  const gate = { closed: false, waiting: [] as Array<() => void> }
  const demand: Demand = {
    observe: (path, parameters) =>
      Effect.promise(async () => {
        asked.push(`${path} ${parameters.lat},${parameters.lon}`)
        if (gate.closed || state.outcome === "never") await new Promise<void>((resolve) => gate.waiting.push(resolve))
      }).pipe(
        Effect.andThen(() =>
          state.outcome === "never"
            ? Effect.never
            : state.outcome instanceof DemandFailed
              ? Effect.fail(state.outcome)
              : Effect.succeed(state.outcome),
        ),
      ),
  }
  return {
    demand,
    asked,
    answer: (outcome: Outcome) => {
      state.outcome = outcome
    },
    close: () => {
      gate.closed = true
    },
    open: () => {
      gate.closed = false
      for (const resolve of gate.waiting.splice(0)) resolve()
    },
  }
}

const URL_A = "/api/place?lat=34.051&lon=-118.24"

describe("an on-demand reply", () => {
  it("is that of the first request's fetch when it ends in time, and serves later requests", async () => {
    const fake = fakeDemand()
    const { app } = await apiUnderTest({ demand: fake.demand })
    fake.answer(demanded(START_MS, 20))
    const first = await app.inject({ url: URL_A })
    expect(first.statusCode).toBe(200)
    expect(first.json()).toMatchObject({ endpoint: "place", data: { temperature: 20 }, _meta: { stale: false } })
    expect(first.headers["cache-control"]).toContain("max-age=600")
    expect((await app.inject({ url: "/api/place?lat=34.05&lon=-118.2400" })).json().data.temperature).toBe(20)
    expect(fake.asked).toEqual(["/api/place 34.05,-118.24"])
  })

  it("is sent at once while it is older, and refreshed behind", async () => {
    const fake = fakeDemand()
    const { app, moveTo } = await apiUnderTest({ demand: fake.demand })
    fake.answer(demanded(START_MS, 20))
    await app.inject({ url: URL_A })
    moveTo(START_MS + 10 * MINUTE_MS)
    fake.answer(demanded(START_MS + 10 * MINUTE_MS, 25))
    fake.close()
    expect((await app.inject({ url: URL_A })).json().data.temperature).toBe(20)
    expect((await app.inject({ url: URL_A })).json().data.temperature).toBe(20)
    expect(fake.asked).toHaveLength(2)
    fake.open()
    await waitFor(async () => expect((await app.inject({ url: URL_A })).json().data.temperature).toBe(25))
    expect(fake.asked).toHaveLength(2)
  })

  it("is waited for when it is older than six times its time to live, and last good data is sent when nothing comes", async () => {
    const fake = fakeDemand()
    const { app, moveTo } = await apiUnderTest({ demand: fake.demand })
    fake.answer(demanded(START_MS, 20))
    await app.inject({ url: URL_A })
    moveTo(START_MS + 60 * MINUTE_MS)
    fake.answer(new DemandFailed({ reason: "upstream_failed", retryAfterSeconds: 60 }))
    const kept = await app.inject({ url: URL_A })
    expect(kept.json()).toMatchObject({ data: { temperature: 20 }, _meta: { stale: true } })
    moveTo(START_MS + 62 * MINUTE_MS)
    fake.answer(demanded(START_MS + 62 * MINUTE_MS, 30))
    expect((await app.inject({ url: URL_A })).json().data.temperature).toBe(30)
  })

  it("is warming when the fetch does not end in time, and has its data afterwards", async () => {
    const fake = fakeDemand()
    const { app } = await apiUnderTest({ demand: fake.demand, limits: { demandWaitMs: 30 } })
    fake.close()
    fake.answer(demanded(START_MS, 20))
    const { statusCode, headers, ...reply } = await app.inject({ url: URL_A })
    expect(statusCode).toBe(200)
    expect(reply.json()).toMatchObject({ data: null, _meta: { warming: true, stale: true } })
    expect(reply.json()._meta.reason).toMatch(/^pending: /)
    expect(headers).toMatchObject({ "cache-control": "no-store", "retry-after": "1" })
    fake.open()
    await waitFor(async () => expect((await app.inject({ url: URL_A })).json().data).toEqual({ temperature: 20 }))
    expect(fake.asked).toHaveLength(1)
  })

  it("fetches again after the clock was years ahead and was corrected, for failed and for fetched keys", async () => {
    const yearsMs = 5 * 365 * 24 * 60 * MINUTE_MS
    const fake = fakeDemand()
    const { app, moveTo } = await apiUnderTest({ demand: fake.demand })
    moveTo(START_MS + yearsMs)
    fake.answer(new DemandFailed({ reason: "upstream_failed", retryAfterSeconds: 60 }))
    await app.inject({ url: URL_A })
    moveTo(START_MS)
    fake.answer(demanded(START_MS + yearsMs, 20))
    expect((await app.inject({ url: URL_A })).json()).toMatchObject({ data: { temperature: 20 } })
    fake.answer(demanded(START_MS, 21))
    expect((await app.inject({ url: URL_A })).json()).toMatchObject({ data: { temperature: 21 } })
  })

  it("leaves a key alone for as long as a failure said", async () => {
    const fake = fakeDemand()
    const { app, moveTo } = await apiUnderTest({ demand: fake.demand })
    fake.answer(new DemandFailed({ reason: "budget_exhausted", retryAfterSeconds: 45 }))
    for (let at = 0; at < 5; at++) {
      const { headers, statusCode, ...reply } = await app.inject({ url: URL_A })
      expect(statusCode).toBe(200)
      // Also the first one: it has waited for the answer, and says what that was.
      expect(reply.json()._meta).toMatchObject({ warming: true, reason: expect.stringMatching(/^budget_exhausted: /) })
      expect(headers["retry-after"]).toBe("45")
    }
    expect(fake.asked).toHaveLength(1)
    moveTo(START_MS + 45_000)
    fake.answer(demanded(START_MS + 45_000, 20))
    expect((await app.inject({ url: URL_A })).json().data.temperature).toBe(20)
  })

  it("has the reason for missing data when its source failed", async () => {
    const fake = fakeDemand()
    const { app } = await apiUnderTest({ demand: fake.demand })
    const { freshness } = demanded(START_MS, 0)
    const source = {
      name: "A.weather",
      status: "error" as const,
      fetched_at: null,
      latency_ms: 3,
      reason: "timeout",
      staleAfter: null,
    }
    fake.answer({ body: null, freshness: { ...freshness, asOf: null, staleAfter: null, sources: [source] } })
    const { headers, ...reply } = await app.inject({ url: URL_A })
    expect(reply.json()).toMatchObject({ data: null, _meta: { warming: true, sources: [{ reason: "timeout" }] } })
    expect(headers).toHaveProperty("retry-after")
    await app.inject({ url: URL_A })
    expect(fake.asked).toHaveLength(1)
  })

  it("is fetched once for many callers, of whom a bounded number waits", async () => {
    const fake = fakeDemand()
    const { app } = await apiUnderTest({ demand: fake.demand, limits: { demandWaitersMax: 5, demandWaitMs: 10_000 } })
    fake.close()
    fake.answer(demanded(START_MS, 20))
    let open = 0
    const askFrom = (remoteAddress: string) =>
      Array.from({ length: 20 }, () => {
        open += 1
        return app.inject({ url: URL_A, remoteAddress }).then((reply) => {
          open -= 1
          return reply.json().data
        })
      })
    // All addresses of one provider together may hold half of the places.
    const replies = askFrom("192.0.2.1")
    await waitFor(() => expect(open).toBe(3))
    replies.push(...askFrom("192.0.77.1"))
    await waitFor(() => expect(open).toBe(3))
    replies.push(...askFrom("198.51.100.1"))
    await waitFor(() => expect(open).toBe(5))
    fake.open()
    const data = await Promise.all(replies)
    expect(data.filter((one) => one === null)).toHaveLength(55)
    expect(data.filter((one) => one?.temperature === 20)).toHaveLength(5)
    expect(fake.asked).toHaveLength(1)
  })

  it("takes a bounded number of new keys from one client in a minute", async () => {
    const fake = fakeDemand()
    const { app, moveTo } = await apiUnderTest({
      demand: fake.demand,
      trustedProxies: ["127.0.0.1"],
      limits: { demandFetchesPerMinute: 3 },
    })
    fake.answer(demanded(START_MS, 20))
    const ask = (lat: number, client: string) =>
      app.inject({ url: `/api/place?lat=${lat}&lon=0`, headers: { "x-forwarded-for": client } })
    for (const lat of [1, 2, 3]) expect((await ask(lat, "192.0.2.1")).statusCode).toBe(200)
    const refused = await ask(4, "192.0.2.1")
    expect(refused.statusCode).toBe(429)
    expect(refused.json()).toMatchObject({ error: "rate_limited", retry_after_seconds: 60 })
    expect((await ask(1, "192.0.2.1")).statusCode).toBe(200)
    expect((await ask(4, "192.0.2.2")).statusCode).toBe(200)
    moveTo(START_MS + MINUTE_MS)
    expect((await ask(5, "192.0.2.1")).statusCode).toBe(200)
  })

  it("counts the refreshes of a client, by the minute and by the day, and sends what there is beyond", async () => {
    const fake = fakeDemand()
    const limits = { demandFetchesPerMinute: 3, demandFetchesPerDay: 4 }
    const { app, moveTo } = await apiUnderTest({ demand: fake.demand, trustedProxies: ["127.0.0.1"], limits })
    fake.answer(demanded(START_MS, 20))
    const ask = (client: string, lat = 1) =>
      app.inject({ url: `/api/place?lat=${lat}&lon=0`, headers: { "x-forwarded-for": client } })
    await ask("192.0.2.1")
    // Older than its time to live from now on, however often it is fetched.
    for (let minute = 11; minute <= 20; minute++) {
      moveTo(START_MS + minute * MINUTE_MS)
      for (let times = 0; times < 3; times++) {
        expect((await ask("192.0.2.1")).json().data).toEqual({ temperature: 20 })
        // A round trip: the refresh behind the reply has ended.
        await app.inject({ url: "/api/health" })
      }
    }
    expect(fake.asked).toHaveLength(4)
    expect((await ask("192.0.2.1", 2)).statusCode).toBe(429)
    await ask("198.51.100.1")
    expect(fake.asked).toHaveLength(5)
  })

  it("gives a /48 and a /32 their parts, and keeps one for clients of other providers that have fetched little", async () => {
    const fake = fakeDemand()
    const limits = { demandFetchesPerMinute: 6, demandFetchesPerMinuteInAll: 20, demandFetchesOfNewClient: 2 }
    const { app } = await apiUnderTest({ demand: fake.demand, trustedProxies: ["127.0.0.1"], limits })
    fake.answer(demanded(START_MS, 20))
    let lat = 0
    const granted = async (client: string, times: number) => {
      let count = 0
      for (let asked = 0; asked < times; asked++) {
        lat += 1
        const url = `/api/place?lat=${lat}&lon=0`
        const { statusCode } = await app.inject({ url, headers: { "x-forwarded-for": client } })
        count += statusCode === 200 ? 1 : 0
      }
      return count
    }
    let ofNetwork = 0
    for (let at = 0; at < 10; at++) ofNetwork += await granted(`2001:db8:1:${at}::1`, 3)
    expect(ofNetwork).toBe(7)
    let ofProvider = ofNetwork
    for (let at = 2; at < 7; at++) ofProvider += await granted(`2001:db8:${at}::1`, 3)
    expect(ofProvider).toBe(10)
    expect(await granted("192.0.2.1", 10)).toBe(5)
    expect(await granted("198.51.100.1", 10)).toBe(2)
    expect(await granted("203.0.113.1", 10)).toBe(2)
  })

  it("fetches a bounded number of keys at the same time", async () => {
    const fake = fakeDemand()
    const { app } = await apiUnderTest({ demand: fake.demand, limits: { demandFlightsMax: 2, demandWaitMs: 20 } })
    for (const lat of [1, 2, 3, 4]) {
      const { statusCode, ...reply } = await app.inject({ url: `/api/place?lat=${lat}&lon=0` })
      expect([statusCode, reply.json().data]).toEqual([200, null])
    }
    expect(fake.asked).toHaveLength(2)
  })

  it("serves both defaults for a wrong coordinate", async () => {
    const fake = fakeDemand()
    const { app } = await apiUnderTest({ demand: fake.demand })
    fake.answer(demanded(START_MS, 20))
    for (const query of ["", "?lat=NaN&lon=10", "?lat=10", "?lat=10&lon=999"])
      expect((await app.inject({ url: `/api/air${query}` })).statusCode).toBe(200)
    expect(fake.asked).toEqual(["/api/air 34.05,-118.24"])
  })

  it("answers without an ingest role", async () => {
    const { app } = await apiUnderTest({ demand: null })
    const { statusCode, ...reply } = await app.inject({ url: URL_A })
    expect([statusCode, reply.json().data]).toEqual([200, null])
  })

  it("survives a defect of the adapter", async () => {
    const { app } = await apiUnderTest({ demand: { observe: () => Effect.die("broken") } })
    expect((await app.inject({ url: URL_A })).statusCode).toBe(200)
    expect((await app.inject({ url: URL_A })).headers["retry-after"]).toBe("10")
  })
})
