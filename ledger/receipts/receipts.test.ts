import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, verify } from "node:crypto"
import { readFileSync } from "node:fs"
import fc from "fast-check"
import { base64url, CompactSign } from "jose"
import { describe, expect, it } from "vitest"
import { canonicalJson } from "../../schemas/json.ts"
import { JWS_LENGTH_MAX, RECEIPT_TYP, requestHashOf, responseHashOf } from "./format.ts"
import { newReceiptKey, publicJwkOf, readReceiptKey, receiptKeysOf } from "./keys.ts"
import { openReceipts } from "./receipts.ts"
import { anyBody, claimsFor, keysOf, newKey, receipts, refusal, signingKey } from "./testing/receipts-under-test.ts"
import { makeVerifier, type ReceiptClaims } from "./verify.ts"

describe("a receipt", () => {
  it("states what it was given, for whatever body", async () => {
    await fc.assert(
      fc.asyncProperty(anyBody, fc.option(fc.nat()), fc.integer({ min: 0, max: 4e12 }), async (body, credits, atMs) => {
        const charged = credits !== null
        const claims: ReceiptClaims = {
          ...claimsFor(body),
          credits: credits ?? 0,
          reason: charged ? null : "empty_range",
          entry: charged ? { accountSequence: credits, hash: "cd".repeat(32) } : null,
          atMs,
        }
        const { id, jws } = await receipts.sign(claims)
        const stated = { ...claims, id, issuer: receipts.issuer, kid: receipts.jwks.keys[0]?.kid }
        expect(await receipts.verify(jws)).toEqual({
          valid: true,
          reason: null,
          claims: stated,
          body: "not_given",
        })
        // As the buyer has it: written, read, with the receipt in it, its members in whatever order.
        const reply = JSON.parse(JSON.stringify({ receipt: { id, jws }, ...Object.fromEntries(Object.entries(body)) }))
        const saved = { ...Object.fromEntries(Object.entries(reply).reverse()), receipt: { id, jws } }
        expect(await receipts.verify(jws, saved)).toEqual({
          valid: true,
          reason: null,
          claims: { ...stated, responseHash: responseHashOf(saved) },
          body: "matches",
        })
      }),
      { numRuns: 200 },
    )
  })

  it("is an ordinary JWS of the documented form", async () => {
    const { id, jws } = await receipts.sign(claimsFor({ a: 1 }))
    const [header = "", payload = "", signature = ""] = jws.split(".")
    const text = (part: string): string => new TextDecoder().decode(base64url.decode(part))
    expect(JSON.parse(text(header))).toEqual({ alg: "EdDSA", kid: receipts.jwks.keys[0]?.kid, typ: RECEIPT_TYP })
    expect(JSON.parse(text(payload))).toEqual({
      v: 1,
      iss: "https://tidewire.example",
      jti: id,
      time: "2026-11-21T16:00:00.123Z",
      endpoint: "/api/pro/briefing",
      request_sha256: requestHashOf("GET", "/api/pro/briefing", { history: "24h" }),
      response_sha256: responseHashOf({ a: 1 }),
      credits: 1,
      reason: null,
      ledger: { account_sequence: 17, entry_sha256: "ab".repeat(32) },
    })
    expect(base64url.decode(signature)).toHaveLength(64)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u)
    expect(jws.length).toBeLessThan(JWS_LENGTH_MAX / 2)
  })
})

describe("the text that is signed", () => {
  it("is canonical, and the signature is the one that a library makes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.boolean(), fc.integer({ min: 0, max: 4e12 }), async (credits, free, atMs) => {
        const entry = free ? null : { accountSequence: credits, hash: "ef".repeat(32) }
        const reason = free ? "stale_sources" : null
        const { jws } = await receipts.sign({ ...claimsFor({ a: 1 }), credits, reason, atMs, entry })
        const [header = "", payload = ""] = jws.split(".")
        const text = new TextDecoder().decode(base64url.decode(payload))
        expect(text).toBe(canonicalJson(JSON.parse(text)))
        const protectedHeader = JSON.parse(new TextDecoder().decode(base64url.decode(header)))
        // Ed25519 signatures are deterministic.
        const signed = await new CompactSign(base64url.decode(payload))
          .setProtectedHeader(protectedHeader)
          .sign(signingKey)
        expect(jws).toBe(signed)
      }),
      { numRuns: 50 },
    )
  })
})

describe("hashes", () => {
  it("of a request do not depend on the order of its parameters, and on nothing less", () => {
    const hash = requestHashOf("GET", "/api/pro/briefing", { a: "1", b: "2" })
    expect(requestHashOf("get", "/api/pro/briefing", { b: "2", a: "1" })).toBe(hash)
    for (const [method, path, query] of [
      ["POST", "/api/pro/briefing", { a: "1", b: "2" }],
      ["GET", "/api/pro/briefin", { a: "1", b: "2" }],
      ["GET", "/api/pro/briefing", { a: "2", b: "1" }],
      ["GET", "/api/pro/briefing", { a: "1" }],
      ["GET", "/api/pro/briefing", { a: "1", b: "2", c: "" }],
      ["GET", "/api/pro/briefing", { a: '1","b":"2' }],
    ] as const)
      expect(requestHashOf(method, path, { ...query })).not.toBe(hash)
  })

  it("of a reply leave out its receipt and nothing within", () => {
    const body = { b: [{ receipt: 1 }], a: { receipt: 2 } }
    expect(responseHashOf({ ...body, receipt: { id: "x", jws: "y" } })).toBe(responseHashOf(body))
    expect(responseHashOf({ ...body, b: [{}] })).not.toBe(responseHashOf(body))
    // A member that scripts know is a member like any other.
    expect(responseHashOf(JSON.parse('{"__proto__":{"a":1}}'))).not.toBe(responseHashOf({}))
    expect(() => responseHashOf([])).toThrow(TypeError)
    expect(() => responseHashOf({ a: Number.NaN })).toThrow()
  })
})

