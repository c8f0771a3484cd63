import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { centsOf as centsOfContract } from "../../../../schemas/contract/payment.ts"
import { askedAmount, centsOf, creditsOf, isQuotedFor, textOfCents, textOfUnits } from "./amounts.js"

describe("amounts", () => {
  it("are exact integers, from what is typed to what is sent and shown", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 99_999_999_999n), (cents) => {
        const text = textOfCents(cents)
        expect(centsOf(text)).toBe(cents)
        expect(centsOf(text.replace(".", ","))).toBe(cents)
        expect(text).toMatch(/^\d+\.\d{2}$/)
        expect(BigInt(text.replace(".", ""))).toBe(cents)
      }),
    )
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 18n), (units) => {
        expect(textOfUnits(units)).toMatch(/^\d+\.\d{6}$/)
        expect(BigInt(textOfUnits(units).replace(".", ""))).toBe(units)
      }),
    )
  })

  it("reach the service as the same cents, through a number of JSON", () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 1_000_000 }), (cents) => {
        const sent = JSON.stringify({ amount_usd: Number(BigInt(cents)) / 100 })
        expect(centsOfContract(JSON.parse(sent).amount_usd)).toBe(cents)
      }),
    )
  })

  it("take no other writing", () => {
    for (const text of [
      "",
      "5.",
      ".5",
      "1e3",
      "-1",
      "+1",
      "1,000",
      "1.005",
      "0x10",
      "5 USD",
      "٥",
      "1.2.3",
      "9".repeat(10),
    ])
      expect(centsOf(text), text).toBeNull()
    expect(centsOf(" 12,5 ")).toBe(1_250n)
  })

  it("lie between the bounds of the contract", () => {
    const bounds = { usdMin: 1, usdMax: 10_000 }
    for (const text of ["1", "10000", "9999.99"]) expect(askedAmount(text, bounds)).toHaveProperty("cents")
    for (const text of ["0.99", "10000.01", "0", "x"]) expect(askedAmount(text, bounds)).toHaveProperty("problem")
  })

  it("buy whole credits, and are quoted with less than a cent beside them", () => {
    expect([creditsOf(100n, 50), creditsOf(101n, 50), creditsOf(1n, 50)]).toEqual([50n, 50n, 0n])
    expect([1_000_000n, 1_000_417n, 1_009_999n].map((units) => isQuotedFor(units, 100n))).toEqual([true, true, true])
    expect([999_999n, 1_010_000n, 100_041_700n].map((units) => isQuotedFor(units, 100n))).toEqual([false, false, false])
  })
})
