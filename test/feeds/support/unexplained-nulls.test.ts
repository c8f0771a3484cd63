import { expect, it } from "vitest"
import { nullPaths, unexplainedNulls } from "./unexplained-nulls.ts"

const notes = { gas: "Null: nothing was read yet.", coins: "A rank is null where it is not known.", tip: "A height." }

it("a null is explained by a note of its own, or of what it stands in, that speaks of null", () => {
  expect(unexplainedNulls({ notes, gas: null, coins: [{ rank: 1 }, { rank: null }] })).toEqual([])
  expect(unexplainedNulls({ notes, tip: null, other: { member: null }, list: [0, "", null] })).toEqual([
    "tip",
    "other.member",
    "list.2",
  ])
})

it("values that are not null are no nulls", () => {
  expect(nullPaths({ zero: 0, empty: "", no: false, none: [], nothing: {}, absent: undefined })).toEqual([])
  expect(nullPaths(null)).toEqual([[]])
})
