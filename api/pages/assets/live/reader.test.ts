import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { pacedReader } from "./reader.js"

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A reader whose readings take `takesMs`, and the times at which they begin. */
const reading = ({ takesMs = 0, pauseMs = (): number => 0 } = {}) => {
  const startMs = performance.now()
  const begun: Array<number> = []
  const reader = pacedReader(async () => {
    begun.push(performance.now() - startMs)
    if (takesMs > 0) await new Promise((resolve) => setTimeout(resolve, takesMs))
    return pauseMs()
  })
  return { reader, begun }
}

it("reads at once, and makes one reading of all that is asked for within a second", async () => {
  const { reader, begun } = reading()
  for (let at = 0; at < 25; at += 1) {
    reader.ask()
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(begun).toEqual([0, 1_000, 2_000])
  await vi.advanceTimersByTimeAsync(60_000)
  // What was asked for last was not read yet.
  expect(begun).toEqual([0, 1_000, 2_000, 3_000])
})

it("reads once at a time, and once more for what is asked for meanwhile", async () => {
  const { reader, begun } = reading({ takesMs: 5_000 })
  reader.ask()
  await vi.advanceTimersByTimeAsync(2_000)
  reader.ask()
  reader.ask(200)
  await vi.advanceTimersByTimeAsync(60_000)
  // No timer takes less than a millisecond.
  expect(begun).toEqual([0, 5_001])
})

it("gathers what is asked for with a delay, which a later one does not move", async () => {
  const { reader, begun } = reading()
  reader.ask(300)
  await vi.advanceTimersByTimeAsync(200)
  reader.ask(300)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(begun).toEqual([300])
})

it("waits as long as the service wants", async () => {
  const pauses = [30_000, 0]
  const { reader, begun } = reading({ pauseMs: () => pauses.shift() ?? 0 })
  reader.ask()
  await vi.advanceTimersByTimeAsync(1_000)
  reader.ask()
  await vi.advanceTimersByTimeAsync(28_999)
  expect(begun).toEqual([0])
  await vi.advanceTimersByTimeAsync(1)
  expect(begun).toEqual([0, 30_000])
})

it("reads nothing that was forgotten", async () => {
  const { reader, begun } = reading()
  reader.ask(300)
  reader.forget()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(begun).toEqual([])
  reader.ask(300)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(begun).toEqual([10_300])
})
