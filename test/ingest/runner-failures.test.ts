import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { startIngest } from "../../ingestors/poll/runner.ts"
import { listSource } from "../../ingestors/source.ts"
import { lastPollEvent, type PollEventData, pollEvents, pollEventTypes, scene } from "./scene.ts"
import { httpFailure, thingSource, things } from "./scripted.ts"

describe("a poll that fails", () => {
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
})
