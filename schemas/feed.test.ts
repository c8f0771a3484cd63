import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { instanceKey, parseInstanceKey } from "./feed.ts"

const parameters = fc.dictionary(
  fc
    .oneof(fc.constantFrom("magnitude", "period", "lat"), fc.string({ minLength: 1 }))
    .filter((one) => one !== "__proto__"),
  fc.oneof(fc.constantFrom("2.5", "-118.24", "day"), fc.string({ unit: "grapheme" })),
  { noNullPrototype: true },
)

describe("the key of an instance", () => {
  it("is the name and the sorted query, as a URL spells it", () => {
    fc.assert(
      fc.property(parameters, (given) => {
        const names = Object.keys(given).sort()
        const query = new URLSearchParams(names.map((name): [string, string] => [name, given[name] ?? ""])).toString()
        expect(instanceKey("feed", given)).toBe(names.length === 0 ? "feed" : `feed?${query}`)
      }),
    )
  })

  it("is read back", () => {
    fc.assert(
      fc.property(parameters, (given) => {
        const { name, parameters: read } = parseInstanceKey(instanceKey("some-feed", given))
        expect([name, { ...read }]).toEqual(["some-feed", given])
      }),
    )
  })
})
