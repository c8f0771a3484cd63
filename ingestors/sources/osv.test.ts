import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { united } from "./osv.ts"

describe("united", () => {
  it.each([
    ["nothing", [], []],
    ["things without names", [[], []], [[0], [1]]],
    ["things of their own names", [["a"], ["b"]], [[0], [1]]],
    ["things that share one", [["a", "x"], ["b"], ["x", "c"]], [[0, 2], [1]]],
    ["things that share one through others", [["a"], ["b"], ["c", "a"], ["b", "c"]], [[0, 1, 2, 3]]],
    ["a thing that is there twice", [["a"], ["a"]], [[0, 1]]],
    ["a name twice in one", [["a", "a"], ["b"]], [[0], [1]]],
  ])("groups %s", (_, names, groups) => expect(united(names)).toEqual(groups))

  it("puts two things into one group if, and only if, a chain of shared names leads from one to the other", () => {
    const things = fc.array(fc.array(fc.constantFrom(..."abcdefgh"), { maxLength: 3 }), { maxLength: 12 })
    fc.assert(
      fc.property(things, (names) => {
        const groups = united(names)
        expect(groups.flat().toSorted((one, other) => one - other)).toEqual([...names.keys()])
        const reached = names.map((_, from) => {
          const seen = new Set([from])
          for (const at of seen)
            for (const [to, others] of names.entries())
              if (others.some((name) => names[at]?.includes(name))) seen.add(to)
          return [...seen].toSorted((one, other) => one - other)
        })
        for (const group of groups) for (const member of group) expect(group).toEqual(reached[member])
      }),
    )
  })
  it("takes a long chain", () => {
    const chain = Array.from({ length: 20_000 }, (_, index) => [String(index), String(index + 1)])
    expect(united(chain.toReversed())).toHaveLength(1)
  })
})
