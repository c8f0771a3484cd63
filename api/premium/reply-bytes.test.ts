import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { responseHashOf } from "../../ledger/client.ts"
import { writeBody } from "./reply-bytes.ts"

const receipt = { id: "r1", jws: "a.b.c" }

describe("a body", () => {
  it("is sent as it was signed, whatever it says", () => {
    const names = fc.uniqueArray(
      fc.string({ unit: "binary" }).filter((name) => name !== "receipt" && name.isWellFormed()),
      { minLength: 1, maxLength: 6 },
    )
    const values = fc.array(fc.jsonValue({ stringUnit: "binary" }), { minLength: 6, maxLength: 6 })
    fc.assert(
      fc.property(names, values, fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }), (keys, all, shared) => {
        const members = keys.map((name, at) => [name, all[at] ?? null, shared[at] ?? false] as const)
        const body = writeBody([...members.slice(0, 1), ["receipt", null], ...members.slice(1)])
        const sent = JSON.parse(body.with(receipt).toString())
        expect(sent.receipt).toEqual(receipt)
        expect(responseHashOf(sent)).toBe(body.hash)
        const { receipt: none, ...rest } = JSON.parse(body.with(null).toString())
        expect(none).toBeNull()
        expect(responseHashOf(rest)).toBe(body.hash)
      }),
      { numRuns: 500 },
    )
  })

  it("keeps the order of its members, with the receipt where its member stands", () => {
    const text = writeBody([
      ["z", 1],
      ["a", { y: 1, x: [2] }, true],
      ["receipt", null],
      ["m", null],
    ])
      .with(receipt)
      .toString()
    expect(text).toBe('{"z":1,"a":{"x":[2],"y":1},"receipt":{"id":"r1","jws":"a.b.c"},"m":null}')
  })

  it("replaces half a surrogate pair, which has no canonical form", () => {
    const half = "\ud83d"
    const body = writeBody([
      ["text", [{ [half]: half }]],
      ["end", 1],
    ])
    const sent = JSON.parse(body.with(receipt).toString())
    expect(sent.text).toEqual([{ "\ufffd": "\ufffd" }])
    expect(responseHashOf(sent)).toBe(body.hash)
  })

  it("is refused where JSON cannot say it", () => {
    expect(() => writeBody([["x", undefined]])).toThrow()
    expect(() => writeBody([["x", Number.NaN]])).toThrow()
  })
})
