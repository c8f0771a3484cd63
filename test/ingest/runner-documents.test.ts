import { assert, describe, it } from "@effect/vitest"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { document, UpstreamError } from "../../ingestors/document.ts"
import { startIngest } from "../../ingestors/poll/runner.ts"
import { providerAccess } from "../../ingestors/provider-access.ts"
import { listSource, type Source } from "../../ingestors/source.ts"
import { lastPollEvent, pollEventTypes, scene } from "./scene.ts"
import { httpFailure, pairSource, thingSource, things, Wire } from "./scripted.ts"

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

  it.effect("requests a document that changes with a release on condition for weeks", () =>
    Effect.gen(function* () {
      const plain = thingSource("alpha", { every: "1 hour" })
      const document = plain.documents.list
      if (document === undefined) throw new Error("no document")
      const list = { ...document, validatorsAgeMaxMs: 35 * 24 * 3_600_000 }
      const source: Source = {
        ...plain,
        documents: { list },
        collect: (upstream) => upstream.fetch(list, { query: "", key: null }) as never,
      }
      const { scripted, options } = yield* scene({ sources: [source] })
      scripted.answer(({ validators }) => (validators === undefined ? { json: { value: 1 }, etag: '"1"' } : "304"))
      yield* startIngest(options)
      yield* TestClock.adjust("5 seconds")
      for (let hour = 0; hour < 48; hour++) yield* TestClock.adjust("1 hour")
      assert.isAbove(scripted.requests.length, 40)
      assert.strictEqual(scripted.requests.filter(({ validators }) => validators === undefined).length, 1)
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

  describe("that several instances share", () => {
    const both = document({
      format: "json",
      wire: Wire,
      url: "https://alpha.example/both",
      method: "POST",
      body: { series: ["1", "2"] },
      sharedForMs: 10 * 60_000,
    })
    const instances = [{ i: "1" }, { i: "2" }]
    const sharing = (every: Duration.Input): Source => ({
      ...(listSource({
        name: "alpha",
        provider: "alpha.things",
        fills: things,
        every,
        documents: { both } as never,
        collect: (upstream) => upstream.fetch(both, undefined),
        candidates: ({ value }) => [{ id: "a", value }],
        toItem: (row) => row,
        contentAtMs: () => null,
        attribution: thingSource("alpha").attribution,
        terms: thingSource("alpha").terms,
      }) as Source),
      instances,
    })

    it.effect("are requested once for all of them, by POST too, and again at the next interval", () =>
      Effect.gen(function* () {
        const { memory, scripted, options } = yield* scene({ sources: [sharing("2 hours")] })
        yield* startIngest(options)
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(scripted.requests.length, 1)
        assert.strictEqual(pollEventTypes(memory).filter((type) => type === "feed.observed").length, 2)
        scripted.answer(() => ({ json: { value: 2 } }))
        yield* TestClock.adjust("2 hours")
        assert.strictEqual(scripted.requests.length, 2)
        assert.strictEqual(pollEventTypes(memory).filter((type) => type === "feed.observed").length, 4)
      }),
    )

    it.effect("are requested once by instances that ask at the same time, whose failure they share", () =>
      Effect.gen(function* () {
        const { memory, scripted, options } = yield* scene({ sources: [sharing("2 hours")] })
        scripted.answer(() => Effect.delay(Effect.succeed(httpFailure("status", { status: 500 })), "4 seconds"))
        yield* startIngest(options)
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual(scripted.requests.length, 1)
        assert.deepStrictEqual(pollEventTypes(memory), ["feed.failed", "feed.failed"])
      }),
    )

    it.effect("are no older than a quarter of a short interval", () =>
      Effect.gen(function* () {
        const { scripted, options } = yield* scene({ sources: [sharing("1 minute")] })
        yield* startIngest(options)
        yield* TestClock.adjust("130 seconds")
        assert.isAtLeast(scripted.requests.length, 3)
      }),
    )

    it.effect("rest with their provider until the time that it names, where it says that its quota is used up", () =>
      Effect.gen(function* () {
        const access = providerAccess({ name: "alpha", quotas: [{ per: "day", requestsMax: 100 }] })
        const source: Source = {
          ...sharing("1 hour"),
          access,
          collect: (upstream) =>
            Effect.flatMap(upstream.fetch(both, undefined), () =>
              Effect.fail(
                new UpstreamError({ message: "used up", reason: "budget_exhausted", retryAfterMs: 6 * 3_600_000 }),
              ),
            ),
        }
        const { memory, scripted, options } = yield* scene({ sources: [source] })
        yield* startIngest(options)
        yield* TestClock.adjust("5 seconds")
        assert.deepInclude(lastPollEvent(memory).data, { reason: "budget_exhausted" })
        yield* TestClock.adjust("350 minutes")
        assert.strictEqual(scripted.requests.length, 1)
        yield* TestClock.adjust("4 hours")
        assert.isAtLeast(scripted.requests.length, 2)
      }),
    )
  })

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
