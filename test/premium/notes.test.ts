import { describe, expect, it } from "vitest"
import { makeSelect } from "../../api/views/select.ts"
import { defaultParameters, isPremium, type PremiumEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { endpoints } from "../../schemas/registry.ts"
import { nullsWithoutNote } from "../support/notes.ts"

/** The data of replies before any feed has answered: by the default parameters, and by the examples of all. */
const coldOf = (endpoint: PremiumEndpoint): ReadonlyArray<unknown> => {
  if (endpoint.kind === "queried") return []
  if (endpoint.kind === "prepared") return [endpoint.cold]
  const examples = Object.entries(endpoint.parameters).map(([name, { example }]) => [name, example])
  const select = makeSelect(endpoint)
  return [defaultParameters(endpoint), Object.fromEntries(examples)].map(
    (parameters) => select(endpoint.cold, parameters).data,
  )
}

describe.each(endpoints.filter(isPremium))("the notes of $path", (endpoint) => {
  it("say of each null of the example why it is null", () => {
    expect(nullsWithoutNote(Object(endpoint.example))).toEqual([])
  })
  it("say of each null of a reply without any data why it is null", () => {
    for (const data of coldOf(endpoint)) expect(nullsWithoutNote(Object(data))).toEqual([])
  })
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
