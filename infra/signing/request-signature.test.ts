import { describe, expect, it } from "vitest"
import {
  bodyHashOf,
  isFresh,
  isSignedBy,
  readSignature,
  SIGNATURE_WINDOW_MS,
  type SignedHeader,
  signRequest,
} from "./request-signature.ts"
import { openSealedText, sealText } from "./sealed-text.ts"

const SECRET = "0123456789abcdef0123456789abcdef"
const identity = { edge: "ledger-api", method: "POST", path: "/internal/ledger/api" }
const bodyHash = "a9c3a7631d2a488d1a25c667c554f206b08ddd4ed9f3f6b3c9a4bec2e7f3bd84"
const stated = { atMs: 1_790_000_000_000, nonce: "nonce-1", receiver: "receiver_1", bodyHash }
const header = `Tidewire-HMAC-SHA256 time=1790000000000, nonce=nonce-1, receiver=receiver_1, body=${bodyHash}, signature=15d2ea68ad1c7de6c0d86b40fa340d7e18fdb02670675222eec55c5657a7995d`

const read = (text: string): SignedHeader => {
  const signed = readSignature(text)
  if (signed === null) throw new Error("it is no signature")
  return signed
}

describe("a signed request", () => {
  // Computed with `openssl dgst -sha256 -hmac`, over the lines of the signed text.
  it("has the signature that another implementation computes", () => {
    expect(bodyHashOf('{"commands":[]}')).toBe(bodyHash)
    expect(signRequest(SECRET, identity, stated)).toBe(header)
    const empty = { atMs: 1, nonce: "n", receiver: "-", bodyHash: bodyHashOf("") }
    const demand = { edge: "demand", method: "POST", path: "/internal/demand?x=1" }
    expect(signRequest("another secret", demand, empty)).toContain(
      "e15adfadd234e8b1dde191fba4145bab29ab6ac7457995b97ced49c03d5d84fb",
    )
  })

  it("holds with its secret, also while that is exchanged for another, and with no other", () => {
    expect(isSignedBy([SECRET], identity, read(header))).toBe(true)
    expect(isSignedBy(["the next secret", SECRET], identity, read(header))).toBe(true)
    expect(isSignedBy([`${SECRET} `, ""], identity, read(header))).toBe(false)
    expect(isSignedBy([], identity, read(header))).toBe(false)
  })

  it.each([
    ["edge", { edge: "ledger-operator" }, {}],
    ["method", { method: "PUT" }, {}],
    ["path", { path: "/internal/ledger/operator" }, {}],
    ["query", { path: "/internal/ledger/api?" }, {}],
    ["time", {}, { atMs: 1_790_000_000_001 }],
    ["nonce", {}, { nonce: "nonce-2" }],
    ["receiver", {}, { receiver: "receiver_2" }],
    ["body", {}, { bodyHash: bodyHashOf("{}") }],
    ["signature", {}, { signature: "0".repeat(64) }],
  ])("does not hold for another %s", (_, otherIdentity, otherStated) => {
    expect(isSignedBy([SECRET], { ...identity, ...otherIdentity }, { ...read(header), ...otherStated })).toBe(false)
  })

  it.each([
    undefined,
    "",
    "Bearer 0123456789abcdef0123456789abcdef",
    header.toLowerCase(),
    ` ${header}`,
    `${header} `,
    `${header}, time=1`,
    header.replace("nonce-1", ""),
    header.replace("nonce-1", "a\nb"),
    header.replace("nonce-1", "x".repeat(129)),
    header.replace("1790000000000", "-1"),
    header.replace("1790000000000", "1e9"),
    header.replace("1790000000000", "01"),
    header.replace(bodyHash, bodyHash.toUpperCase()),
    header.replace(/signature=.*/u, "signature="),
    header.slice(0, -1),
    header + "0".repeat(2_000),
  ])("is none where the header is %j", (text) => {
    expect(readSignature(text)).toBeNull()
  })

  it("is fresh within the window of the receiver's clock, on both sides", () => {
    for (const off of [0, SIGNATURE_WINDOW_MS, -SIGNATURE_WINDOW_MS])
      expect(isFresh(stated, stated.atMs + off)).toBe(true)
    for (const off of [SIGNATURE_WINDOW_MS + 1, -SIGNATURE_WINDOW_MS - 1, Number.NaN])
      expect(isFresh(stated, stated.atMs + off)).toBe(false)
  })
})

describe("a sealed text", () => {
  const random = Uint8Array.from({ length: 12 }, (_, index) => index)
  // Computed with HKDF of Python's hmac, and AESGCM of its package cryptography.
  const sealed = "AAECAwQFBgcICQoLOrPMMZpS4uEdFrERfsWaCqZzLnp1oQ"

  it("is what another implementation makes of it", () => {
    expect(sealText(SECRET, "claim", "a memo", random)).toBe(sealed)
  })

  it("opens with its secret and purpose, and with nothing else, and not when it was altered", () => {
    expect(openSealedText(["the next secret", SECRET], "claim", sealed)).toBe("a memo")
    expect(openSealedText(["the next secret"], "claim", sealed)).toBeNull()
    expect(openSealedText([SECRET], "other", sealed)).toBeNull()
    for (const altered of ["", "AAEC", sealed.slice(0, -2), `B${sealed.slice(1)}`, sealed.replace("OrPM", "OrPN")])
      expect(openSealedText([SECRET], "claim", altered)).toBeNull()
  })
})
