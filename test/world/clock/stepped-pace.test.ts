import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { expect, it } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { makeSteppedPace } from "./stepped-pace.ts"

interface Clock {
  frozen: boolean
  ms: number
}

const paced = (frozen: boolean) => {
  const clock: Clock = { frozen, ms: 1_000 }
  const pace = makeSteppedPace({ isFrozen: () => clock.frozen, nowMs: () => clock.ms })
  const done: Array<string> = []
  let underWay = 0
  let most = 0
  const work = (name: string) =>
    Effect.gen(function* () {
      underWay += 1
      most = Math.max(most, underWay)
      yield* Effect.sleep(5)
      underWay -= 1
      done.push(name)
    })
  const set = (ms: number, stands = clock.frozen) => {
    Object.assign(clock, { ms, frozen: stands })
    pace.wake()
  }
  return {
    pace,
    done,
    work,
    set,
    most: () => most,
    caughtUp: () => eventually("it is idle", () => pace.behind() === null),
  }
}

it("does what is due one after the other while the clock stands, in the order of the first wait", async () => {
  const { pace, done, work, set, most, caughtUp } = paced(true)
  for (const [name, dueMs] of [
    ["first", 1_000],
    ["later", 2_000],
    ["second", 500],
  ] as const)
    Effect.runFork(pace.at(name, dueMs, work(name)))
  expect(pace.behind()).toBe("nothing is polled yet")
  await caughtUp()
  expect(done).toEqual(["first", "second"])
  Effect.runFork(pace.at("first", 3_000, work("first")))
  set(3_000)
  await caughtUp()
  expect([done, most()]).toEqual([["first", "second", "first", "later"], 1])
})

it("goes on behind what fails, and behind what was interrupted", async () => {
  const { pace, done, work, caughtUp } = paced(true)
  Effect.runFork(Effect.ignore(pace.at("fails", 0, Effect.fail("no"))))
  const given = Effect.runFork(pace.at("hangs", 0, Effect.never))
  Effect.runFork(pace.at("last", 0, work("last")))
  await eventually("the second is under way", () => pace.behind()?.startsWith("polls: hangs") === true)
  await Effect.runPromise(Fiber.interrupt(given))
  await caughtUp()
  expect(done).toEqual(["last"])
})

it("does everything at its own time while the clock runs", async () => {
  const { pace, done, work, set, most, caughtUp } = paced(false)
  for (const name of ["one", "other"]) Effect.runFork(pace.at(name, 1_000, work(name)))
  Effect.runFork(pace.at("later", 5_000, work("later")))
  await caughtUp()
  expect([done.toSorted(), most()]).toEqual([["one", "other"], 2])
  set(5_000)
  await eventually("the last is done", () => done.length === 3)
})
