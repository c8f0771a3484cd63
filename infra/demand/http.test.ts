import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import Fastify from "fastify"
import { describe, expect, it, onTestFinished } from "vitest"
import { type Demand, type DemandedView, DemandFailed } from "../../schemas/ports/demand.ts"
import { demandRoutes, makeHttpDemand } from "./http.ts"

const SECRET = "0123456789abcdef"
const view: DemandedView = {
  body: { v: 2, changedAt: "2026-08-17T20:35:00.000Z", data: { temperature: 20 } },
  freshness: { v: 1, asOf: "2026-08-17T20:35:00.000Z", staleAfter: null, sources: [] },
}

const serve = async (current: () => Demand | null) => {
  const app = Fastify()
  await app.register(demandRoutes(current, [SECRET]))
  const url = await app.listen({ host: "127.0.0.1", port: 0 })
  onTestFinished(() => app.close())
  return { app, url }
}

const answering = (asked: Array<unknown> = []): Demand => ({
  observe: (path, parameters) =>
    Effect.sync(() => {
      asked.push({ path, parameters })
      return view
    }),
})

const ask = (urls: ReadonlyArray<string>, options: { secret?: string; timeoutMs?: number; times?: number } = {}) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const demand = yield* makeHttpDemand({ urls, secret: SECRET, ...options })
        for (let more = (options.times ?? 1) - 1; more > 0; more--) yield* demand.observe("/api/place", { lat: "1" })
        return yield* Effect.exit(demand.observe("/api/place", { lat: "1", lon: "2" }))
      }),
    ),
  )

const failure = (reason: DemandFailed["reason"], retryAfterSeconds: number) =>
  Exit.fail(new DemandFailed({ reason, retryAfterSeconds }))

/** An address without a server. */
const nowhere = async () => {
  const { app, url } = await serve(() => null)
  await app.close()
  return url
}

describe("demand over HTTP", () => {
  it("brings the view that was observed", async () => {
    const asked: Array<unknown> = []
    const { url } = await serve(() => answering(asked))
    expect(await ask([url])).toEqual(Exit.succeed(view))
    expect(asked).toEqual([{ path: "/api/place", parameters: { lat: "1", lon: "2" } }])
  })

  it("asks the next process when one is a standby or cannot be reached, and remembers which answered", async () => {
    let standbyAsked = 0
    const standby = await serve(() => {
      standbyAsked += 1
      return null
    })
    const active = await serve(() => answering())
    expect(await ask([await nowhere(), standby.url, active.url], { times: 3 })).toEqual(Exit.succeed(view))
    expect(standbyAsked).toBe(1)
  })

  it("reports that no server is there", async () => {
    const standby = await serve(() => null)
    expect(await ask([])).toEqual(failure("unavailable", 5))
    expect(await ask([await nowhere(), standby.url])).toEqual(failure("unavailable", 5))
  })

  it("passes a refusal on, without asking anybody else", async () => {
    const refused = new DemandFailed({ reason: "budget_exhausted", retryAfterSeconds: 77 })
    const { url } = await serve(() => ({ observe: () => Effect.fail(refused) }))
    const asked: Array<unknown> = []
    const other = await serve(() => answering(asked))
    expect(await ask([url, other.url])).toEqual(failure("budget_exhausted", 77))
    expect(asked).toEqual([])
  })

  it("passes on which sources rest", async () => {
    const refused = new DemandFailed({
      reason: "not_configured",
      retryAfterSeconds: 10,
      restingSources: ["A.weather", "B.weather"],
    })
    const { url } = await serve(() => ({ observe: () => Effect.fail(refused) }))
    expect(await ask([url])).toEqual(Exit.fail(refused))
  })

  it("does not wait for ever", async () => {
    const { url } = await serve(() => ({ observe: () => Effect.never }))
    expect(await ask([url], { timeoutMs: 150 })).toEqual(failure("timeout", 5))
  })

  it("refuses who does not know the secret, before it looks at anything else", async () => {
    const asked: Array<unknown> = []
    const { url } = await serve(() => answering(asked))
    expect(await ask([url], { secret: "fedcba9876543210" })).toEqual(failure("unavailable", 5))
    expect(asked).toEqual([])
  })

  it("does not take an answer that is none", async () => {
    const app = Fastify()
    app.post("/internal/demand", () => ({ body: 1 }))
    const url = await app.listen({ host: "127.0.0.1", port: 0 })
    onTestFinished(() => app.close())
    expect(await ask([url])).toEqual(failure("unavailable", 5))
  })
})
