import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { HistoryRefused, HistoryUnavailable } from "../../schemas/ports/history.ts"
import { makeAvailability } from "./availability.ts"

/** What is logged while ClickHouse is down for so many attempts, and how often it is said to have come back. */
const saidWhenDownFor = (attempts: number) => {
  const said: Array<string> = []
  const logger = Logger.make(({ message }) => void said.push(String(message)))
  let asked = 0
  const ask = Effect.suspend(() => {
    asked += 1
    return asked <= attempts ? Effect.fail(new HistoryUnavailable({ problem: "refused" })) : Effect.succeed(asked)
  })
  return Effect.gen(function* () {
    const availability = makeAvailability()
    const fiber = yield* Effect.forkChild(availability.persistently(ask))
    yield* TestClock.adjust("1 hour")
    const answer = yield* Fiber.join(fiber)
    return { answer, said, returns: availability.returns() }
  }).pipe(Effect.provide(TestClock.layer()), Effect.provide(Logger.layer([logger])), Effect.runPromise)
}

const DOWN = "the history does not answer; it is tried again"
const BACK = "the history answers again"

it("says nothing of an engine that comes up beside the service", async () => {
  expect(await saidWhenDownFor(0)).toEqual({ answer: 1, said: [], returns: 0 })
  expect(await saidWhenDownFor(3)).toEqual({ answer: 4, said: [], returns: 1 })
})

it("says that ClickHouse is down, seldom, and that it is back", async () => {
  expect(await saidWhenDownFor(4)).toEqual({ answer: 5, said: [DOWN, BACK], returns: 1 })
  expect(await saidWhenDownFor(103)).toMatchObject({ said: [DOWN, BACK] })
  expect(await saidWhenDownFor(104)).toMatchObject({ said: [DOWN, DOWN, BACK] })
})

it("does not try again what ClickHouse refuses", async () => {
  const refused = new HistoryRefused({ code: 60, problem: "no such table" })
  const failing = makeAvailability().persistently(Effect.fail(refused))
  expect(await Effect.runPromise(Effect.flip(failing))).toBe(refused)
})
