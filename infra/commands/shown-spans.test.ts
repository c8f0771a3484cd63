import { describe, expect, it } from "vitest"
import { COMMIT_SPAN_MAX_MS } from "../../processors/run/runner.ts"
import { shownOf } from "./shown-spans.ts"

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** How many minutes behind a change the version that follows from it may be known: a whole commit, and a minute. */
const FOLD = COMMIT_SPAN_MAX_MS / MINUTE_MS + 1

type Given = Parameters<typeof shownOf>
const feed = { name: "crew", instances: [{}], publishesChanges: () => true, publishesGone: true }
const lists = { ...feed, instances: [{ set: "one" }, { set: "two" }] }
const change = (type: "appeared" | "changed" | "gone", minute: number, instance = "crew"): Given[1][number] => ({
  type,
  knownMs: minute * MINUTE_MS,
  instance,
})
const inMinutes = (all: ReturnType<typeof shownOf>["spans"]) =>
  all.map(({ fromMs, toMs }) => [fromMs / MINUTE_MS, toMs / MINUTE_MS])
const shown = (given: Given[1], from: number, to: number, of: Given[0] = feed, earlier: Given[3] = []) =>
  shownOf(of, given, { fromMs: from * MINUTE_MS, toMs: to * MINUTE_MS }, earlier)
const spans = (...given: Parameters<typeof shown>) => inMinutes(shown(...given).spans)

/** An earlier purge, with the minutes in which views could show the item; of the whole feed where it has no key. */
const purge = (
  from: number,
  to: number,
  spans: ReadonlyArray<readonly [number, number]>,
  key: string | null = "digest",
) => {
  const span = (one: number, other: number) => ({ fromMs: one * MINUTE_MS, toMs: other * MINUTE_MS })
  return { key, ...span(from, to), shown: spans.map((one) => ({ ...span(...one), paths: new Set<string>() })) }
}

describe("views could show an item", () => {
  const came = [change("appeared", 10), change("changed", 20), change("gone", 30)]

  it("from its first change to a commit behind the one with which it was gone", () => {
    expect(spans(came, 0, 100)).toEqual([[10, 30 + FOLD]])
    expect(spans([...came, change("appeared", 60)], 0, 100)).toEqual([
      [10, 30 + FOLD],
      [60, 100],
    ])
  })

  it("within the interval alone", () => {
    expect(spans(came, 15, 25)).toEqual([[15, 25]])
    expect(spans(came, 0, 10)).toEqual([])
    expect(spans(came, 30 + FOLD, 100)).toEqual([])
    expect(spans(came, 10, 11)).toEqual([[10, 11]])
  })

  it("since before the first change that is held, where that is none of its appearance", () => {
    expect(spans([change("changed", 20), change("gone", 30)], 0, 100)).toEqual([[0, 30 + FOLD]])
    expect(spans([change("gone", 30)], 0, 100)).toEqual([[0, 30 + FOLD]])
  })

  it("in one span where it was gone for less than a commit", () => {
    expect(spans([...came, change("appeared", 29 + FOLD)], 0, 100)).toEqual([[10, 100]])
  })

  it("until the end where the feed does not say that items leave, and a day before where a list publishes no changes", () => {
    expect(spans([change("appeared", 10)], 0, 100, { ...feed, publishesGone: false })).toEqual([[10, 100]])
    const some = { ...feed, publishesChanges: () => false }
    const later = came.map((one) => ({ ...one, knownMs: one.knownMs + 2 * DAY_MS }))
    expect(shownOf(some, later, { fromMs: 0, toMs: 3 * DAY_MS }).spans).toEqual([
      { fromMs: DAY_MS + 10 * MINUTE_MS, toMs: 3 * DAY_MS },
    ])
  })

  it("as long as one list of its feed has it, whichever lost it first", () => {
    const [one, two] = ["crew?set=one", "crew?set=two"]
    const both = [change("appeared", 10, one), change("appeared", 20, two), change("gone", 30, one)]
    expect(shown(both, 0, 200, lists)).toMatchObject({ after: "listed" })
    expect(spans(both, 0, 200, lists)).toEqual([[10, 200]])
    const gone = [...both, change("changed", 40, two), change("gone", 100, two)]
    expect(shown(gone, 0, 200, lists)).toMatchObject({ after: "unlisted" })
    expect(spans(gone, 0, 200, lists)).toEqual([[10, 100 + FOLD]])
    // Where the second list has it later, the first does not begin anew.
    expect(spans([...both.slice(0, 1), change("gone", 15, one), change("appeared", 60, two)], 0, 200, lists)).toEqual([
      [10, 15 + FOLD],
      [60, 200],
    ])
  })

  it("in one span where it came and went more often than an event has spans", () => {
    const often = Array.from({ length: 100 }, (_, index) => [
      change("appeared", 100 * index),
      change("gone", 100 * index + 1),
    ]).flat()
    expect(spans(often, 0, 10_000)).toEqual([[0, 9_901 + FOLD]])
  })
})

