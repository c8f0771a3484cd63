import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { HistoryRefused, HistoryUnavailable } from "../../schemas/ports/history.ts"
import { makeAvailability } from "./availability.ts"

/** The log lines of an outage of so many attempts, and the number of recoveries. */
const logOfOutage = (attempts: number) => {
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => void lines.push(String(message)))
  let calls = 0
  const call = Effect.suspend(() => {
    calls += 1
    return calls <= attempts ? Effect.fail(new HistoryUnavailable({ problem: "refused" })) : Effect.succeed(calls)
  })
  return Effect.gen(function* () {
    const availability = makeAvailability()
    const fiber = yield* Effect.forkChild(availability.persistently(call))
    yield* TestClock.adjust("1 hour")
    const answer = yield* Fiber.join(fiber)
    return { answer, lines, returns: availability.returns() }
  }).pipe(Effect.provide(TestClock.layer()), Effect.provide(Logger.layer([logger])), Effect.runPromise)
}

const DOWN = "the history does not answer; the call is retried"
const BACK = "the history answers again"

it("logs nothing for an engine that starts together with the service", async () => {
  expect(await logOfOutage(0)).toEqual({ answer: 1, lines: [], returns: 0 })
  expect(await logOfOutage(3)).toEqual({ answer: 4, lines: [], returns: 1 })
})

it("logs an outage of ClickHouse at long intervals, and the recovery", async () => {
  expect(await logOfOutage(4)).toEqual({ answer: 5, lines: [DOWN, BACK], returns: 1 })
  expect(await logOfOutage(103)).toMatchObject({ lines: [DOWN, BACK] })
  expect(await logOfOutage(104)).toMatchObject({ lines: [DOWN, DOWN, BACK] })
})

it("does not retry a statement that ClickHouse refuses", async () => {
  const refused = new HistoryRefused({ code: 60, problem: "no such table" })
  const failing = makeAvailability().persistently(Effect.fail(refused))
  expect(await Effect.runPromise(Effect.flip(failing))).toBe(refused)
})
