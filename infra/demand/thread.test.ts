import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import { type Demand, type DemandedView, DemandFailed } from "../../schemas/ports/demand.ts"
import { answerDemand, type DemandedMessage, makeThreadDemand } from "./thread.ts"

const view: DemandedView = {
  body: { v: 2, changedAt: "2026-08-17T20:35:00.000Z", data: { temperature: 20 } },
  freshness: { v: 1, asOf: "2026-08-17T20:35:00.000Z", staleAfter: null, sources: [] },
}
const observing = (observe: Demand["observe"]): Demand => ({ observe })
const failing = (failed: DemandFailed) => observing(() => Effect.fail(failed))

/** Both ends, with messages copied as they are between threads. */
const connect = (demand: Demand | null, timeoutMs?: number) => {
  const answers: Array<DemandedMessage> = []
  const client = makeThreadDemand({
    send: (message) => {
      Effect.runFork(
        Effect.map(answerDemand(demand, structuredClone(message)), (answer) => {
          answers.push(answer)
          client.answered(structuredClone(answer))
        }),
      )
    },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })
  return {
    answers,
    client,
    ask: () => Effect.runPromise(Effect.exit(client.demand.observe("/api/place", { lat: "1" }))),
  }
}

describe("demand between threads", () => {
  it("brings the view that was observed, each request its own", async () => {
    const asked: Array<unknown> = []
    const { client } = connect(
      observing((path, parameters) =>
        Effect.sync(() => {
          asked.push({ path, parameters })
          return { ...view, body: { v: 2 as const, changedAt: "2026-08-17T20:35:00.000Z", data: parameters } }
        }).pipe(Effect.delay(parameters.lat === "1" ? "5 millis" : "0 millis")),
      ),
    )
    const observe = (lat: string) => Effect.runPromise(client.demand.observe("/api/place", { lat }))
    const [first, second] = await Promise.all([observe("1"), observe("2")])
    expect([first.body?.data, second.body?.data]).toEqual([{ lat: "1" }, { lat: "2" }])
    expect(asked).toEqual([
      { path: "/api/place", parameters: { lat: "2" } },
      { path: "/api/place", parameters: { lat: "1" } },
    ])
  })

  it("passes every refusal on with its members", async () => {
    for (const refusal of [
      new DemandFailed({ reason: "budget_exhausted", retryAfterSeconds: 60 }),
      new DemandFailed({ reason: "not_configured", retryAfterSeconds: 5, restingSources: ["Provider.metric"] }),
    ])
      expect(await connect(failing(refusal)).ask()).toEqual(Exit.fail(refusal))
  })

  it("is unavailable while nothing ingests, and where observing has a defect", async () => {
    const unavailable = Exit.fail(new DemandFailed({ reason: "unavailable", retryAfterSeconds: 5 }))
    expect(await connect(null).ask()).toEqual(unavailable)
    expect(await connect(observing(() => Effect.die(new Error("a defect")))).ask()).toEqual(unavailable)
  })

  it("refuses after its timeout, and ignores the answer that comes later", async () => {
    const { promise, resolve } = Promise.withResolvers<DemandedView>()
    const { ask, answers } = connect(
      observing(() => Effect.promise(() => promise)),
      10,
    )
    expect(await ask()).toEqual(Exit.fail(new DemandFailed({ reason: "timeout", retryAfterSeconds: 5 })))
    resolve(view)
    await expect.poll(() => answers.length).toBe(1)
  })
})
