import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { TestClock } from "effect/testing"
import { startIngest } from "../../ingestors/poll/runner.ts"
import { LogUnavailable, OutcomeUnknown } from "../../schemas/ports/event-log.ts"
import { pollEventTypes, START, scene } from "./scene.ts"

describe("the ingest role and its log", () => {
  it.effect("stops when another process has claimed, and does not start again", () =>
    Effect.gen(function* () {
      const { memory, scripted, options } = yield* scene()
      const { stopped, observe } = yield* startIngest(options)
      yield* TestClock.adjust("5 seconds")
      yield* Effect.scoped(memory.log.claim("ingest", []))
      const ended = yield* Effect.forkChild(Effect.flip(stopped))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(ended))._tag, "Fenced")
      const requestsBefore = scripted.requests.length
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(scripted.requests.length, requestsBefore)
      assert.strictEqual((yield* Effect.flip(observe("things", {}))).reason, "unavailable")
    }),
  )

  it.effect("stops when the outcome of a commit is unknown", () =>
    Effect.gen(function* () {
      const { memory, options } = yield* scene()
      const { stopped } = yield* startIngest(options)
      yield* TestClock.adjust("5 seconds")
      memory.failWith(new OutcomeUnknown({ writer: "ingest", cause: "a test" }))
      const ended = yield* Effect.forkChild(Effect.flip(stopped))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(ended))._tag, "OutcomeUnknown")
    }),
  )

  it.effect("loses nothing but polls while the log takes nothing, and its times never go back", () =>
    Effect.gen(function* () {
      const { memory, scripted, options } = yield* scene()
      memory.failWith(new LogUnavailable({ problem: "a test", cause: "a test" }))
      yield* startIngest(options)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(memory.commits.length, 0)
      memory.failWith(null)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(memory.events("observations")[0]?.type, "feeds.declared")
      assert.strictEqual(pollEventTypes(memory)[0], "feed.observed")
      memory.failWith(new LogUnavailable({ problem: "a test", cause: "a test" }))
      scripted.answer(() => ({ json: { value: 2 } }))
      yield* TestClock.adjust("2 minutes")
      memory.failWith(null)
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(pollEventTypes(memory).filter((type) => type === "feed.observed").length, 2)
      // A clock that was set back does not set back the times of events.
      yield* TestClock.setTime(Date.parse(START))
      yield* TestClock.adjust("1 hour")
      const times = memory.events("observations").map(({ time }) => time)
      assert.deepStrictEqual(times, times.toSorted())
    }),
  )

  it.effect("declares its feeds again after it stood still, before the next tick", () =>
    Effect.gen(function* () {
      const { memory, options } = yield* scene()
      yield* startIngest(options)
      yield* TestClock.adjust("30 seconds")
      memory.failWith(new LogUnavailable({ problem: "a test", cause: "a test" }))
      yield* TestClock.adjust("2 minutes")
      memory.failWith(null)
      yield* TestClock.adjust("1 minute")
      const own = memory.events("observations").filter(({ type }) => !type.startsWith("feed."))
      const again = own.findLastIndex(({ type }) => type === "feeds.declared")
      assert.isAbove(again, 0)
      assert.strictEqual(own[again + 1]?.type, "clock.ticked")
      assert.strictEqual(own[again + 1]?.time, own[again]?.time)
      assert.strictEqual(own.filter(({ type }) => type === "feeds.declared").length, 2)
    }),
  )
})
