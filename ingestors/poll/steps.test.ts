import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { expect, it } from "vitest"
import { makeStepScheduler, runSteps, type Steps } from "./steps.ts"

const LARGE_BYTES = 10 * 1024 * 1024

function* steps(seen: Array<string>, name: string): Steps<string> {
  for (const number of [1, 2, 3]) {
    seen.push(`${name}${number}`)
    yield
  }
  return name
}

it("does large work one after the other, and lets small work go between its steps", async () => {
  const seen: Array<string> = []
  const scheduler = makeStepScheduler()
  const large = (name: string) => scheduler.run(LARGE_BYTES, steps(seen, name))
  // Comes as soon as the first large one has begun.
  const small = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve))).pipe(
    Effect.repeat({ until: () => seen.includes("a1") }),
    Effect.andThen(scheduler.run(10, steps(seen, "s"))),
  )
  const results = await Effect.runPromise(
    Effect.all([large("a"), large("b"), small], { concurrency: "unbounded", discard: false }),
  )
  expect(results).toEqual(["a", "b", "s"])
  expect(seen.filter((step) => !step.startsWith("s"))).toEqual(["a1", "a2", "a3", "b1", "b2", "b3"])
  expect(seen.indexOf("s1")).toBeLessThan(seen.indexOf("b1"))
  expect(seen.slice(seen.indexOf("s1"), seen.indexOf("s1") + 3)).toEqual(["s1", "s2", "s3"])
})

it("lets the less large go before the larger between its steps", async () => {
  const seen: Array<string> = []
  const scheduler = makeStepScheduler()
  const less = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve))).pipe(
    Effect.repeat({ until: () => seen.includes("a1") }),
    Effect.andThen(scheduler.run(LARGE_BYTES / 10, steps(seen, "c"))),
  )
  const larger = scheduler.run(LARGE_BYTES, steps(seen, "a"))
  await Effect.runPromise(Effect.all([larger, less], { concurrency: "unbounded", discard: true }))
  expect(seen.indexOf("c3")).toBeLessThan(seen.indexOf("a3"))
})

it("tells of work that throws, and goes on with the next", async () => {
  const seen: Array<string> = []
  const scheduler = makeStepScheduler()
  const throwing = (function* (): Steps<never> {
    yield
    throw new Error("a mistake of ours")
  })()
  const [failed, next] = await Effect.runPromise(
    Effect.all([Effect.exit(scheduler.run(LARGE_BYTES, throwing)), scheduler.run(LARGE_BYTES, steps(seen, "b"))], {
      concurrency: "unbounded",
    }),
  )
  expect(Exit.isFailure(failed) && Cause.pretty(failed.cause)).toContain("a mistake of ours")
  expect(next).toBe("b")
})

it("passes the turn on when work is given up", async () => {
  const seen: Array<string> = []
  const scheduler = makeStepScheduler()
  const endless = (function* (): Steps<never> {
    while (true) yield
  })()
  const results = await Effect.runPromise(
    Effect.gen(function* () {
      const stuck = yield* Effect.forkChild(scheduler.run(LARGE_BYTES, endless), { startImmediately: true })
      const next = yield* Effect.forkChild(scheduler.run(LARGE_BYTES, steps(seen, "b")), { startImmediately: true })
      yield* Fiber.interrupt(stuck)
      return [yield* Fiber.await(stuck), yield* Fiber.join(next)] as const
    }),
  )
  expect(Exit.isFailure(results[0])).toBe(true)
  expect(results[1]).toBe("b")
})

it("does everything in one go where no other work waits", () => {
  const seen: Array<string> = []
  expect(runSteps(steps(seen, "a"))).toBe("a")
  expect(seen).toEqual(["a1", "a2", "a3"])
})
