import * as fc from "fast-check"
import { expect, it } from "vitest"
import type { Json } from "../../schemas/json.ts"
import { stateIn } from "../processor.ts"
import { makeFoldState } from "./folding.ts"

const key = fc.constantFrom("a", "a/", "a/b", "a/b/c", "ab/c", "b/a", "/x", "a//b", "a/b#c")

it("answers as a map does, whatever is set and removed", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(key, fc.option(fc.nat(3))), { maxLength: 30 }),
      fc.array(fc.tuple(key, fc.nat(3)), { maxLength: 5 }),
      (changes, first) => {
        const map = new Map<string, Json>(first)
        const state = makeFoldState(map)
        for (const [name, value] of changes) {
          state.set(name, value)
          if (value === null) map.delete(name)
          else map.set(name, value)
          expect(state.get(name)).toEqual(stateIn(map).get(name))
        }
        expect([...state.entries].sort()).toEqual([...map].sort())
        for (const one of ["", "a", "a/", "a/b", "ab/", "b/", "/", "none/"])
          expect([one, state.keys(one)]).toEqual([one, stateIn(map).keys(one)])
      },
    ),
  )
})

it("keeps no change of the map that it was made from", () => {
  const map = new Map<string, Json>([["a/b", 1]])
  const state = makeFoldState(map)
  state.set("a/c", 2)
  map.set("a/d", 3)
  expect(map.has("a/c")).toBe(false)
  expect(state.keys("a/")).toEqual(["a/b", "a/c"])
})
