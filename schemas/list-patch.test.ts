import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { canonicalJson, type Json } from "./json.ts"
import { EMPTY_INDEX, HELD_LIST_MAX_UNITS, itemIndex, itemsOf, partsOf } from "./list-patch.ts"

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
  it("are refused over a base that they do not fit", () => {
    expect(itemsOf([item("a")], [{ from: 0, count: 2 }])).toBeNull()
    expect(itemsOf([], [{ from: 0, count: 1 }])).toBeNull()
    expect(itemsOf([item("a")], [{ changed: 1, set: {} }])).toBeNull()
    expect(itemsOf([["a"], 1, null], [{ changed: 0, set: {} }])).toBeNull()
    expect(itemsOf([["a"], 1, null], [{ changed: 1, set: {} }])).toBeNull()
    expect(itemsOf([["a"], 1, null], [{ changed: 2, set: {} }])).toBeNull()
  })
})

describe("items that change in some members", () => {
  const words = "a text that stays as it is, whatever the price"
  const quote = (id: string, price: number, more: Readonly<Record<string, Json>> = {}) => ({
    id,
    price,
    words,
    ...more,
  })
  const keyOf = ({ id }: { readonly id: string }) => id
  const keyed = (before: ReadonlyArray<Json>, after: ReadonlyArray<Json>) =>
    partsOf(itemIndex(before, keyOf), after, keyOf).parts

  it("are given by those members, wherever they stand now", () => {
    const before = [quote("a", 1), quote("b", 1), quote("c", 1)]
    expect(keyed(before, [quote("c", 2), quote("a", 1), quote("b", 3)])).toEqual([
      { changed: 2, set: { price: 2 } },
      { from: 0, count: 1 },
      { changed: 1, set: { price: 3 } },
    ])
  })
  it("are given whole where members came, went or moved, and where that is no longer", () => {
    for (const after of [
      quote("a", 2, { more: null }),
      { id: "a", price: 2 },
      { price: 2, id: "a", words },
      { id: "a", price: 2, words: `another text, so that nearly all of it differs: ${words}`, a: 1 },
      ["a"],
    ] as ReadonlyArray<Json>)
      expect(keyed([quote("a", 1)], [after])).toEqual([{ items: [after] }])
    const short = [{ id: "a", price: 1 }]
    expect(keyed(short, [{ id: "a", price: 2 }])).toEqual([{ items: [{ id: "a", price: 2 }] }])
  })
  it("give the very text of the list again, whatever changed, over a chain of patches", () => {
    const value = fc.oneof(fc.nat(3), fc.constantFrom(null, "", "x", -0, 1.5), fc.array(fc.nat(2), { maxLength: 2 }))
    const members = fc.record(
      { price: value, volume: value, __proto__: value, at: fc.constantFrom("then", "now") },
      { requiredKeys: ["price", "at"] },
    )
    const list = fc.uniqueArray(fc.tuple(fc.constantFrom("a", "b", "c", "d"), members), { selector: ([id]) => id })
    fc.assert(
      fc.property(fc.array(list, { minLength: 2, maxLength: 6 }), (lists) => {
        let index = EMPTY_INDEX
        let held: ReadonlyArray<Json> = []
        for (const rows of lists) {
          // As a poll parses its document anew.
          const items: ReadonlyArray<Json> = JSON.parse(
            JSON.stringify(rows.map(([id, more]) => ({ id, words, ...more }))),
          )
          const made = partsOf(index, items, keyOf)
          held = itemsOf(held, JSON.parse(JSON.stringify(made.parts))) ?? []
          index = made.index
          expect(JSON.stringify(held)).toBe(JSON.stringify(items))
        }
      }),
    )
  })
  it("are not looked for in a list that is too large to be kept", () => {
    const long = "x".repeat(HELD_LIST_MAX_UNITS / 2)
    const before = [quote("a", 1, { long }), quote("b", 1, { long })]
    expect(itemIndex(before, keyOf).held).toBeNull()
    expect(itemIndex(before.slice(1), keyOf).held?.size).toBe(1)
    expect(keyed(before, [quote("a", 2, { long })])).toEqual([{ items: [quote("a", 2, { long })] }])
  })
})
