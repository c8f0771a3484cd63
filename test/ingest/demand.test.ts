import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { TestClock } from "effect/testing"
import { startIngest } from "../../ingestors/poll/runner.ts"
import { LogUnavailable } from "../../schemas/ports/event-log.ts"
import { lastPollEvent, pollEventTypes, START, scene } from "./scene.ts"
import { httpFailure, thingSource, things } from "./scripted.ts"

describe("an instance on request", () => {
  const demanded = (perMinuteMax = 10, perDayMax = 100) => [
    thingSource("alpha", { onDemand: { perMinuteMax, perDayMax }, instances: [{ at: "canary" }] }),
  ]

  it.effect("is fetched, logged and given with its payload, also where nothing has changed", () =>
    Effect.gen(function* () {
      const { memory, scripted, options } = yield* scene({ sources: demanded() })
      const { observe } = yield* startIngest(options)
      const first = yield* observe("things", { at: "here" })
      assert.deepStrictEqual(first.data.payload, { items: [{ id: "a", value: 1 }], facts: {} })
      const second = yield* observe("things", { at: "here" })
      assert.deepStrictEqual(second.data.payload, first.data.payload)
      assert.deepStrictEqual(pollEventTypes(memory), ["feed.observed", "feed.unchanged"])
      yield* TestClock.adjust("1 hour")
      assert.isTrue(
        scripted.requests.slice(2).every(({ url }) => url.includes("canary")),
        "it schedules nothing",
      )
      yield* TestClock.adjust("6 hours")
      yield* observe("things", { at: "here" })
      assert.strictEqual(lastPollEvent(memory).type, "feed.observed", "who folds has forgotten it")
    }),
  )

  it.effect("is fetched once for all concurrent requests, also when some of them are cancelled", () =>
    Effect.gen(function* () {
      const { memory, scripted, options } = yield* scene({ sources: demanded() })
      const gate = yield* Deferred.make<void>()
      scripted.answer(() => Effect.as(Deferred.await(gate), { json: { value: 7 } }))
      const { observe } = yield* startIngest(options)
      const askers = yield* Effect.all(
        Array.from({ length: 20 }, () => Effect.forkChild(observe("things", { at: "here" }))),
      )
      yield* TestClock.adjust("100 millis")
      const [first, ...others] = askers
      if (first !== undefined) yield* Fiber.interrupt(first)
      yield* Deferred.succeed(gate, undefined)
      for (const asker of others) assert.strictEqual((yield* Fiber.join(asker)).data.feed, "things")
      assert.strictEqual(scripted.requests.filter(({ url }) => url.includes("here")).length, 1)
      assert.strictEqual(memory.records("observations").filter(({ key }) => key === "things?at=here").length, 1)
    }),
  )

  it.effect("is refused beyond the budget of a minute and of a day, which a restart keeps", () =>
    Effect.gen(function* () {
      const { scripted, options } = yield* scene({ sources: demanded(2, 3) })
      const scope = yield* Scope.make()
      const { observe } = yield* startIngest(options).pipe(Effect.provideService(Scope.Scope, scope))
      yield* observe("things", { at: "1" })
      yield* observe("things", { at: "2" })
      const refused = yield* Effect.flip(observe("things", { at: "3" }))
      // A minute slides: the requests of five seconds are counted until the last of them is a minute old.
      assert.deepInclude(refused, { reason: "budget_exhausted", retryAfterSeconds: 65 })
      yield* TestClock.adjust("65 seconds")
      yield* observe("things", { at: "3" })
      assert.strictEqual((yield* Effect.flip(observe("things", { at: "4" }))).reason, "budget_exhausted")
      yield* Scope.close(scope, Exit.void)
      const again = yield* startIngest(options)
      const next = yield* Effect.flip(again.observe("things", { at: "5" }))
      assert.isAbove(next.retryAfterSeconds, 3_600)
      assert.strictEqual(scripted.requests.filter(({ url }) => !url.includes("canary")).length, 3)
      yield* TestClock.adjust("25 hours")
      yield* again.observe("things", { at: "5" })
    }),
  )

  it.effect(
    "comes from the next source where the budget of the first is spent, and makes no event where both are",
    () =>
      Effect.gen(function* () {
        const onDemand = { perMinuteMax: 1, perDayMax: 100 }
        const instances = [{ at: "canary" }]
        const sources = [
          thingSource("alpha", { onDemand, instances }),
          thingSource("beta", { onDemand, instances, rank: 2 }),
        ]
        const { memory, options } = yield* scene({ sources })
        const { observe } = yield* startIngest(options)
        const providerOf = (at: string) => Effect.map(observe("things", { at }), ({ data }) => data.provider)
        assert.deepStrictEqual([yield* providerOf("1"), yield* providerOf("2")], ["alpha.things", "beta.things"])
        const before = pollEventTypes(memory)
        assert.deepInclude(yield* Effect.flip(observe("things", { at: "3" })), { reason: "budget_exhausted" })
        assert.deepStrictEqual(pollEventTypes(memory), before)
      }),
  )

  it.effect("is unavailable to waiting requests when the role ends", () =>
    Effect.gen(function* () {
      const { scripted, options } = yield* scene({ sources: demanded() })
      scripted.answer(() => Effect.never)
      const scope = yield* Scope.make()
      const { observe } = yield* startIngest(options).pipe(Effect.provideService(Scope.Scope, scope))
      const waiting = yield* Effect.forkChild(Effect.flip(observe("things", { at: "here" })))
      yield* TestClock.adjust("1 second")
      yield* Scope.close(scope, Exit.void)
      assert.strictEqual((yield* Fiber.join(waiting)).reason, "unavailable")
      assert.strictEqual((yield* Effect.flip(observe("things", { at: "there" }))).reason, "unavailable")
    }),
  )

  it.effect("gives the reason when there is none", () =>
    Effect.gen(function* () {
      const { memory, scripted, options } = yield* scene({ sources: demanded() })
      const { observe } = yield* startIngest(options)
      const reason = (feed: string, at: string) =>
        Effect.map(Effect.flip(observe(feed, { at })), (failed) => failed.reason)
      assert.strictEqual(yield* reason("nothing", "1"), "unavailable")
      assert.strictEqual(yield* reason(things.name, "x".repeat(1000)), "unavailable")
      scripted.answer(() => httpFailure("status"))
      assert.strictEqual(yield* reason("things", "1"), "upstream_failed")
      scripted.answer(() => httpFailure("timeout"))
      assert.strictEqual(yield* reason("things", "1"), "timeout")
      assert.deepStrictEqual(pollEventTypes(memory), ["feed.failed", "feed.failed"])
      memory.failWith(new LogUnavailable({ problem: "a test", cause: "a test" }))
      assert.strictEqual(yield* reason("things", "1"), "unavailable")
    }),
  )

  it.effect("is refused for a feed that is polled on schedule only", () =>
    Effect.gen(function* () {
      const { options } = yield* scene()
      const { observe } = yield* startIngest(options)
      assert.strictEqual((yield* Effect.flip(observe("things", {}))).reason, "unavailable")
    }),
  )
})

