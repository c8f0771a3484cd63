import { createHmac } from "node:crypto"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { bearerOf, isToken, makeToken, type TokenKeys, tokenHashOf } from "./token.ts"

const keys: TokenKeys = {
  current: "k2",
  keys: new Map([
    ["k1", new Uint8Array(32).fill(1)],
    ["k2", new Uint8Array(32).fill(2)],
  ]),
}
const wanted = { claimant: `memo/0x${"ab".repeat(32)}`, origin: `0x${"cd".repeat(32)}`, generation: 1 }
const anyWanted = fc.record({
  claimant: fc.string({ minLength: 1, unit: "grapheme" }),
  origin: fc.string({ minLength: 1, unit: "grapheme" }),
  generation: fc.nat(),
})

describe("tokens", () => {
  it("are the HMAC over the documented text", () => {
    const text = `["tidewire/token/v1","memo/0x${"ab".repeat(32)}","0x${"cd".repeat(32)}",1]`
    const token = `svc_live_${createHmac("sha256", new Uint8Array(32).fill(1)).update(text).digest("hex")}`
    expect(makeToken(keys, "k1", wanted)).toBe(token)
    expect(token).toBe("svc_live_712732a54087bc4f69d02c6d6e5a24496a60f9c214c29636a19f476ab4ceaebf")
    expect(tokenHashOf(token)).toBe("f832469987531b4bb9ddcfeed5a97e11b003784fa5e3255fd97a58f36a075276")
  })

  it("are the same again for the same, and others for whatever else", () => {
    fc.assert(
      fc.property(anyWanted, anyWanted, (one, other) => {
        const token = makeToken(keys, "k1", one) ?? ""
        expect(isToken(token)).toBe(true)
        expect(makeToken(keys, "k1", { ...one })).toBe(token)
        expect(makeToken(keys, "k2", one)).not.toBe(token)
        const same = one.claimant === other.claimant && one.origin === other.origin
        expect(makeToken(keys, "k1", other) === token).toBe(same && one.generation === other.generation)
        for (const another of [
          { ...one, claimant: `${one.claimant}x` },
          { ...one, origin: `${one.origin}x` },
          { ...one, generation: one.generation + 1 },
        ])
          expect(makeToken(keys, "k1", another)).not.toBe(token)
        // What is moved over the border between two members is another text.
        const moved = { ...one, claimant: one.claimant.slice(0, -1), origin: one.claimant.slice(-1) + one.origin }
        if (moved.claimant.isWellFormed() && moved.origin.isWellFormed())
          expect(makeToken(keys, "k1", moved)).not.toBe(token)
      }),
    )
  })

  it("cannot be made without their key", () => {
    expect(makeToken(keys, "k3", wanted)).toBeNull()
  })
})

describe("the bearer of a request", () => {
  const token = `svc_live_${"0a".repeat(32)}`

  it("is read from a header of the scheme", () => {
    for (const header of [`Bearer ${token}`, `bearer ${token}`, `BEARER   ${token}  `])
      expect(bearerOf(header)).toEqual({ token })
  })

  it("is missing or malformed", () => {
    for (const header of [
      undefined,
      "",
      "  ",
      "Bearer",
      "Bearer ",
      "bearer \t ",
      token,
      `Basic ${token}`,
      `Bearers ${token}`,
      `Bearer,${token}`,
    ])
      expect(bearerOf(header)).toBe("missing")
    for (const header of [
      `Bearer ${token} ${token}`,
      `Bearer ${token}0`,
      `Bearer ${token.toUpperCase()}`,
      `Bearer "${token}"`,
      `Bearer ${token},Bearer ${token}`,
      `Bearer\t${token}`,
      `Bearer ${"x".repeat(100_000)}`,
    ])
      expect(bearerOf(header)).toBe("malformed")
  })
})
