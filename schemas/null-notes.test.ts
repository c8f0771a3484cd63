import { describe, expect, it } from "vitest"
import { nullNotes, nullPaths } from "./null-notes.ts"

describe("notes of null members", () => {
  it("name each null member by its path, those of a list once", () => {
    const data = { a: null, b: { c: null, d: 0 }, e: [{ f: null }, { f: null, g: "" }], h: [null], i: [] }
    expect([...nullPaths(data)].sort()).toEqual(["a", "b.c", "e[].f", "h[]"])
    expect([...nullPaths({})]).toEqual([])
  })
  it("give the reason of the member, else that of what it is part of, else a general one", () => {
    const data = { a: { b: { c: null }, d: null }, e: [{ f: null }], toString: null }
    expect(nullNotes(data, { a: "of a", "a.b.c": "of c", "e[]": "of e" })).toEqual({
      "a.b.c": "of c",
      "a.d": "of a",
      "e[].f": "of e",
      toString: "Null where the source does not state it.",
    })
  })
})