describe("the instances of a view on demand", () => {
  const START_MS = Date.parse(START)
  const view = (...at: ReadonlyArray<string>) => ({
    path: "/api/things",
    parameters: { at: at.join(",") },
    reads: at.map((one) => ({ feed: "things", parameters: { at: one } })),
  })
  const started = (perMinuteMax = 100) =>
    Effect.gen(function* () {
      const onDemand = { perMinuteMax, perDayMax: 100 }
      const made = yield* scene({ sources: [thingSource("alpha", { onDemand, instances: [{ at: "canary" }] })] })
      const { observeAll } = yield* startIngest(made.options)
      yield* TestClock.adjust("3 seconds")
      const requestedInstances = () => made.scripted.requests.map(({ url }) => new URL(url).searchParams.get("at"))
      const views = () => made.memory.events("observations").filter(({ type }) => type === "view.demanded")
      return { ...made, observeAll, requestedInstances, views }
    })

  it.effect("are fetched together, and the request is logged behind them", () =>
    Effect.gen(function* () {
      const { observeAll, memory, requestedInstances } = yield* started()
      const observations = yield* observeAll(view("a", "b"))
      assert.deepStrictEqual(
        observations.map(({ data }) => data.parameters),
        [{ at: "a" }, { at: "b" }],
      )
      assert.deepStrictEqual(requestedInstances().sort(), ["a", "b", "canary"])
      const lastPollEvent = memory.events("observations").at(-1)
      assert.deepInclude(lastPollEvent, { type: "view.demanded", subject: "/api/things?at=a%2Cb" })
      assert.deepStrictEqual(lastPollEvent?.data, { path: "/api/things", parameters: { at: "a,b" } })
    }),
  )

  it.effect("fail with the sources that rest, where all of them do", () =>
    Effect.gen(function* () {
      const onDemand = { perMinuteMax: 10, perDayMax: 100 }
      const sources = [thingSource("alpha", { onDemand, instances: [{ at: "canary" }] })]
      const { options } = yield* scene({ sources })
      const { observe, observeAll } = yield* startIngest({
        ...options,
        restedBySettings: () => ({ reason: "not_licensed", setting: "RESTRICTED_SOURCES" }),
      })
      const resting = { reason: "not_licensed" as const, restingSources: ["alpha.things"] }
      assert.deepInclude(yield* Effect.flip(observe("things", { at: "a" })), resting)
      assert.deepInclude(yield* Effect.flip(observeAll(view("a", "b"))), resting)
      const mixed = view("a")
      const reads = [...mixed.reads, { feed: "unknown", parameters: {} }]
      const failed = yield* Effect.flip(observeAll({ ...mixed, reads }))
      assert.strictEqual(failed.reason, "unavailable")
      assert.notProperty(failed, "restingSources")
    }),
  )

  it.effect("are fetched again only when their interval has passed, the scheduled ones among them", () =>
    Effect.gen(function* () {
      const { observeAll, requestedInstances } = yield* started()
      yield* observeAll(view("a", "canary"))
      yield* observeAll(view("a", "b", "canary"))
      assert.deepStrictEqual(requestedInstances().sort(), ["a", "b", "canary"])
      yield* TestClock.adjust("55 seconds")
      const before = requestedInstances().length
      yield* TestClock.adjust("5 seconds")
      yield* observeAll(view("a"))
      assert.deepStrictEqual(
        requestedInstances()
          .slice(before)
          .filter((at) => at === "a"),
        ["a"],
      )
    }),
  )

  it.effect("are given as they were last observed where the budget is spent, and left out where they never were", () =>
    Effect.gen(function* () {
      const { observeAll } = yield* started(2)
      yield* observeAll(view("a", "b"))
      const over = yield* observeAll(view("a", "c"))
      assert.deepStrictEqual(
        over.map(({ data, time }) => [data.parameters.at, Date.parse(time) - START_MS < 5000]),
        [["a", true]],
      )
      assert.deepInclude(yield* Effect.flip(observeAll(view("c", "d"))), { reason: "budget_exhausted" })
    }),
  )

  it.effect("are given as the schedule last observed them, however long ago, as it polls them anyway", () =>
    Effect.gen(function* () {
      const { observeAll, scripted, requestedInstances } = yield* started()
      scripted.answer(({ url }) => (url.includes("canary") ? httpFailure("timeout") : { json: { value: 7 } }))
      yield* TestClock.adjust("10 minutes")
      const before = requestedInstances()
      const [first, ...others] = yield* observeAll(view("canary", "a"))
      assert.deepStrictEqual([first?.data.parameters.at, others.length], ["canary", 1])
      assert.isBelow(Date.parse(first?.time ?? "") - START_MS, 5000)
      assert.deepStrictEqual(requestedInstances().slice(before.length), ["a"])
    }),
  )

  it.effect(
    "are not fetched again within a minute after they failed, so that an unknown one does not spend the budget",
    () =>
      Effect.gen(function* () {
        const { observeAll, scripted, requestedInstances } = yield* started(3)
        scripted.answer(({ url }) => (url.includes("unknown") ? httpFailure("timeout") : { json: { value: 7 } }))
        yield* observeAll(view("a", "unknown"))
        yield* observeAll(view("canary", "unknown"))
        const unknown = () => requestedInstances().filter((at) => at === "unknown").length
        assert.strictEqual(unknown(), 1)
        // The third fetch of the minute is still there for one that exists.
        const observations = yield* observeAll(view("b", "unknown"))
        assert.deepStrictEqual(
          observations.map(({ data }) => data.parameters),
          [{ at: "b" }],
        )
        yield* TestClock.adjust("70 seconds")
        yield* observeAll(view("canary", "unknown"))
        assert.strictEqual(unknown(), 2)
      }),
  )

  it.effect("fail where none of them could be observed, and then no request is logged", () =>
    Effect.gen(function* () {
      const { observeAll, scripted, views } = yield* started()
      scripted.answer(() => httpFailure("status"))
      const asking = yield* Effect.forkChild(Effect.flip(observeAll(view("a", "b"))))
      yield* TestClock.adjust("30 seconds")
      assert.deepInclude(yield* Fiber.join(asking), { reason: "upstream_failed" })
      assert.deepStrictEqual(views(), [])
    }),
  )

  it.effect("are logged as requested once in ten minutes", () =>
    Effect.gen(function* () {
      const { observeAll, views } = yield* started()
      yield* observeAll(view("a", "b"))
      yield* observeAll(view("a", "b"))
      yield* observeAll(view("b", "c"))
      assert.lengthOf(views(), 2)
      yield* TestClock.adjust("10 minutes")
      yield* observeAll(view("a", "b"))
      assert.lengthOf(views(), 3)
    }),
  )
})
