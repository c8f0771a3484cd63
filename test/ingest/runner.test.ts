import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { startIngest } from "../../ingestors/runner.ts"
import { listSource } from "../../ingestors/source.ts"
import { LogUnavailable, OutcomeUnknown } from "../../schemas/ports/event-log.ts"
import { lastPollEvent, type PollEventData, pollEvents, pollEventTypes, START, scene } from "./scene.ts"
import { httpFailure, keyOf, pairSource, thingSource, things } from "./scripted.ts"

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

  it.effect("backs off while it fails, but no further than four intervals, and logs each failure", () =>
    Effect.gen(function* () {
      const { memory, scripted, options } = yield* scene()
      scripted.answer(() => httpFailure("timeout"))
      yield* startIngest(options)
      yield* TestClock.adjust("1 hour")
      const times = pollEvents(memory).map(({ time }) => Date.parse(time))
      const pauses = times.slice(1).map((time, index) => Math.round((time - (times[index] ?? 0)) / 60_000))
      assert.deepStrictEqual(pauses.slice(0, 4), [1, 2, 4, 4])
      assert.isTrue(pauses.every((pause) => pause <= 4))
      assert.deepInclude(lastPollEvent(memory).data, { reason: "timeout", provider: "alpha.things" })
      scripted.answer(() => ({ json: { value: 1 } }))
      yield* TestClock.adjust("4 minutes")
      assert.include(pollEventTypes(memory), "feed.observed")
    }),
  )

  it.effect("respects the Retry-After of an upstream, up to a bound", () =>
    Effect.gen(function* () {
      const { scripted, options } = yield* scene()
      scripted.answer(() => httpFailure("rate_limited", { retryAfterMs: 600_000 }))
      yield* startIngest(options)
      yield* TestClock.adjust("9 minutes")
      assert.strictEqual(scripted.requests.length, 1)
      scripted.answer(() => httpFailure("rate_limited", { retryAfterMs: 86_400_000 }))
      yield* TestClock.adjust("30 minutes")
      assert.isAtLeast(scripted.requests.length, 3)
    }),
  )

  it.effect("falls back to lower ranks in their order, and tries the first rank first each time", () =>
    Effect.gen(function* () {
      const sources = [
        thingSource("gamma", { rank: 3 }),
        thingSource("alpha", { rank: 1 }),
        thingSource("beta", { rank: 2 }),
      ]
      const { memory, scripted, options } = yield* scene({ sources })
      scripted.answer(({ url }) =>
        url.includes("gamma")
          ? { json: { value: 3 } }
          : url.includes("beta")
            ? { text: "gone" }
            : httpFailure("status"),
      )
      yield* startIngest(options)
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(
        scripted.requests.map(({ url }) => new URL(url).host),
        ["alpha.example", "beta.example", "gamma.example"],
      )
      assert.strictEqual(lastPollEvent(memory).type, "feed.observed")
      assert.deepInclude(lastPollEvent(memory).data, { provider: "gamma.things", standsInFor: "alpha.things" })
      scripted.answer(() => ({ json: { value: 3 } }))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(lastPollEvent(memory).type, "feed.unchanged")
      assert.deepInclude(lastPollEvent(memory).data, { provider: "alpha.things", standsInFor: null })
      scripted.answer(() => httpFailure("unreachable"))
      yield* TestClock.adjust("1 minute")
      assert.deepInclude(lastPollEvent(memory).data, { provider: "alpha.things", reason: "unreachable" })
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

  it.effect("puts a document aside that does not decode, in the commit of its poll, once for each problem", () =>
    Effect.gen(function* () {
      const { memory, scripted, options } = yield* scene()
      yield* startIngest(options)
      yield* TestClock.adjust("5 seconds")
      scripted.answer(() => ({ text: '{"value":"<script>"}' }))
      yield* TestClock.adjust("3 minutes")
      const [aside, ...more] = memory.events("quarantine")
      assert.deepInclude(aside?.data as PollEventData, {
        document: "list",
        body: '{"value":"<script>"}',
        bodyBytes: 20,
      })
      assert.strictEqual(more.length, 0)
      const commit = memory.commits.find((records) => records.some(({ topic }) => topic === "quarantine"))
      assert.deepStrictEqual(
        commit?.map(({ topic }) => topic),
        ["observations", "quarantine", "checkpoints"],
      )
      assert.deepInclude(lastPollEvent(memory).data, { reason: "undecodable" })
      assert.notInclude(String(lastPollEvent(memory).data.message), "script")
      scripted.answer(() => ({ json: { value: 1 } }))
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(lastPollEvent(memory).type, "feed.unchanged")
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

  it.effect("survives a source that breaks its promises", () =>
    Effect.gen(function* () {
      const alpha = thingSource("alpha")
      const breaking = (
        i: string,
        candidates: () => ReadonlyArray<{ readonly id: string; readonly value: number }>,
        contentAtMs: () => number | null = () => null,
        collect: typeof alpha.collect = alpha.collect,
      ) => ({
        ...listSource({
          name: `breaking-${i}`,
          provider: "alpha.things",
          fills: things,
          every: "1 minute",
          documents: alpha.documents,
          collect,
          candidates,
          toItem: (row) => row,
          contentAtMs,
          attribution: alpha.attribution,
          terms: alpha.terms,
        }),
        instances: [{ i }],
      })
      const fails = (message: string) => (): never => {
        throw new Error(message)
      }
      const sources = [
        breaking("1", () => "none" as never),
        breaking("2", fails("oh")),
        breaking("3", () => [], undefined, fails("no")),
        breaking(
          "4",
          () => [{ id: "\uD800", value: 1 }],
          () => Number.NaN,
        ),
        breaking("5", () => [{ id: "x".repeat(9_000_000), value: 1 }]),
      ]
      const { memory, options } = yield* scene({ sources })
      yield* startIngest(options)
      yield* TestClock.adjust("5 seconds")
      const reasons = new Map(pollEvents(memory).map(({ subject, data }) => [subject, (data as PollEventData).reason]))
      assert.strictEqual(reasons.size, 5)
      for (const i of [1, 2, 3]) assert.strictEqual(reasons.get(`things?i=${i}`), "undecodable")
      assert.strictEqual(reasons.get("things?i=5"), "too_large")
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
