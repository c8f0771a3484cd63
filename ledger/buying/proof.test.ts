import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { MEMO_BYTES, makeMemo, memoHashOf } from "./proof.ts"

describe("memos", () => {
  it("are spelled and hashed as documented", () => {
    const memo = makeMemo(Uint8Array.from({ length: MEMO_BYTES }, (_, at) => at))
    expect(memo).toBe("tw_buy_000102030405060708090a0b0c0d0e0f")
    expect(memoHashOf(memo)).toBe("0xc7bab5acae32987ea30b6d3026c6b486c88e3ddc2bf6cf750d016ee9e971ddbd")
    // The vector of every implementation of keccak-256: not the SHA3-256 of the standard.
    expect(memoHashOf("")).toBe("0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470")
  })

  it("have one form, and are made of all their random bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: MEMO_BYTES, maxLength: MEMO_BYTES }), (bytes) => {
        expect(makeMemo(bytes)).toMatch(/^tw_buy_[0-9a-f]{32}$/u)
      }),
    )
    expect(() => makeMemo(new Uint8Array(15))).toThrow(RangeError)
  })
})
