import { describe, expect, it } from "vitest"
import { haltReason } from "./trade-halts.ts"

describe("a reason code", () => {
  it.each([
    ["T1", "News pending"],
    ["t12 ", "Additional information requested"],
    ["LUDP", "Volatility trading pause"],
    ["T1 T2", "News pending; News released"],
    ["H10/D", "Trading suspension by the SEC; Deletion of the security"],
    ["M LUDP", "Volatility trading pause"],
    ["XYZ", null],
    ["T1 XYZ", null],
    ["constructor", null],
    ["", null],
  ])("%j is %j in words", (code, words) => {
    expect(haltReason(code)).toBe(words)
  })
})
