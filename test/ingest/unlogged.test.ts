import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import { TestClock } from "effect/testing"
import { register } from "prom-client"
import { UpstreamError } from "../../ingestors/document.ts"
import { startIngest } from "../../ingestors/poll/runner.ts"
import { topicNames } from "../../schemas/topics.ts"
import type { MemoryLog } from "../support/memory-log.ts"
import { tracesOf } from "../support/traces.ts"
import { scene } from "./scene.ts"
import { httpFailure, type Script, thingSource, things } from "./scripted.ts"

/** What callers ask for in these tests, and the instance that is polled on schedule. */
const SECRET = "93.184.215.14"
const CANARY = "198.41.0.4"

const onDemand = { perMinuteMax: 100, perDayMax: 1_000 }
const source = () => {
  const made = thingSource("alpha", { onDemand, instances: [{ at: CANARY }], every: "1 hour" })
  return { ...made, fills: { ...made.fills, unlogged: true } }
}

/** The lines of the service's log, of every level. */
const noting = (lines: Array<string>) =>
  Logger.layer([Logger.make(({ message, cause }) => void lines.push(`${message} ${JSON.stringify(cause)} ${cause}`))])

const everyRecord = (memory: MemoryLog): Buffer =>
  Buffer.concat(
    topicNames.flatMap((topic) =>
      memory.records(topic).flatMap(({ key, value }) => [Buffer.from(`\n${key}\n`), value ?? Buffer.alloc(0)]),
    ),
  )

/** Runs a test with an ingest role of an unlogged feed, and gives where its log lines are. */
const started = (script?: Script, made = source()) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const { memory, scripted, options } = yield* scene({ sources: [made] })
    if (script !== undefined) scripted.answer(script)
    const ingest = yield* startIngest(options).pipe(
      Effect.provide(noting(lines)),
      Effect.provideService(References.MinimumLogLevel, "Trace"),
    )
    yield* TestClock.adjust("5 seconds")
    const noted = <A, E>(effect: Effect.Effect<A, E>) =>
      effect.pipe(Effect.provide(noting(lines)), Effect.provideService(References.MinimumLogLevel, "Trace"))
    return {
      memory,
      scripted,
      lines,
      observe: (at: string) => noted(ingest.observe("things", { at })),
      observeAll: (...at: ReadonlyArray<string>) =>
        noted(
          ingest.observeAll({
            path: "/api/things",
            parameters: { at: at.join(",") },
            reads: at.map((one) => ({ feed: "things", parameters: { at: one } })),
          }),
        ),
      /** The spellings of an address in everything that is stored or shown. */
      traces: (address: string) =>
        Effect.promise(async () => [
          ...tracesOf(address, everyRecord(memory)),
          ...tracesOf(address, Buffer.from(lines.join("\n"))),
          ...tracesOf(address, Buffer.from(await register.metrics())),
        ]),
    }
  })

/** Answers that repeat the address that was asked for, in every way that fails. */
const hostile: Readonly<Record<string, Script>> = {
  "undecodable JSON": ({ url }) => ({ json: { value: url } }),
  "no JSON": ({ url }) => ({ text: `<html>${url}</html>` }),
  "a failure that names it": () => httpFailure("unreachable"),
  "a status": () => httpFailure("status", { status: 422 }),
}

