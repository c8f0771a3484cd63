import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { canonicalJson, type Json } from "./json.ts"
import { itemIndex, itemsOf, partsOf } from "./list-patch.ts"

const item = (id: string, rev = 1): Json => ({ id, rev })
const parts = (before: ReadonlyArray<Json>, after: ReadonlyArray<Json>) => partsOf(itemIndex(before), after).parts

describe("the parts of a list over its base", () => {
  it("take over what stays, in runs, and give what is new or revised", () => {
    const before = [item("a"), item("b"), item("c"), item("d")]
    expect(parts(before, [item("n"), item("a"), item("b"), item("c", 2), item("d")])).toEqual([
      { items: [item("n")] },
      { from: 0, count: 2 },
      { items: [item("c", 2)] },
      { from: 3, count: 1 },
    ])
    expect(parts(before, before)).toEqual([{ from: 0, count: 4 }])
    expect(parts(before, [])).toEqual([])
  })
  it("make the list again, whatever came, went, changed and moved", () => {
    const items = fc.array(fc.record({ id: fc.constantFrom("a", "b", "c", "d", "e"), rev: fc.nat(2) }), {
      maxLength: 12,
    })
    fc.assert(
      fc.property(items, items, (before, after) => {
        expect(canonicalJson(itemsOf(before, parts(before, after)))).toBe(canonicalJson(after))
      }),
    )
  })
  it("make every list of a chain, each over the one before", () => {
    fc.assert(
      fc.property(fc.array(fc.uniqueArray(fc.nat(30)), { minLength: 2, maxLength: 8 }), (lists) => {
        let index = itemIndex([])
        let held: ReadonlyArray<Json> = []
        for (const list of lists) {
          const made = partsOf(index, list)
          held = itemsOf(held, made.parts) ?? []
          index = made.index
          expect(held).toEqual(list)
        }
      }),
    )
  })
  it("are refused over a base that is too short for them", () => {
    expect(itemsOf([item("a")], [{ from: 0, count: 2 }])).toBeNull()
    expect(itemsOf([], [{ from: 0, count: 1 }])).toBeNull()
  })
})
