import fc from "fast-check"
import { base64url, CompactSign, importJWK } from "jose"
import { describe, expect, it } from "vitest"
import { RECEIPT_TYP, responseHashOf } from "./format.ts"
import { publicJwkOf } from "./keys.ts"
import { anyBody, claimsFor, newKey, receipts, refusal, signingKey } from "./testing/receipts-under-test.ts"
import { findReceipt, verifySent } from "./verify.ts"

/** Signs whatever a forger likes with a key of his choice. */
const forge = async (key: Parameters<CompactSign["sign"]>[0], header: object, payload: string): Promise<string> =>
  new CompactSign(new TextEncoder().encode(payload)).setProtectedHeader({ alg: "EdDSA", ...header }).sign(key)

/** The hash of a body; null where it cannot have one. */
const canonicalHash = (body: object | undefined): string | null => {
  try {
    return responseHashOf(body ?? [])
  } catch {
    return null
  }
}

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
    const key = await importJWK({ ...signingKey.export({ format: "jwk" }) }, "EdDSA")
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
