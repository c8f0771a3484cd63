import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import { DemandFailed } from "../../schemas/ports/demand.ts"
import type { Observe } from "./observe.ts"
import { weatherObservation } from "./testing/observation.ts"
import { answerDemand, type DemandedMessage, makeThreadObserve } from "./thread.ts"

const failing =
  (failed: DemandFailed): Observe =>
  () =>
    Effect.fail(failed)
const requestOf = (lat: string) => ({ feed: "weather", parameters: { lat } })

/** Both ends, with messages copied as they are between threads. */
const connect = (observe: Observe | null, timeoutMs?: number) => {
  const answers: Array<DemandedMessage> = []
  const client = makeThreadObserve({
    send: (message) => {
      Effect.runFork(
        Effect.map(answerDemand(observe, structuredClone(message)), (answer) => {
          answers.push(answer)
          client.answered(structuredClone(answer))
        }),
      )
    },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })
  return { answers, client, ask: () => Effect.runPromise(Effect.exit(client.observe(requestOf("1")))) }
}

describe("demand between threads", () => {
  it("brings what was observed, each request its own", async () => {
    const asked: Array<unknown> = []
    const { client } = connect((request) =>
      Effect.sync(() => {
        asked.push(request)
        return [{ ...weatherObservation, data: { ...weatherObservation.data, parameters: request.parameters } }]
      }).pipe(Effect.delay(request.parameters.lat === "1" ? "5 millis" : "0 millis")),
    )
    const observe = (lat: string) => Effect.runPromise(client.observe(requestOf(lat)))
    const answers = await Promise.all([observe("1"), observe("2")])
    expect(answers.map(([only]) => only?.data.parameters)).toEqual([{ lat: "1" }, { lat: "2" }])
    expect(asked).toEqual([requestOf("2"), requestOf("1")])
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
    expect(await connect(() => Effect.die(new Error("a defect"))).ask()).toEqual(unavailable)
  })

  it("refuses after its timeout, and ignores the answer that comes later", async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { ask, answers } = connect(
      () =>
        Effect.as(
          Effect.promise(() => promise),
          [weatherObservation],
        ),
      10,
    )
    expect(await ask()).toEqual(Exit.fail(new DemandFailed({ reason: "timeout", retryAfterSeconds: 5 })))
    resolve()
    await expect.poll(() => answers.length).toBe(1)
  })
})