describe("of an item that was purged before, views could show it", () => {
  const listed = purge(0, 50, [[10, 50]])

  it("from the end of that purge on, where it was still listed then", () => {
    expect(spans([change("gone", 60)], 0, 100, feed, [listed])).toEqual([[50, 60 + FOLD]])
    expect(spans([change("changed", 60)], 0, 100, feed, [listed])).toEqual([[50, 100]])
    expect(shown([], 0, 100, feed, [listed])).toMatchObject({ after: "unknown" })
    expect(spans([], 0, 100, feed, [listed])).toEqual([[50, 100]])
    expect(spans([], 0, 100, { ...feed, publishesGone: false }, [listed])).toEqual([[50, 100]])
    // A third one goes on where the second ended.
    expect(spans([], 0, 100, feed, [listed, purge(0, 70, [[50, 70]])])).toEqual([[70, 100]])
  })

  it("not before its next appearance, where it had gone", () => {
    const gone = purge(0, 50, [[10, 20]])
    expect(spans([], 0, 100, feed, [gone])).toEqual([])
    expect(spans([change("appeared", 60)], 0, 100, feed, [gone])).toEqual([[60, 100]])
    // The earlier purge began behind its appearance, which is held.
    expect(spans([change("appeared", 5), change("appeared", 60)], 0, 100, feed, [purge(10, 50, [[10, 20]])])).toEqual([
      [5, 10],
      [60, 100],
    ])
    // Of three, the second one knew that it had gone.
    expect(spans([], 0, 200, feed, [listed, purge(0, 100, [[50, 80]])])).toEqual([])
  })

  it("before that purge too, where no change says when it appeared", () => {
    expect(spans([change("gone", 60)], 0, 100, feed, [purge(10, 50, [[10, 50]])])).toEqual([
      [0, 10],
      [50, 60 + FOLD],
    ])
    expect(spans([change("gone", 60)], 0, 100, feed, [purge(10, 50, [[20, 50]])])).toEqual([[50, 60 + FOLD]])
  })

  it("whether or not what was purged is held still", () => {
    expect(spans([change("appeared", 10)], 0, 100, feed, [listed])).toEqual([[50, 100]])
    expect(shown([change("appeared", 10), change("gone", 60)], 0, 100, feed, [listed]).held).toHaveLength(1)
  })

  it("in every list that may have it without a change since", () => {
    expect(spans([change("gone", 60, "crew?set=one")], 0, 200, lists, [listed])).toEqual([[50, 200]])
  })

  it("from the end of a purge of the whole feed on, and not where it appeared behind that", () => {
    const whole = purge(0, 50, [[0, 50]], null)
    expect(spans([change("gone", 60)], 0, 100, feed, [whole])).toEqual([[50, 60 + FOLD]])
    expect(spans([change("appeared", 60)], 0, 100, feed, [whole])).toEqual([[60, 100]])
  })
})

it("what follows the end is said as far as it is known", () => {
  const after = (...given: Parameters<typeof shown>) => shown(...given).after
  expect(after([change("appeared", 10)], 0, 100)).toBe("listed")
  expect(after([change("appeared", 10), change("gone", 60)], 0, 50)).toBe("listed")
  expect(after([change("appeared", 10), change("gone", 40)], 0, 50)).toBe("unlisted")
  expect(after([change("appeared", 10)], 0, 100, { ...feed, publishesGone: false })).toBe("unknown")
})
