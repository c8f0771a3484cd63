import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ageDays, byLanguage, byTopic, sharePercent } from "./pro-code-host-velocity.ts"

const language = fc.option(fc.constantFrom("Rust", "Go", "C++", "none"), { nil: null })
const repository = fc.record({
  language,
  stars: fc.nat(100_000),
  topics: fc.array(fc.constantFrom<string>("llm", "cli", "rag", "__proto__"), { maxLength: 6 }),
})

describe("repositories by language", () => {
  it("stand by their number, then their stars, then the name; an unknown language is none", () => {
    const items = [
      { language: "Rust", stars: 10 },
      { language: null, stars: 7 },
      { language: "Go", stars: 9 },
      { language: "Go", stars: 2 },
      { language: "C", stars: 10 },
      { language: "constructor", stars: 1 },
    ]
    expect(byLanguage(items)).toEqual([
      { language: "Go", count: 2, total_stars: 11 },
      { language: "C", count: 1, total_stars: 10 },
      { language: "Rust", count: 1, total_stars: 10 },
      { language: "none", count: 1, total_stars: 7 },
      { language: "constructor", count: 1, total_stars: 1 },
    ])
    expect(byLanguage([])).toEqual([])
  })
  it("count every repository and every star once, in whatever order they come", () => {
    fc.assert(
      fc.property(fc.array(repository, { maxLength: 30 }), (items) => {
        const groups = byLanguage(items)
        expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(items.length)
        expect(groups.reduce((sum, group) => sum + group.total_stars, 0)).toBe(
          items.reduce((sum, { stars }) => sum + stars, 0),
        )
        expect(byLanguage(items.toReversed())).toEqual(groups)
      }),
    )
  })
})

describe("topics", () => {
  it("stand by the number of repositories, then by name, and count once for each", () => {
    const items = [{ topics: ["llm", "cli", "llm"] }, { topics: ["rag", "llm"] }, { topics: [] }]
    expect(byTopic(items)).toEqual([
      { topic: "llm", count: 2 },
      { topic: "cli", count: 1 },
      { topic: "rag", count: 1 },
    ])
  })
  it("are never counted more often than there are repositories, in whatever order they come", () => {
    fc.assert(
      fc.property(fc.array(repository, { maxLength: 30 }), (items) => {
        const topics = byTopic(items)
        for (const { topic, count } of topics)
          expect(count).toBe(items.filter((item) => item.topics.includes(topic)).length)
        expect(byTopic(items.toReversed())).toEqual(topics)
      }),
    )
  })
})

describe("a share", () => {
  it.each([
    [0, 30, 0],
    [1, 3, 33.3],
    [2, 3, 66.7],
    [30, 30, 100],
    [0, 0, null],
  ])("of %d in %d is %s percent", (part, whole, percent) => {
    expect(sharePercent(part, whole)).toBe(percent)
  })
  it("and that of the rest add up to a hundred, but for the rounding", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.nat(30), (whole, part) => {
        fc.pre(part <= whole)
        const [one, rest] = [sharePercent(part, whole), sharePercent(whole - part, whole)]
        expect(Math.abs((one ?? -1) + (rest ?? -1) - 100)).toBeLessThan(0.11)
      }),
    )
  })
})

describe("an age", () => {
  it.each([
    ["2021-04-25T19:03:27.000Z", "2021-05-01T21:00:14.000Z", 6.1],
    ["2021-04-29T01:46:40.000Z", "2021-05-01T21:00:14.000Z", 2.8],
    ["2021-05-01T21:00:14.000Z", "2021-05-01T21:00:14.000Z", 0],
    ["2021-05-01T21:00:15.000Z", "2021-05-01T21:00:14.000Z", 0],
  ])("from %s to %s is %d days", (from, to, days) => {
    expect(ageDays(from, to)).toBe(days)
  })
})
