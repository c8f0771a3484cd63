import canonicalize from "canonicalize"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { canonicalJson } from "./json.ts"

const attempt = (write: () => string | undefined): string => {
  try {
    return write() ?? "refused"
  } catch {
    return "refused"
  }
}

const same = (value: unknown): void => {
  expect(attempt(() => canonicalJson(value))).toBe(attempt(() => canonicalize(value)))
}

describe("canonical JSON", () => {
  it("equals the text of the library, for every JSON value", () => {
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 6 }), same), { numRuns: 2000 })
  })

  it("equals the text of the library, or its refusal, for every other value", () => {
    const odd = fc.anything({
      maxDepth: 4,
      withNullPrototype: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withSparseArray: true,
      withTypedArray: true,
    })
    fc.assert(fc.property(odd, same), { numRuns: 2000 })
  })

  it("sorts members at every depth by their UTF-16 units, numbers among them", () => {
    expect(canonicalJson({ b: [{ z: 1, a: 2 }], 10: 1, 9: 2, "\u{1F600}": 3, "\uFB33": 4, a: { y: 1, x: 2 } })).toBe(
      '{"10":1,"9":2,"a":{"x":2,"y":1},"b":[{"a":2,"z":1}],"\u{1F600}":3,"\uFB33":4}',
    )
  })

  it("does not give an object what all objects inherit", () => {
    const value: unknown = JSON.parse('[{"__proto__":1,"constructor":2,"toString":3},{"a":1}]')
    expect(canonicalJson(value)).toBe('[{"__proto__":1,"constructor":2,"toString":3},{"a":1}]')
  })

  it("writes values of many names and of great depth", () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`name ${index}`, { index }]))
    same(many)
    expect(canonicalJson(many)).toHaveLength(JSON.stringify(many).length)
    let deep: unknown = 1
    for (let depth = 0; depth < 5000; depth += 1) deep = { deep }
    same(deep)
  })

  it.each([
    ["not a number", { a: [Number.NaN] }],
    ["without an end", { a: Number.POSITIVE_INFINITY }],
    ["half a character", { a: "\uD800" }],
    ["half a character in a name", { "\uD800": 1 }],
    ["nothing", undefined],
    ["a bigint", { a: 1n }],
  ])("refuses what JSON cannot say: %s", (_, value) => {
    expect(() => canonicalJson(value)).toThrow()
  })

  it("refuses a value that holds itself", () => {
    const value: { self?: unknown } = {}
    value.self = value
    expect(() => canonicalJson(value)).toThrow()
  })
})
