import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import Fastify from "fastify"
import { describe, expect, it, onTestFinished } from "vitest"
import { DemandFailed } from "../../schemas/ports/demand.ts"
import { demandRoutes, makeHttpObserve } from "./http.ts"
import type { Observe, ObserveRequest } from "./observe.ts"
import { weatherObservation } from "./testing/observation.ts"

const SECRET = "0123456789abcdef"
const here: ObserveRequest = { feed: "weather", parameters: { lat: "1", lon: "2" } }

const serve = async (current: () => Observe | null) => {
  const app = Fastify()
  await app.register(demandRoutes(current, [SECRET]))
  const url = await app.listen({ host: "127.0.0.1", port: 0 })
  onTestFinished(() => app.close())
  return { app, url }
}

const answering =
  (asked: Array<unknown> = []): Observe =>
  (request) =>
    Effect.sync(() => {
      asked.push(request)
      return [weatherObservation]
    })

const ask = (
  urls: ReadonlyArray<string>,
  options: { secret?: string; timeoutMs?: number; times?: number; request?: ObserveRequest } = {},
) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const { times = 1, request = here, ...rest } = options
        const observe = yield* makeHttpObserve({ urls, secret: SECRET, ...rest })
        for (let more = times - 1; more > 0; more--) yield* observe(request)
        return yield* Effect.exit(observe(request))
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
  it("brings what was observed, of one instance and of those that a view reads", async () => {
    const asked: Array<unknown> = []
    const { url } = await serve(() => answering(asked))
    const view: ObserveRequest = {
      path: "/api/place",
      parameters: { lat: "1" },
      reads: [{ feed: "weather", parameters: { lat: "1" } }],
    }
    expect(await ask([url])).toEqual(Exit.succeed([weatherObservation]))
    expect(await ask([url], { request: view })).toEqual(Exit.succeed([weatherObservation]))
    expect(asked).toEqual([here, view])
  })

  it("observes nothing for a request that names no instance, more than a view reads, or a text that is too long", async () => {
    const asked: Array<unknown> = []
    const { url } = await serve(() => answering(asked))
    const read = { feed: "weather", parameters: {} }
    const view = { path: "/api/place", parameters: {}, reads: [read] }
    const long = "x".repeat(513)
    for (const wrong of [
      { ...view, reads: [] },
      { ...view, reads: Array.from({ length: 65 }, () => read) },
      { ...view, reads: [{ feed: "weather" }] },
      { ...view, path: long },
      { ...read, parameters: { lat: long } },
    ])
      expect(await ask([url], { request: wrong as unknown as ObserveRequest })).toEqual(failure("unavailable", 5))
    expect(asked).toEqual([])
  })

  it("asks the next process when one is a standby or cannot be reached, and remembers which answered", async () => {
    let standbyAsked = 0
    const standby = await serve(() => {
      standbyAsked += 1
      return null
    })
    const active = await serve(() => answering())
    expect(await ask([await nowhere(), standby.url, active.url], { times: 3 })).toEqual(
      Exit.succeed([weatherObservation]),
    )
    expect(standbyAsked).toBe(1)
  })

  it("reports that no server is there", async () => {
    const standby = await serve(() => null)
    expect(await ask([])).toEqual(failure("unavailable", 5))
    expect(await ask([await nowhere(), standby.url])).toEqual(failure("unavailable", 5))
  })

  it("passes a refusal on, without asking anybody else", async () => {
    const refused = new DemandFailed({ reason: "budget_exhausted", retryAfterSeconds: 77 })
    const { url } = await serve(() => () => Effect.fail(refused))
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
    const { url } = await serve(() => () => Effect.fail(refused))
    expect(await ask([url])).toEqual(Exit.fail(refused))
  })

  it("does not wait for ever", async () => {
    const { url } = await serve(() => () => Effect.never)
    expect(await ask([url], { timeoutMs: 150 })).toEqual(failure("timeout", 5))
  })

  it("refuses who does not know the secret, before it looks at anything else", async () => {
    const asked: Array<unknown> = []
    const { url } = await serve(() => answering(asked))
    expect(await ask([url], { secret: "fedcba9876543210" })).toEqual(failure("unavailable", 5))
    expect(asked).toEqual([])
  })

  it("does not take an answer that is none", async () => {
    const damaged = { ...weatherObservation, data: {} }
    for (const answer of [{ observations: 1 }, { observations: [] }, { observations: [damaged] }]) {
      const app = Fastify()
      app.post("/internal/demand", () => answer)
      const url = await app.listen({ host: "127.0.0.1", port: 0 })
      onTestFinished(() => app.close())
      expect(await ask([url])).toEqual(failure("unavailable", 5))
    }
  })
})
