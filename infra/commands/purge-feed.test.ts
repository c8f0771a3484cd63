import { describe, expect, it } from "vitest"
import { shownSpans } from "./purge-feed.ts"

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const feed = { instances: [{}], publishesChanges: () => true, publishesGone: true }
const change = (type: "appeared" | "changed" | "gone", minute: number) => ({ type, knownMs: minute * MINUTE_MS })
const spans = (given: Parameters<typeof shownSpans>[1], from: number, to: number, of = feed) =>
  shownSpans(of, given, from * MINUTE_MS, to * MINUTE_MS).map(({ fromMs, toMs }) => [
    fromMs / MINUTE_MS,
    toMs / MINUTE_MS,
  ])

describe("views could show an item", () => {
  const came = [change("appeared", 10), change("changed", 20), change("gone", 30)]

  it("from its first change to a minute behind the one with which it was gone", () => {
    expect(spans(came, 0, 100)).toEqual([[10, 31]])
    expect(spans([...came, change("appeared", 50)], 0, 100)).toEqual([
      [10, 31],
      [50, 100],
    ])
  })

  it("within the interval alone", () => {
    expect(spans(came, 15, 25)).toEqual([[15, 25]])
    expect(spans(came, 0, 10)).toEqual([])
    expect(spans(came, 31, 100)).toEqual([])
    expect(spans(came, 10, 11)).toEqual([[10, 11]])
  })

  it("since before the first change that is held, where that is none of its appearance", () => {
    expect(spans([change("changed", 20), change("gone", 30)], 0, 100)).toEqual([[0, 31]])
    expect(spans([change("gone", 30)], 0, 100)).toEqual([[0, 31]])
  })

  it("in one span where it was gone for less than a minute", () => {
    expect(spans([...came, change("appeared", 30.5)], 0, 100)).toEqual([[10, 100]])
  })

  it("until the end where the feed does not say that items leave, and a day before where a list publishes no changes", () => {
    expect(spans([change("appeared", 10)], 0, 100, { ...feed, publishesGone: false })).toEqual([[10, 100]])
    const some = { ...feed, publishesChanges: () => false }
    const later = came.map(({ type, knownMs }) => ({ type, knownMs: knownMs + 2 * DAY_MS }))
    expect(shownSpans(some, later, 0, 3 * DAY_MS)).toEqual([{ fromMs: DAY_MS + 10 * MINUTE_MS, toMs: 3 * DAY_MS }])
  })

  it("in one span where it came and went more often than an event has spans", () => {
    const often = Array.from({ length: 100 }, (_, index) => [
      change("appeared", 10 * index),
      change("gone", 10 * index + 1),
    ]).flat()
    expect(spans(often, 0, 10_000)).toEqual([[0, 993 - 1]])
  })
})
