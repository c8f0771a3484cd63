import { describe, expect, it } from "vitest"
import { makeSelect } from "../../api/http/parameters.ts"
import { defaultParameters, isPremium } from "../../schemas/contract/endpoint-kinds.ts"
import { endpoints } from "../../schemas/registry.ts"
import { nullsWithoutNote } from "../support/notes.ts"

const premium = endpoints.filter(isPremium)

describe("the notes of a reply", () => {
  it.each(premium)("of $path say of each null of the example why it is null", ({ example }) => {
    expect(nullsWithoutNote(Object(example))).toEqual([])
  })
  it.each(premium.flatMap((one) => (one.kind === "prepared" ? [one] : [])))(
    "of $path without any data say of each null why it is null",
    ({ cold }) => expect(nullsWithoutNote(Object(cold))).toEqual([]),
  )
  it.each(premium.flatMap((one) => (one.kind === "prepared" || one.kind === "queried" ? [] : [one])))(
    "of $path without any data say the same by the default parameters, and by the examples of all",
    (endpoint) => {
      const examples = Object.entries(endpoint.parameters).map(([name, { example }]) => [name, example])
      for (const parameters of [defaultParameters(endpoint), Object.fromEntries(examples)])
        expect(nullsWithoutNote(Object(makeSelect(endpoint)(endpoint.cold, parameters).data))).toEqual([])
    },
  )
})

describe("a walk over nulls", () => {
  const notes = { rate: "why", "rows.price": "why" }
  it.each([
    [{ notes, rate: null, rows: [{ price: null }] }, []],
    // A note covers what its member holds.
    [{ notes, rate: { value: null } }, []],
    [{ notes: { "a/b": "why" }, matrix: { a: { b: null }, b: { a: null, c: null } } }, ["matrix.b.c"]],
    [{ notes, other: null, rows: [{ price: 1 }, { size: null }] }, ["other", "rows.1.size"]],
    [{ other: { notes: null } }, ["other.notes"]],
    [{ notes: {}, rate: 0, text: "" }, []],
  ])("%j: %j", (data, expected) => expect(nullsWithoutNote(data)).toEqual(expected))
})
