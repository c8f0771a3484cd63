import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { startIngest } from "../../ingestors/runner.ts"
import { lastPollEvent, pollEventTypes, scene } from "./scene.ts"
import { httpFailure, pairSource, thingSource } from "./scripted.ts"

describe("the documents of a poll", () => {
  it.effect("requests a document without validators from time to time", () =>
    Effect.gen(function* () {
      const { scripted, options } = yield* scene({ sources: [thingSource("alpha", { every: "1 hour" })] })
      scripted.answer(({ validators }) => (validators === undefined ? { json: { value: 1 }, etag: '"1"' } : "304"))
      yield* startIngest(options)
      yield* TestClock.adjust("5 seconds")
      for (let hour = 0; hour < 8; hour++) yield* TestClock.adjust("1 hour")
      assert.strictEqual(scripted.requests.filter(({ validators }) => validators === undefined).length, 2)
    }),
  )

  it.effect("uses no validators of an answer that another provider has replaced", () =>
    Effect.gen(function* () {
      const sources = [thingSource("alpha"), thingSource("beta", { rank: 2 })]
      const { memory, scripted, options } = yield* scene({ sources })
      scripted.answer(() => ({ json: { value: 1 }, etag: '"1"' }))
      yield* startIngest(options)
      yield* TestClock.adjust("5 seconds")
      scripted.answer(({ url }) => (url.includes("alpha") ? httpFailure("status") : { json: { value: 2 } }))
      yield* TestClock.adjust("1 minute")
      scripted.answer(({ validators }) => (validators === undefined ? { json: { value: 1 }, etag: '"1"' } : "304"))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(pollEventTypes(memory), ["feed.observed", "feed.observed", "feed.observed"])
      assert.deepInclude(lastPollEvent(memory).data, { provider: "alpha.things" })
    }),
  )

  it.effect("keeps the documents of a source that needs several, each for its own 304", () =>
    Effect.gen(function* () {
      const { memory, scripted, options } = yield* scene({ sources: [pairSource("pair")] })
      scripted.answer(({ url }) => ({ json: { value: url.endsWith("left") ? 1 : 2 }, etag: `"${url}"` }))
      yield* startIngest(options)
      yield* TestClock.adjust("5 seconds")
      scripted.answer(({ url, validators }) =>
        url.endsWith("left") && validators?.etag === `"${url}"` ? "304" : { json: { value: 3 } },
      )
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(lastPollEvent(memory).type, "feed.observed")
      assert.deepStrictEqual(lastPollEvent(memory).data.payload, {
        items: [
          { id: "left", value: 1 },
          { id: "right", value: 3 },
        ],
        facts: {},
      })
    }),
  )

  it.effect("keeps no document of a source whose documents are too large together, and fetches it again", () =>
    Effect.gen(function* () {
      const { scripted, options } = yield* scene({ sources: [pairSource("pair")] })
      const answer = (padding: string) =>
        scripted.answer(({ url }) => ({
          json: { value: 1, ...(url.endsWith("left") ? { padding } : {}) },
          etag: `"${url}"`,
        }))
      const rights = () => scripted.requests.filter(({ url }) => url.endsWith("right"))
      /** Minutes pass until so many polls have requested the second document. */
      const polled = (count: number) =>
        Effect.gen(function* () {
          for (let minutes = 0; minutes < 20 && rights().length < count; minutes++) yield* TestClock.adjust("1 minute")
          return rights().map(({ validators }) => validators !== undefined)
        })
      answer("x".repeat(24 * 1024 * 1024))
      yield* startIngest(options)
      assert.deepStrictEqual((yield* polled(2)).slice(0, 2), [false, false])
      answer("")
      const before = rights().length
      assert.isTrue((yield* polled(before + 3)).at(-1))
    }),
  )
})
