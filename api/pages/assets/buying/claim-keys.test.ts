import { describe, expect, it } from "vitest"
import { startClaim } from "./claim.js"
import { CLAIM_KEYS, claimKeyFor } from "./claim-keys.js"
import { confirmBody } from "./service.js"

const FORM = /^tw_claim_[0-9a-f]{64}$/
const hash = (n: number): string => `0x${String(n).padStart(64, "0")}`
const storageOf = (stored = new Map<string, string>()) => ({
  stored,
  getItem: (key: string) => stored.get(key) ?? null,
  setItem: (key: string, value: string) => void stored.set(key, value),
})

describe("a claim key", () => {
  it("is made once for a transaction, and kept before anything is signed", () => {
    const storage = storageOf()
    const key = claimKeyFor(storage, hash(1), null)
    expect(key).toMatch(FORM)
    expect(storage.stored.get(CLAIM_KEYS)).toContain(key)
    expect(claimKeyFor(storage, hash(1), null)).toBe(key)
    expect(claimKeyFor(storage, hash(2), null)).not.toBe(key)
  })

  it("that is typed in takes the place of the kept one", () => {
    const storage = storageOf()
    claimKeyFor(storage, hash(1), null)
    const typed = `tw_claim_${"ab".repeat(32)}`
    expect(claimKeyFor(storage, hash(1), typed)).toBe(typed)
    expect(claimKeyFor(storage, hash(1), null)).toBe(typed)
  })

  it("is one of 50, the newest; what is unreadable, or cannot be stored, does no harm", () => {
    const storage = storageOf()
    const first = claimKeyFor(storage, hash(0), null)
    for (let n = 1; n <= 50; n++) claimKeyFor(storage, hash(n), null)
    expect(JSON.parse(storage.stored.get(CLAIM_KEYS) ?? "")).toHaveLength(50)
    expect(claimKeyFor(storage, hash(0), null)).not.toBe(first)
    for (const text of ["{", "{}", '[["a"],"b",["c","<b>"]]'])
      expect(claimKeyFor(storageOf(new Map([[CLAIM_KEYS, text]])), hash(1), null)).toMatch(FORM)
    const blocked = () => {
      throw new Error("blocked")
    }
    expect(claimKeyFor({ getItem: blocked, setItem: blocked }, hash(1), null)).toMatch(FORM)
  })

  it("is sent with each confirm, and with a signature the day of its text", () => {
    const claim = startClaim({ txHash: hash(1), memo: null, claimKey: `tw_claim_${"ab".repeat(32)}`, attempt: 1 })
    expect(confirmBody(claim)).toEqual({ tx_hash: hash(1), claim_key: claim.claimKey })
    expect(confirmBody({ ...claim, signature: "0x12", signedUntil: "2026-08-24" })).toEqual({
      tx_hash: hash(1),
      claim_key: claim.claimKey,
      signature: "0x12",
      signature_until: "2026-08-24",
    })
  })
})
