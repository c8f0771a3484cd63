import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { startIngest } from "../../ingestors/poll/runner.ts"
import { listSource } from "../../ingestors/source.ts"
import { lastPollEvent, type PollEventData, pollEvents, pollEventTypes, START, scene } from "./scene.ts"
import { httpFailure, keyOf, thingSource, things } from "./scripted.ts"

describe("the ingest role", () => {
  it.effect("declares its feeds, ticks, and makes one commit of each poll", () =>
    Effect.gen(function* () {
      const { memory, options } = yield* scene()
      yield* startIngest(options)
      yield* TestClock.adjust("30 seconds")
      const all = memory.events("observations")
      assert.deepStrictEqual(all[0]?.data, {
        feeds: [{ feed: "things", parameters: {}, provider: "alpha.things", rests: null }],
      })
      assert.strictEqual(all.filter(({ type }) => type === "clock.ticked").length, 4)
      assert.deepStrictEqual(pollEventTypes(memory), ["feed.observed"])
      const commit = memory.commits.find((records) => records.some(({ key }) => key === "ingest/things"))
      assert.deepStrictEqual(
        commit?.map(({ topic, key }) => [topic, key]),
        [
          ["observations", "things"],
          ["checkpoints", "ingest/things"],
        ],
      )
      assert.deepInclude(lastPollEvent(memory).data, {
        payload: { items: [{ id: "a", value: 1 }], facts: {} },
        standsInFor: null,
      })
    }),
  )

  it.effect("logs a payload once, and then that it is unchanged, until it changes", () =>
    Effect.gen(function* () {
      const { memory, scripted, options } = yield* scene()
      yield* startIngest(options)
      yield* TestClock.adjust("130 seconds")
      scripted.answer(() => ({ json: { value: 2 } }))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(pollEventTypes(memory), [
        "feed.observed",
        "feed.unchanged",
        "feed.unchanged",
        "feed.observed",
      ])
      const hashes = pollEvents(memory).map(({ data }) => (data as PollEventData).hash)
      assert.strictEqual(hashes[0], hashes[1])
      assert.notStrictEqual(hashes[0], hashes[3])
    }),
  )

  it.effect("keeps the promise of freshness by interval and by the content's age", () =>
    Effect.gen(function* () {
      const { memory, scripted, options } = yield* scene()
      yield* startIngest(options)
      yield* TestClock.adjust("5 seconds")
      const first = lastPollEvent(memory)
      assert.isAbove(Date.parse(String(first.data.freshUntil)), Date.parse(first.time) + 120_000)
      assert.isNull(first.data.contentAt)
      scripted.answer(() => ({ json: { value: 1, at: Date.parse(START) - 29 * 60_000 } }))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(lastPollEvent(memory).data.freshUntil, "2026-11-21T10:01:00.000Z")
      scripted.answer(() => ({ json: { value: 1, at: Date.parse(START) + 10 * 60_000 } }))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(lastPollEvent(memory).data.contentAt, lastPollEvent(memory).time, "a little ahead is now")
      const known = lastPollEvent(memory).data.contentAt
      scripted.answer(() => ({ json: { value: 1, at: Date.parse(START) + 86_400_000 } }))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(lastPollEvent(memory).data.contentAt, known, "further ahead the last known time stays")
    }),
  )

  it.effect("takes content without a time of its own for as old as it has been unchanged, over restarts", () =>
    Effect.gen(function* () {
      const { memory, scripted, options } = yield* scene({ sources: [thingSource("alpha", { isDated: false })] })
      const before = yield* Scope.make()
      yield* Scope.provide(startIngest(options), before)
      yield* TestClock.adjust("20 minutes")
      yield* Scope.close(before, Exit.void)
      yield* startIngest(options)
      yield* TestClock.adjust("15 minutes")
      const first = pollEvents(memory)[0]
      const { contentAt, freshUntil } = lastPollEvent(memory).data
      assert.strictEqual(contentAt, first?.time)
      // The promise of the feed, 30 minutes, is over.
      assert.strictEqual(Date.parse(String(freshUntil)), Date.parse(String(first?.time)) + 30 * 60_000)
      scripted.answer(() => ({ json: { value: 2 } }))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(lastPollEvent(memory).data.contentAt, lastPollEvent(memory).time)
    }),
  )

  it.effect("calls content stale from the first whose only time lies in the future", () =>
    Effect.gen(function* () {
      const { memory, scripted, options } = yield* scene()
      scripted.answer(() => ({ json: { value: 1, at: Date.parse(START) + 86_400_000 } }))
      yield* startIngest(options)
      yield* TestClock.adjust("5 seconds")
      assert.isNull(lastPollEvent(memory).data.contentAt)
      assert.strictEqual(lastPollEvent(memory).data.freshUntil, lastPollEvent(memory).time)
    }),
  )

  it.effect("goes on after a restart as if nothing had happened", () =>
    Effect.gen(function* () {
      const { memory, scripted, options } = yield* scene()
      scripted.answer(() => ({ json: { value: 1 }, etag: '"1"' }))
      const scope = yield* Scope.make()
      yield* startIngest(options).pipe(Effect.provideService(Scope.Scope, scope))
      yield* TestClock.adjust("10 seconds")
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual(scripted.requests.length, 1)

      yield* startIngest(options)
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(scripted.requests.length, 1, "nothing was due")
      scripted.answer(({ validators }) => (validators?.etag === '"1"' ? "304" : httpFailure("status")))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(scripted.requests.length, 2)
      assert.deepStrictEqual(pollEventTypes(memory), ["feed.observed", "feed.unchanged"])
      const [first, second] = pollEvents(memory).map(({ data }) => data as PollEventData)
      assert.strictEqual(second?.hash, first?.hash)
    }),
  )

  it.effect("polls at once what became due while it was stopped", () =>
    Effect.gen(function* () {
      const { scripted, options } = yield* scene()
      const scope = yield* Scope.make()
      yield* startIngest(options).pipe(Effect.provideService(Scope.Scope, scope))
      yield* TestClock.adjust("10 seconds")
      yield* Scope.close(scope, Exit.void)
      yield* TestClock.adjust("1 hour")
      yield* startIngest(options)
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(scripted.requests.length, 2)
    }),
  )

  it.effect("never polls a source without its key, and declares it as resting", () =>
    Effect.gen(function* () {
      const sources = [
        thingSource("alpha", { access: keyOf("ALPHA_KEY"), instances: [{ a: "1" }] }),
        thingSource("beta", { access: keyOf("BETA_KEY"), instances: [{ b: "1" }] }),
      ]
      const keys = (setting: string) => (setting === "BETA_KEY" ? "secret" : null)
      const { memory, scripted, options } = yield* scene({ sources, keys })
      yield* startIngest(options)
      yield* TestClock.adjust("5 minutes")
      assert.isTrue(scripted.requests.every(({ url }) => url.startsWith("https://beta.example/things?b=1&key=secret")))
      assert.deepStrictEqual(memory.events("observations")[0]?.data, {
        feeds: [
          { feed: "things", parameters: { a: "1" }, provider: "alpha.things", rests: "not_configured" },
          { feed: "things", parameters: { b: "1" }, provider: "beta.things", rests: null },
        ],
      })
      const everything = JSON.stringify(
        memory.commits.flat().map(({ value }) => new TextDecoder().decode(value ?? new Uint8Array())),
      )
      assert.notInclude(everything, "secret")
    }),
  )

  it.effect("holds each instance to its own promise about the age of its content", () =>
    Effect.gen(function* () {
      const source = thingSource("alpha", { instances: [{ i: "daily" }, { i: "monthly" }] })
      const contentAgeMaxMs = ({ i }: Readonly<Record<string, string>>) => (i === "daily" ? 60_000 : 3_600_000)
      const sources = [{ ...source, fills: { ...source.fills, contentAgeMaxMs } }]
      const { memory, scripted, options } = yield* scene({ sources })
      const at = Date.parse(START) - 30_000
      scripted.answer(() => ({ json: { value: 1, at } }))
      yield* startIngest(options)
      yield* TestClock.adjust("5 seconds")
      const until = new Map(
        pollEvents(memory).map(({ subject, data }) => [
          subject,
          Date.parse(String((data as PollEventData).freshUntil)),
        ]),
      )
      assert.strictEqual(until.get("things?i=daily"), at + 60_000)
      assert.isAbove(until.get("things?i=monthly") ?? 0, at + 120_000)
    }),
  )

  it.effect("polls a source only for the instances of its feed that it serves", () =>
    Effect.gen(function* () {
      const venues = { ...things, instances: [{ venue: "a" }, { venue: "b" }] }
      const venue = (name: string, served: string) =>
        listSource({
          name,
          provider: `${name}.things`,
          fills: venues,
          serves: (parameters) => parameters.venue === served,
          every: "1 minute",
          documents: thingSource(name).documents,
          collect: thingSource(name).collect,
          candidates: () => [{ id: served, value: 1 }],
          toItem: (row) => row,
          contentAtMs: () => null,
          attribution: thingSource(name).attribution,
          terms: thingSource(name).terms,
        })
      const { memory, scripted, options } = yield* scene({ sources: [venue("alpha", "a"), venue("beta", "b")] })
      yield* startIngest(options)
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(scripted.requests.map(({ url }) => url).sort(), [
        "https://alpha.example/things?venue=a",
        "https://beta.example/things?venue=b",
      ])
      assert.deepStrictEqual(memory.events("observations")[0]?.data, {
        feeds: [
          { feed: "things", parameters: { venue: "a" }, provider: "alpha.things", rests: null },
          { feed: "things", parameters: { venue: "b" }, provider: "beta.things", rests: null },
        ],
      })
    }),
  )

  it.effect("never polls one instance twice at once, and times out", () =>
    Effect.gen(function* () {
      const { memory, scripted, options } = yield* scene({ sources: [thingSource("alpha", { every: "5 seconds" })] })
      scripted.answer(() => Effect.never)
      yield* startIngest(options)
      yield* TestClock.adjust("8 seconds")
      assert.strictEqual(scripted.requests.length, 1)
      yield* TestClock.adjust("10 seconds")
      assert.deepInclude(lastPollEvent(memory).data, { reason: "timeout" })
    }),
  )

  it.effect("starts fifty instances within a few seconds, not at the same moment", () =>
    Effect.gen(function* () {
      let chance = 0
      const instances = Array.from({ length: 50 }, (_, n) => ({ n: String(n) }))
      const { memory, options } = yield* scene({
        sources: [thingSource("alpha", { instances })],
        random: () => (chance = (chance + 0.02) % 1),
      })
      yield* startIngest(options)
      for (let step = 0; step < 30; step++) yield* TestClock.adjust("100 millis")
      assert.strictEqual(pollEventTypes(memory).length, 50)
      assert.isAbove(new Set(pollEvents(memory).map(({ time }) => time)).size, 10)
    }),
  )
})