describe("keys", () => {
  it("that signed before stay good after a rotation, and are published", async () => {
    const body = { a: 1 }
    const { jws } = await receipts.sign(claimsFor(body))
    const second = newKey()
    const rotated = await openReceipts(keysOf(second, signingKey))
    expect(await rotated.verify(jws, body)).toMatchObject({ valid: true, body: "matches" })
    expect(rotated.jwks.keys.map(({ kid }) => kid)).toEqual([
      (await publicJwkOf(second)).kid,
      (await publicJwkOf(signingKey)).kid,
    ])
    const newer = await rotated.sign(claimsFor(body))
    expect(await rotated.verify(newer.jws)).toMatchObject({ valid: true })
    expect(await receipts.verify(newer.jws)).toEqual(refusal("unknown_key"))
    // An old key may be kept as its public half alone.
    const half = await openReceipts({ signing: second, verifying: keysOf(second, signingKey).verifying })
    expect(await half.verify(jws, body)).toMatchObject({ valid: true })
  })

  it("are published without their private part", () => {
    for (const key of receipts.jwks.keys)
      expect(Object.keys(key).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x"])
  })

  it("are read as PEM and as a seed, and nothing else is", async () => {
    const pem = newReceiptKey()
    const { d } = createPrivateKey(pem).export({ format: "jwk" })
    const [one, other] = [readReceiptKey(`\n${pem}\n`), readReceiptKey(d ?? "")]
    expect(one?.type).toBe("private")
    if (one === null || other === null) throw new Error("a key was not read")
    expect(await publicJwkOf(other)).toEqual(await publicJwkOf(one))
    const curve = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "pem", type: "spki" })
    for (const wrong of ["", "x", `${d}x`, (d ?? "").slice(1), curve.toString(), pem.slice(0, 60), "a".repeat(100_000)])
      expect(readReceiptKey(wrong)).toBeNull()
  })

  it("that are only public cannot sign, and none twice", async () => {
    const half = keysOf(signingKey).verifying
    expect(receiptKeysOf(half)).toBeNull()
    expect(receiptKeysOf([])).toBeNull()
    expect(keysOf(signingKey, ...half, signingKey).verifying).toHaveLength(1)
  })
})

describe("the documented vectors", () => {
  const readme = readFileSync(new URL("README.md", import.meta.url), "utf8")
  const block = readme.split("## Test vectors")[1]?.split("```json")[1]?.split("```")[0] ?? ""
  const vectors = JSON.parse(block)

  it("are what is signed and hashed", async () => {
    const { seed, jwk, request, response, reply } = vectors
    const key = readReceiptKey(seed)
    if (key === null) throw new Error("the seed was not read")
    const documented = await openReceipts(keysOf(key), {
      issuer: "https://tidewire.example",
      newId: () => reply.receipt.id,
    })
    // The thumbprint of this key is also that of RFC 8037, appendix A.3.
    expect(documented.jwks).toEqual({ keys: [jwk] })
    expect(jwk.kid).toBe("kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
    for (const { canonical, sha256 } of [request, response]) expect(hash("sha256", canonical, "hex")).toBe(sha256)
    expect(requestHashOf(request.method, request.path, request.query)).toBe(request.sha256)
    expect(responseHashOf(reply)).toBe(response.sha256)
    const receipt = await documented.sign({
      endpoint: "/api/pro/briefing",
      requestHash: request.sha256,
      responseHash: response.sha256,
      credits: 1,
      reason: null,
      atMs: Date.parse("2026-11-21T16:00:00.123Z"),
      entry: { accountSequence: 17, hash: "ab".repeat(32) },
    })
    expect(receipt).toEqual(reply.receipt)
    const [header = "", payload = ""] = receipt.jws.split(".")
    expect(new TextDecoder().decode(base64url.decode(header))).toBe(vectors.header)
    expect(new TextDecoder().decode(base64url.decode(payload))).toBe(vectors.payload)
    expect(await documented.verify(receipt.jws, reply)).toMatchObject({ valid: true, body: "matches" })
  })

  it("verify by means that know nothing of this code", () => {
    const { jwk, reply } = vectors
    const [header, payload, signature] = reply.receipt.jws.split(".")
    const key = createPublicKey({ key: { kty: jwk.kty, crv: jwk.crv, x: jwk.x }, format: "jwk" })
    expect(verify(null, Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, "base64url"))).toBe(true)
  })
})

describe("a verifier", () => {
  it("is made of a saved key set", async () => {
    const { jws } = await receipts.sign(claimsFor({}))
    const saved: unknown = JSON.parse(JSON.stringify(receipts.jwks))
    const others = [
      { kty: "RSA", n: "x", e: "AQAB", kid: "r" },
      7,
      { kty: "OKP", crv: "X25519", x: "A".repeat(43), kid: "x" },
    ]
    expect(await (await makeVerifier(saved))(jws)).toMatchObject({ valid: true })
    const mixed = await makeVerifier({ keys: [...others, ...receipts.jwks.keys], more: true })
    expect(await mixed(jws)).toMatchObject({ valid: true })
    for (const wrong of [
      null,
      {},
      { keys: [] },
      { keys: 7 },
      { keys: others },
      [],
      "x",
      { keys: Array(10_000).fill(7) },
    ])
      await expect(makeVerifier(wrong)).rejects.toThrow(TypeError)
  })
})
