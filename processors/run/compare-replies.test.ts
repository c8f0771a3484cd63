import { describe, expect, it } from "vitest"
import { describeDifference, differencesOf, makeReplyComparison } from "./compare-replies.ts"

describe("a comparison of replies", () => {
  it("gives each view once, after the first event with which it differs", () => {
    const comparison = makeReplyComparison()
    expect(comparison.take([["/a", "1"]], [["/a", "1"]])).toEqual([])
    expect(comparison.take([["/a", "2"]], [])).toEqual(["/a"])
    // It is equal again, and differs again.
    expect(comparison.take([], [["/a", "2"]])).toEqual([])
    expect(comparison.take([], [["/a", "3"]])).toEqual([])
    expect(comparison.take([["/b", "1"]], [["/c", "1"]])).toEqual(["/b", "/c"])
    expect(comparison.keys()).toEqual({ all: 3, differing: 3 })
  })

  it("takes a view that both remove for equal, and one that only one removes for different", () => {
    const comparison = makeReplyComparison()
    comparison.take(
      [
        ["/a", "1"],
        ["/b", "1"],
      ],
      [
        ["/a", "1"],
        ["/b", "1"],
      ],
    )
    expect(comparison.take([["/a", null]], [["/a", null]])).toEqual([])
    expect(comparison.take([["/b", null]], [])).toEqual(["/b"])
  })
})

describe("the differences of two values", () => {
  const lines = (one: unknown, other: unknown, max = 10) => differencesOf(one, other, max).shown.map(describeDifference)

  it("are members by their paths, before and after", () => {
    expect(
      lines(
        { data: { items: [{ magnitude: 4.5, "a b": 1 }, { magnitude: 1 }], count: 2, same: [1, { a: null }] } },
        { data: { items: [{ magnitude: 4.6, "a b": "1" }], count: 1, same: [1, { a: null }] } },
      ),
    ).toEqual([
      "data.items[0].magnitude: 4.5 -> 4.6",
      'data.items[0]["a b"]: 1 -> "1"',
      'data.items[1]: {"magnitude":1} -> absent',
      "data.count: 2 -> 1",
    ])
    expect(lines(undefined, [])).toEqual(["the reply: absent -> []"])
    expect(lines({ a: {} }, { a: [] })).toEqual(["a: {} -> []"])
    expect(lines({ a: [1] }, { a: [1] })).toEqual([])
  })

  it("are bounded in number and in length, and show where long texts part", () => {
    const { shown, count } = differencesOf(
      Array.from({ length: 1_000 }, () => 0),
      Array.from({ length: 1_000 }, () => 1),
      3,
    )
    expect({ shown: shown.length, count }).toEqual({ shown: 3, count: 1_000 })
    const begun = "x".repeat(500)
    const [line = ""] = lines({ text: `${begun}one${begun}` }, { text: `${begun}other${begun}` })
    expect(line).toMatch(/^text: \.\.\.x+one.* -> \.\.\.x+other/u)
    expect(line.length).toBeLessThan(160)
  })
})
