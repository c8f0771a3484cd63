import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { instant } from "../../schemas/event.ts"
import type { InstanceCheckpoint } from "./ingest-log.ts"
import { firstDueMs, followingDueMs, freshUntilMs, nextDueMs, nextTryMs, pauseMaxMs, waitMaxMs } from "./schedule.ts"

const NOW_MS = Date.parse("2026-11-21T10:00:00Z")
const everyMs = fc.integer({ min: 10_000, max: 24 * 3_600_000 })
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

const checkpoint = (polledAtMs: number, dueAtMs: number): InstanceCheckpoint => ({
  v: 3,
  polledAt: instant(polledAtMs),
  dueAt: instant(dueAtMs),
  failures: 0,
  last: null,
  announced: [],
  logged: { day: "2026-11-21", bytes: 0 },
  throttledUntil: null,
})

describe("the first poll after a start", () => {
  it("comes within two seconds where there has been none", () =>
    fc.assert(
      fc.property(everyMs, random, (every, chance) => {
        const dueMs = firstDueMs(null, every, NOW_MS, chance)
        expect(dueMs).toBeGreaterThanOrEqual(NOW_MS)
        expect(dueMs).toBeLessThan(NOW_MS + 2_000)
      }),
    ))
  it("comes when it was due, whatever the clock was then, and never later than four intervals", () =>
    fc.assert(
      fc.property(
        everyMs,
        random,
        fc.integer({ min: -1e9, max: 1e9 }),
        fc.integer({ min: 0, max: 1e9 }),
        (every, chance, ago, pause) => {
          const dueMs = firstDueMs(checkpoint(NOW_MS - ago, NOW_MS - ago + pause), every, NOW_MS, chance)
          expect(dueMs).toBeGreaterThanOrEqual(NOW_MS)
          expect(dueMs).toBeLessThanOrEqual(NOW_MS + pauseMaxMs(every) + 2_000)
          const wasDueMs = NOW_MS - ago + pause
          if (ago >= 0 && pause <= every && wasDueMs > NOW_MS + 2_000) expect(dueMs).toBe(wasDueMs)
        },
      ),
    ))
})

describe("the next poll", () => {
  it("comes an interval after the last began, a little more", () =>
    fc.assert(
      fc.property(everyMs, random, (every, chance) => {
        const pauseMs = nextDueMs(every, NOW_MS, chance) - NOW_MS
        expect(pauseMs).toBeGreaterThanOrEqual(every)
        expect(pauseMs).toBeLessThanOrEqual(every * 1.05)
      }),
    ))
  it("comes later with each failure, and never after more than four intervals", () =>
    fc.assert(
      fc.property(everyMs, fc.integer({ min: 1, max: 1000 }), random, (every, failures, chance) => {
        const pauseMs = nextTryMs(every, NOW_MS, failures, null, chance) - NOW_MS
        expect(pauseMs).toBeGreaterThan(0)
        expect(pauseMs).toBeLessThanOrEqual(every * 4)
        expect(nextTryMs(every, NOW_MS, failures + 1, null, chance) - NOW_MS).toBeGreaterThanOrEqual(pauseMs)
      }),
    ))
  it("comes no sooner than an upstream asks, up to a bound", () =>
    fc.assert(
      fc.property(everyMs, fc.integer({ min: 0, max: 1e9 }), random, (every, retryAfterMs, chance) => {
        const pauseMs = nextTryMs(every, NOW_MS, 1, retryAfterMs, chance) - NOW_MS
        expect(pauseMs).toBeGreaterThanOrEqual(Math.min(retryAfterMs, waitMaxMs(every)))
        expect(pauseMs).toBeLessThanOrEqual(waitMaxMs(every))
      }),
    ))
})

describe("the poll of an instance that logs too much", () => {
  const DAY_MS = 24 * 3_600_000
  const throttled = (untilMs: number) => ({ ...checkpoint(NOW_MS, untilMs), throttledUntil: instant(untilMs) })
  it("comes when its throttle ends, over a start too", () =>
    fc.assert(
      fc.property(everyMs, random, fc.integer({ min: 500, max: DAY_MS }), (every, chance, pause) => {
        const untilMs = NOW_MS + pause
        expect(followingDueMs(throttled(untilMs), every, NOW_MS)).toBe(untilMs)
        const firstMs = firstDueMs(throttled(untilMs), every, NOW_MS, chance)
        expect(firstMs).toBeGreaterThanOrEqual(untilMs)
        expect(firstMs).toBeLessThanOrEqual(Math.max(untilMs, NOW_MS + 2_000))
      }),
    ))
  it("waits for no more than a day, whatever the clock was", () =>
    fc.assert(
      fc.property(everyMs, random, fc.integer({ min: DAY_MS, max: 1e12 }), (every, chance, pause) => {
        const latestMs = NOW_MS + Math.max(DAY_MS, waitMaxMs(every)) + 2_000
        expect(followingDueMs(throttled(NOW_MS + pause), every, NOW_MS)).toBeLessThanOrEqual(latestMs)
        expect(firstDueMs(throttled(NOW_MS + pause), every, NOW_MS, chance)).toBeLessThanOrEqual(latestMs)
      }),
    ))
})

it("a success is fresh for two intervals at most, and no longer than its content", () => {
  expect(freshUntilMs(60_000, NOW_MS, null, 1_000)).toBe(NOW_MS + 135_000)
  expect(freshUntilMs(60_000, NOW_MS, NOW_MS - 3_600_000, null)).toBe(NOW_MS + 135_000)
  expect(freshUntilMs(60_000, NOW_MS, NOW_MS - 3_600_000, 600_000)).toBe(NOW_MS - 3_000_000)
})
