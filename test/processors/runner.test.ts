import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { describe, expect, it } from "vitest"
import { type Processor, unchanged } from "../../processors/processor.ts"
import { loadCheckpoint } from "../../processors/run/checkpoint.ts"
import { CHUNK_EVENTS } from "../../processors/run/folding.ts"
import { runProcessor } from "../../processors/run/runner.ts"
import { verifyViews } from "../../processors/run/verify.ts"
import { observed, tick } from "../../processors/testing/folding.ts"
import { feedObserved } from "../../schemas/events/observations.ts"
import { type EventLog, LogFull } from "../../schemas/ports/event-log.ts"
import {
  counting,
  derivedCount,
  foldAll,
  ordinals,
  sealedAfter,
  some,
  views,
  withLog,
  write,
} from "../support/counting.ts"

describe("the runner", () => {
  it("folds what the log holds and what comes, through restarts, exactly once", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, some(1500))
        yield* foldAll(log, counting())
        yield* write(log, some(10, 2_000_000))
        yield* foldAll(log, counting())
        expect(yield* views(log)).toEqual({ "/count": 1208, "/tick": 2_009_000 })
        expect(yield* derivedCount(log)).toBe(1208)
        expect(yield* verifyViews(log, { processors: [counting()] })).toMatchObject({ equal: true, foreignViews: [] })
      }),
    ))

  it("folds on as events come", () =>
    withLog((log) =>
      Effect.gen(function* () {
        const running = yield* Effect.forkScoped(runProcessor({ log, processor: counting() }))
        yield* write(log, some(7))
        yield* Stream.runHead(Stream.filter(log.follow("deltas", 5), ({ records }) => records.length > 0))
        expect(yield* views(log)).toMatchObject({ "/count": 6 })
        yield* Fiber.interrupt(running)
      }),
    ))

  it.each([
    [
      "newer than it",
      new TextEncoder().encode(
        JSON.stringify({ type: "feed.observed", v: 99, id: "x", time: "2026-01-01T00:00:00.000Z", data: {} }),
      ),
      "NewerEvent",
    ],
    [
      "of an unknown type",
      new TextEncoder().encode(
        JSON.stringify({ type: "x.y", v: 1, id: "x", time: "2026-01-01T00:00:00.000Z", data: {} }),
      ),
      "NewerEvent",
    ],
    ["that is not JSON", new Uint8Array([123]), "MalformedEvent"],
  ])("stops at an event %s, keeps what came before and skips nothing", (_, bytes, tag) =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, [...some(3), bytes, ...some(3, 10_000)])
        for (const attempt of [1, 2]) {
          const exit = yield* Effect.exit(foldAll(log, counting()))
          expect([attempt, Exit.isFailure(exit) && JSON.stringify(exit.cause)]).toEqual([
            attempt,
            expect.stringContaining(tag),
          ])
          expect(yield* views(log)).toEqual({ "/count": 3 })
        }
        expect((yield* loadCheckpoint(log, counting())).position).toMatchObject({ next: 3, count: 3 })
      }),
    ),
  )

  it("stops when another process has claimed its name", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, some(3))
        const running = yield* Effect.forkScoped(runProcessor({ log, processor: counting() }))
        yield* Stream.runHead(log.follow("deltas", 0))
        yield* log.claim("processor/counting", ["checkpoints", "views", "deltas"])
        yield* write(log, some(3, 10_000))
        const exit = yield* Fiber.await(running)
        expect(Exit.isFailure(exit) && JSON.stringify(exit.cause)).toContain("Fenced")
        expect(yield* derivedCount(log)).toBe(3)
      }),
    ))

  it("waits while the disk is full, and loses nothing", () =>
    withLog((log) =>
      Effect.gen(function* () {
        let refusals = 2
        const cramped: EventLog = {
          ...log,
          claim: (writer, topics) =>
            Effect.map(log.claim(writer, topics), (held) => ({
              ...held,
              commit: (records) =>
                Effect.suspend(() =>
                  refusals-- > 0 ? Effect.fail(new LogFull({ problem: "test" })) : held.commit(records),
                ),
            })),
        }
        yield* write(log, some(5))
        yield* foldAll(cramped, counting())
        expect(yield* views(log)).toMatchObject({ "/count": 4 })
        expect(yield* derivedCount(log)).toBe(4)
      }),
    ))

  it("refuses to go on where observations that it needs were trimmed", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, some(3))
        yield* foldAll(log, counting())
        yield* write(log, some(6, 10_000))
        yield* log.trim("observations", 5)
        const exit = yield* Effect.exit(foldAll(log, counting()))
        expect(Exit.isFailure(exit) && JSON.stringify(exit.cause)).toContain("EventsTrimmed")
      }),
    ))

  it("commits no position alone, and folds events without an effect again after a restart", () =>
    withLog((log) =>
      Effect.gen(function* () {
        const whole = counting()
        const deaf: Processor = {
          ...whole,
          step: (state, event, nowMs) =>
            event.type === feedObserved.type ? whole.step(state, event, nowMs) : unchanged,
        }
        const committed = Effect.map(loadCheckpoint(log, deaf), ({ position }) => position)
        const ticks = (count: number, fromMs: number) =>
          Array.from({ length: count }, (_, index) => tick(fromMs + index * 1000))

        yield* write(log, [observed(0, "things", 1), ...ticks(3, 1000)])
        yield* foldAll(log, deaf)
        yield* write(log, ticks(4, 10_000))
        yield* foldAll(log, deaf)
        expect(yield* committed).toMatchObject({ next: 4, nowMs: 3000 })
        yield* write(log, [observed(20_000, "things", 2)])
        yield* foldAll(log, deaf)
        expect(yield* committed).toMatchObject({ next: 9, count: 9, nowMs: 20_000 })
        // A full chunk of digests is a change.
        yield* write(log, ticks(CHUNK_EVENTS, 30_000))
        yield* foldAll(log, deaf)
        expect(yield* committed).toMatchObject({ next: 9 + CHUNK_EVENTS })
        expect(yield* views(log)).toEqual({ "/count": 2 })
        expect(yield* derivedCount(log)).toBe(2)
        expect(yield* verifyViews(log, { processors: [deaf] })).toMatchObject({ equal: true })
      }),
    ))

  it("gives up digests of events that the log no longer holds", () =>
    withLog((log) =>
      Effect.gen(function* () {
        yield* write(log, some(600))
        yield* foldAll(log, counting())
        expect(yield* ordinals(log, 1)).toEqual(sealedAfter(600))
        yield* log.trim("observations", 300)
        yield* write(log, some(300, 1_000_000))
        yield* foldAll(log, counting())
        yield* write(log, some(1, 2_000_000))
        yield* foldAll(log, counting())
        expect(yield* ordinals(log, 1)).toEqual(sealedAfter(901).filter((ordinal) => ordinal + CHUNK_EVENTS > 300))
      }),
    ))
})