describe("an instance of an unlogged feed on request", () => {
  it.effect("is given with its payload, and stands in no record, log line or metric", () =>
    Effect.gen(function* () {
      const { observe, scripted, traces } = yield* started()
      const { data } = yield* observe(SECRET)
      assert.deepStrictEqual(data.payload, { items: [{ id: "a", value: 1 }], facts: {} })
      assert.strictEqual(data.parameters.at, SECRET)
      assert.strictEqual(scripted.requests.filter(({ url }) => url.includes(SECRET)).length, 1)
      yield* TestClock.adjust("3 hours")
      assert.deepStrictEqual(yield* traces(SECRET), [])
      // Proof that the search works: the instance that is polled on schedule is logged as any other.
      assert.include(yield* traces(CANARY), CANARY)
    }),
  )

  for (const [what, script] of Object.entries(hostile))
    it.effect(`leaves no trace where the upstream answers with ${what}`, () =>
      Effect.gen(function* () {
        const { observe, traces, memory } = yield* started(script)
        for (let times = 0; times < 2; times++) {
          const asking = yield* Effect.forkChild(Effect.flip(observe(SECRET)))
          yield* TestClock.adjust("1 minute")
          assert.strictEqual((yield* Fiber.join(asking)).reason, "upstream_failed")
        }
        assert.deepStrictEqual(yield* traces(SECRET), [])
        assert.include(yield* traces(CANARY), CANARY)
        const quarantined = memory.records("quarantine").length
        assert.strictEqual(quarantined > 0, what.includes("JSON"), "the scheduled instance is put aside as usual")
      }),
    )

  for (const [what, failure] of [
    ["throws", () => Effect.die(new TypeError(`a defect about ${SECRET}`))],
    ["refuses by its name", () => Effect.fail(new UpstreamError({ message: `nothing about ${SECRET}` }))],
  ] as const)
    it.effect(`leaves no trace where its source ${what}, and the role goes on`, () =>
      Effect.gen(function* () {
        const made = source()
        const { observe, traces, lines } = yield* started(undefined, {
          ...made,
          collect: (upstream, collection) =>
            collection.parameters.at === SECRET ? failure() : made.collect(upstream, collection),
        })
        yield* Effect.flip(observe(SECRET))
        assert.deepStrictEqual(yield* traces(SECRET), [])
        assert.isTrue(lines.some((line) => line.includes("a fetch failed")))
        assert.strictEqual((yield* observe("9.9.9.9")).data.parameters.at, "9.9.9.9")
      }),
    )

  it.effect("is fetched once for concurrent requests, and again for each later one: nothing is remembered", () =>
    Effect.gen(function* () {
      const { observe, observeAll, scripted } = yield* started()
      const asked = () => scripted.requests.filter(({ url }) => url.includes(SECRET)).length
      const gate = yield* Deferred.make<void>()
      scripted.answer(() => Effect.as(Deferred.await(gate), { json: { value: 7 } }))
      const asking = yield* Effect.forkChild(Effect.all([observe(SECRET), observe(SECRET)], { concurrency: 2 }))
      yield* TestClock.adjust("100 millis")
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(asking)
      assert.strictEqual(asked(), 1)
      yield* observe(SECRET)
      yield* observeAll(SECRET)
      assert.strictEqual(asked(), 3)
    }),
  )

  it.effect("that is also polled on schedule leaves its schedule and its records as they are", () =>
    Effect.gen(function* () {
      const { observe, scripted, memory } = yield* started()
      const before = everyRecord(memory)
      const polls = () => scripted.requests.length
      yield* TestClock.adjust("1 second")
      assert.strictEqual(polls(), 1)
      yield* observe(CANARY)
      assert.strictEqual(polls(), 2)
      assert.isTrue(before.equals(everyRecord(memory)), "a request commits nothing")
    }),
  )

  it.effect("is not joined by the scheduled poll of the same instance, which would then not be committed", () =>
    Effect.gen(function* () {
      const { observe, scripted, memory } = yield* started()
      yield* TestClock.adjust("3570 seconds")
      const gate = yield* Deferred.make<void>()
      scripted.answer(() => Effect.as(Deferred.await(gate), { json: { value: 7 } }))
      const asking = yield* Effect.forkChild(observe(CANARY))
      yield* TestClock.adjust("58 seconds")
      assert.strictEqual(scripted.requests.length, 3)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(asking)
      yield* TestClock.adjust("1 second")
      assert.include(everyRecord(memory).toString(), '"value":7')
    }),
  )

  it.effect("is no part of a view that is logged as requested", () =>
    Effect.gen(function* () {
      const { observeAll, memory, traces } = yield* started()
      const observations = yield* observeAll(SECRET, "9.9.9.9")
      assert.lengthOf(observations, 2)
      assert.deepStrictEqual(
        memory.events("observations").filter(({ type }) => type === "view.demanded"),
        [],
      )
      assert.deepStrictEqual(yield* traces(SECRET), [])
    }),
  )

  it.effect("is not remembered either where the fetch for such a view fails", () =>
    Effect.gen(function* () {
      const { observeAll, scripted } = yield* started()
      scripted.answer(() => httpFailure("status", { status: 422 }))
      for (let times = 0; times < 2; times++)
        assert.strictEqual((yield* Effect.flip(observeAll(SECRET))).reason, "upstream_failed")
      assert.strictEqual(scripted.requests.filter(({ url }) => url.includes(SECRET)).length, 2)
    }),
  )

  it.effect("counts against the quota of its source", () =>
    Effect.gen(function* () {
      const made = thingSource("alpha", { onDemand: { perMinuteMax: 2, perDayMax: 10 }, instances: [{ at: CANARY }] })
      const { observe } = yield* started(undefined, { ...made, fills: { ...things, unlogged: true } })
      yield* observe("1.1.1.1")
      yield* observe("8.8.8.8")
      assert.strictEqual((yield* Effect.flip(observe("9.9.9.9"))).reason, "budget_exhausted")
    }),
  )
})
