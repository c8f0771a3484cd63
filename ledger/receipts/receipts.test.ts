import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, type KeyObject, verify } from "node:crypto"
import { readFileSync } from "node:fs"
import fc from "fast-check"
import { base64url, CompactSign, importJWK } from "jose"
import { describe, expect, it } from "vitest"
import { JWS_LENGTH_MAX, RECEIPT_TYP, requestHashOf, responseHashOf } from "./format.ts"
import { newReceiptKey, publicJwkOf, type ReceiptKeys, readReceiptKey, receiptKeysOf } from "./keys.ts"
import { openReceipts } from "./receipts.ts"
import { findReceipt, makeVerifier, type ReceiptClaims, type ReceiptVerdict, verifySent } from "./verify.ts"

const keysOf = (...keys: ReadonlyArray<KeyObject>): ReceiptKeys => {
  const found = receiptKeysOf(keys)
  if (found === null) throw new Error("the first key must be private")
  return found
}
const newKey = (): KeyObject => createPrivateKey(newReceiptKey())

const first = newKey()
const second = newKey()
const receipts = await openReceipts(keysOf(first), { issuer: "https://tidewire.example" })

const claimsFor = (body: object): ReceiptClaims => ({
  endpoint: "/api/pro/briefing",
  requestHash: requestHashOf("GET", "/api/pro/briefing", { history: "24h" }),
  responseHash: responseHashOf(body),
  credits: 1,
  reason: null,
  atMs: Date.parse("2026-11-21T16:00:00.123Z"),
  entry: { sequence: 17, hash: "ab".repeat(32) },
})

/** Any JSON object as a text makes it: half surrogate pairs cannot be served. */
const anyBody = fc
  .dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue({ stringUnit: "grapheme", maxDepth: 4 }))
  .map((body): Record<string, unknown> => JSON.parse(JSON.stringify(body)))
  .filter((body) => JSON.stringify(body).isWellFormed())

const refusal = (reason: ReceiptVerdict["reason"]): ReceiptVerdict => ({
  valid: false,
  reason,
  claims: null,
  body: "not_given",
})

/** Signs whatever a forger likes with a key of his choice. */
const forge = async (key: Parameters<CompactSign["sign"]>[0], header: object, payload: string): Promise<string> =>
  new CompactSign(new TextEncoder().encode(payload)).setProtectedHeader({ alg: "EdDSA", ...header }).sign(key)

