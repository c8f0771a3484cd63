import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { responseHashOf } from "../../ledger/client.ts"
import { type BodyMembers, OPEN, prepareBody } from "./reply.ts"

/** A body without open members. */
const writeBody = (members: BodyMembers) => prepareBody(members).fill({})

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

  it("is prepared once, and each time it is filled in the sent bytes are the signed ones", () => {
    const names = fc.uniqueArray(
      fc.string({ unit: "binary" }).filter((name) => name !== "receipt" && name !== "billing" && name.isWellFormed()),
      { maxLength: 5 },
    )
    const billings = fc.array(fc.record({ credits_charged: fc.nat(), credits_remaining: fc.nat() }), { minLength: 2 })
    fc.assert(
      fc.property(names, fc.nat(5), fc.nat(6), fc.boolean(), billings, (keys, billingAt, receiptAt, two, all) => {
        const members: Array<BodyMembers[number]> = keys.map((name) => [name, [name]])
        members.splice(billingAt, 0, ["billing", OPEN])
        members.splice(receiptAt, 0, ["receipt", null])
        if (two) members.push(["\u{10ffff}last", OPEN])
        const prepared = prepareBody(members)
        for (const billing of all) {
          const text = JSON.stringify(billing)
          const body = prepared.fill({ billing: text, "\u{10ffff}last": "[1]" })
          const sent = body.with(receipt).toString()
          expect(Object.entries(JSON.parse(sent))).toHaveLength(new Set(members.map(([name]) => name)).size)
          expect(JSON.parse(sent)).toMatchObject({ billing, receipt })
          expect(responseHashOf(JSON.parse(sent))).toBe(body.hash)
          expect(responseHashOf(JSON.parse(body.with(null).toString()))).toBe(body.hash)
        }
      }),
      { numRuns: 300 },
    )
  })

  it("is refused while an open member is not filled in", () => {
    expect(() => prepareBody([["billing", OPEN]]).fill({})).toThrow("billing")
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