describe("a receipt", () => {
  it("states what it was given, for whatever body", async () => {
    await fc.assert(
      fc.asyncProperty(anyBody, fc.option(fc.nat()), fc.integer({ min: 0, max: 4e12 }), async (body, credits, atMs) => {
        const charged = credits !== null
        const claims: ReceiptClaims = {
          ...claimsFor(body),
          credits: credits ?? 0,
          reason: charged ? null : "empty_range",
          entry: charged ? { sequence: credits, hash: "cd".repeat(32) } : null,
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
      ledger: { sequence: 17, entry_sha256: "ab".repeat(32) },
    })
    expect(base64url.decode(signature)).toHaveLength(64)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u)
    expect(jws.length).toBeLessThan(JWS_LENGTH_MAX / 2)
  })
})

describe("a change", () => {
  it("of any one character of the JWS is noticed", async () => {
    const body = { a: 1 }
    const { jws } = await receipts.sign(claimsFor(body))
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ \n\u0000é"
    // Each place in turn, with characters that change few bits as well as such that belong to no JWS.
    for (let at = 0; at < jws.length; at += 1) {
      const old = alphabet.indexOf(jws[at] ?? "")
      for (const step of [1, 2, 16, 32, 61]) {
        const character = alphabet[(old + step) % alphabet.length] ?? ""
        const changed = jws.slice(0, at) + character + jws.slice(at + 1)
        const verdict = await receipts.verify(changed, body)
        expect(verdict.valid || verdict.claims !== null, `${at} ${JSON.stringify(character)}`).toBe(false)
      }
      const cut = await receipts.verify(jws.slice(0, at) + jws.slice(at + 1), body)
      expect(cut.valid).toBe(false)
    }
  })

  it("of any one byte of the body is noticed, unless the JSON is the same", async () => {
    const body = {
      source: "tidewire-pro",
      data: { temperatureC: -3.25, list: [1, 2, null, true], name: 'Ölfeld \u2028 "x"', tiny: 1e-7, big: 1e21 },
      billing: { credits_charged: 1, credits_remaining: 49 },
    }
    const { id, jws } = await receipts.sign(claimsFor(body))
    const bytes = Buffer.from(JSON.stringify({ ...body, receipt: { id, jws } }))
    const original = responseHashOf(body)
    let changes = 0
    for (let at = 0; at < bytes.length; at += 1)
      for (const flip of [0x01, 0x02, 0x04, 0x08, 0x10, 0x20]) {
        const changed = Buffer.from(bytes)
        changed[at] = (changed[at] ?? 0) ^ flip
        let value: unknown
        try {
          value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(changed))
        } catch {
          continue
        }
        const sent = findReceipt(value)
        if (sent === null) continue
        const verdict = await verifySent(receipts.verify, sent)
        // `1` for `1.0` and the like: what is read is the same.
        const same = sent.id === id && sent.jws === jws && sent.body !== undefined
        if (same && canonicalHash(sent.body) === original) continue
        changes += 1
        expect(verdict.valid, `byte ${at}: ${String.fromCharCode(changed[at] ?? 0)}`).toBe(false)
      }
    expect(changes).toBeGreaterThan(500)
  })

  it("of any one value of any body is noticed", async () => {
    await fc.assert(
      fc.asyncProperty(anyBody, anyBody, async (one, other) => {
        const { jws } = await receipts.sign(claimsFor(one))
        const same = responseHashOf(one) === responseHashOf(other)
        expect((await receipts.verify(jws, other)).body).toBe(same ? "matches" : "differs")
        const more = { ...one, [`${Object.keys(one).join("")}+`]: null }
        expect(await receipts.verify(jws, more)).toMatchObject({
          valid: false,
          reason: "body_differs",
          body: "differs",
        })
      }),
      { numRuns: 100 },
    )
  })

  it("of the id beside the receipt is noticed", async () => {
    const body = { a: 1 }
    const { id, jws } = await receipts.sign(claimsFor(body))
    const verdict = (receipt: unknown) => {
      const sent = findReceipt({ ...body, receipt })
      return sent === null ? null : verifySent(receipts.verify, sent)
    }
    expect(await verdict({ id, jws })).toMatchObject({ valid: true, body: "matches" })
    expect(await verdict({ id: `${id}0`, jws })).toMatchObject({ valid: false, reason: "id_differs" })
    for (const half of [{ id }, { jws }]) expect(verdict(half)).toBeNull()
    expect(verdict(7)).toBeNull()
  })
})

const canonicalHash = (body: object | undefined): string | null => {
  try {
    return responseHashOf(body ?? [])
  } catch {
    return null
  }
}

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
    const rotated = await openReceipts(keysOf(second, first))
    expect(await rotated.verify(jws, body)).toMatchObject({ valid: true, body: "matches" })
    expect(rotated.jwks.keys.map(({ kid }) => kid)).toEqual([
      (await publicJwkOf(second)).kid,
      (await publicJwkOf(first)).kid,
    ])
    const newer = await rotated.sign(claimsFor(body))
    expect(await rotated.verify(newer.jws)).toMatchObject({ valid: true })
    expect(await receipts.verify(newer.jws)).toEqual(refusal("unknown_key"))
    // An old key may be kept as its public half alone.
    const half = await openReceipts({ signing: second, verifying: keysOf(second, first).verifying })
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
    const half = keysOf(first).verifying
    expect(receiptKeysOf(half)).toBeNull()
    expect(receiptKeysOf([])).toBeNull()
    expect(keysOf(first, ...half, first).verifying).toHaveLength(1)
  })
})

describe("what is not ours is refused", () => {
  const payloadOf = (jws: string): string => new TextDecoder().decode(base64url.decode(jws.split(".")[1] ?? ""))

  it("with another algorithm, none, or the public key as a secret", async () => {
    const { jws } = await receipts.sign(claimsFor({}))
    const payload = payloadOf(jws)
    const [jwk] = receipts.jwks.keys
    if (jwk === undefined) throw new Error("there is no key")
    const header = { kid: jwk.kid, typ: RECEIPT_TYP }
    const spell = (value: object): string => base64url.encode(JSON.stringify(value))
    const body = base64url.encode(payload)
    expect(await receipts.verify(`${spell({ alg: "none", ...header })}.${body}.`)).toEqual(refusal("malformed"))
    for (const alg of ["None", "NONE", "", "HS256", "Ed25519", "ES256", "EdDSA "])
      expect(await receipts.verify(`${spell({ ...header, alg })}.${body}.${"A".repeat(86)}`)).toEqual(
        refusal("malformed"),
      )
    for (const secret of [base64url.decode(jwk.x), new TextEncoder().encode(JSON.stringify(jwk))]) {
      const forged = await new CompactSign(new TextEncoder().encode(payload))
        .setProtectedHeader({ ...header, alg: "HS256" })
        .sign(secret)
      expect(await receipts.verify(forged)).toEqual(refusal("malformed"))
    }
  })

  it("with a key of the forger's, under our name or brought along", async () => {
    const { jws } = await receipts.sign(claimsFor({}))
    const [jwk] = receipts.jwks.keys
    const forger = newKey()
    const own = await publicJwkOf(forger)
    const payload = payloadOf(jws)
    const header = { kid: jwk?.kid, typ: RECEIPT_TYP }
    expect(await receipts.verify(await forge(forger, header, payload))).toEqual(refusal("wrong_signature"))
    expect(await receipts.verify(await forge(forger, { ...header, kid: own.kid }, payload))).toEqual(
      refusal("unknown_key"),
    )
    for (const more of [{ jwk: own }, { jku: "https://forger.example/jwks.json" }, { x5c: ["AA=="] }])
      expect(await receipts.verify(await forge(forger, { ...header, ...more }, payload))).toEqual(refusal("malformed"))
    const parts = jws.split(".")
    expect(
      await receipts.verify(
        `${parts[0]}.${base64url.encode(payload.replace('"credits":1', '"credits":0'))}.${parts[2]}`,
      ),
    ).toEqual(refusal("wrong_signature"))
  })

  it("signed by us, but no receipt", async () => {
    const { jws } = await receipts.sign(claimsFor({}))
    const payload = payloadOf(jws)
    const key = await importJWK({ ...first.export({ format: "jwk" }) }, "EdDSA")
    const kid = receipts.jwks.keys[0]?.kid
    expect(await receipts.verify(await forge(key, { kid, typ: RECEIPT_TYP }, payload))).toMatchObject({ valid: true })
    for (const header of [{ kid }, { kid, typ: "JWT" }, { typ: RECEIPT_TYP }, { kid, typ: RECEIPT_TYP, cty: "x" }])
      expect(await receipts.verify(await forge(key, header, payload))).toEqual(refusal("malformed"))
    for (const wrong of [
      "",
      "[]",
      "null",
      "{}",
      payload.replace('"v":1', '"v":2'),
      payload.replace('"credits":1', '"credits":-1'),
    ])
      expect(await receipts.verify(await forge(key, { kid, typ: RECEIPT_TYP }, wrong))).toEqual(refusal("malformed"))
  })

  it("when it is garbage or huge", async () => {
    for (const garbage of [
      "",
      ".",
      "..",
      "...",
      "a.b.c",
      "ä.ö.ü",
      "e30.e30.e30",
      "{}",
      "\u0000",
      `${"a".repeat(1e6)}.b.c`,
      ".".repeat(1e6),
    ])
      expect(await receipts.verify(garbage)).toEqual(refusal("malformed"))
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), async (garbage) => {
        expect(await receipts.verify(garbage)).toEqual(refusal("malformed"))
      }),
    )
    const { jws } = await receipts.sign(claimsFor({}))
    for (const body of [null, 7, "x", [], [{}], { a: Number.POSITIVE_INFINITY }, { a: "\ud800" }])
      expect(await receipts.verify(jws, body)).toMatchObject({ valid: false, body: "differs" })
    let deep: unknown = {}
    for (let at = 0; at < 100_000; at += 1) deep = { a: deep }
    expect(await receipts.verify(jws, deep)).toMatchObject({ valid: false, body: "differs" })
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
      entry: { sequence: 17, hash: "ab".repeat(32) },
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
