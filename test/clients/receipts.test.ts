import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as client from "../../.clients/typescript/index.js"
import { canonicalJson } from "../../.clients/typescript/lib/canonical.js"
import { canonicalJson as canonicalOfService } from "../../schemas/json.ts"
import { describeUnless } from "../support/describe-unless.ts"
import { type Driver, pythonDriver, pythonMissing, runPython, typescriptDriver } from "./drivers.ts"
import { packages } from "./make-packages.ts"
import { vectors } from "./receipt-vectors.ts"
import { json, type ScriptStep, scriptedService } from "./scripted-service.ts"

// Receipts, verified by both clients, with the published test vectors.

const { reply, jwk } = vectors
const { query } = vectors.request
const keys = { keys: [jwk] }
/** Of RFC 8032, 7.1, test 1. */
const otherKey = { ...jwk, x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", kid: "another" }
const asked = { operation: "pro_briefing", parameters: { include: ["earthquakes"], history: "24h" } }

const folder = join(packages, "python")
const python = pythonMissing()
const drivers: ReadonlyArray<Driver> = [
  typescriptDriver(client),
  ...(python === undefined ? [pythonDriver(folder)] : []),
]

const [header, payload, signature] = reply.receipt.jws.split(".")
const withJws = (jws: string, id = reply.receipt.id) => ({ ...reply, receipt: { id, jws } })
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
const changedSignature = `${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`

describe.each(drivers)("the client of $language", ({ call }) => {
  it("takes a reply whose receipt holds, with the keys of the service or with its own", async () => {
    expect(query).toEqual({ include: "earthquakes", history: "24h" })
    const service = await scriptedService(json(200, reply), json(200, keys))
    expect(await call({ ...asked, ...service })).toMatchObject({ reply, error: null })
    expect(service.requests.map(({ path }) => path)).toEqual([
      "/api/pro/briefing?include=earthquakes&history=24h",
      "/.well-known/jwks.json",
    ])
    const pinned = await scriptedService(json(200, reply))
    expect(await call({ ...asked, ...pinned, keys })).toMatchObject({ reply, error: null })
    expect(pinned.requests).toHaveLength(1)
  })

  it.each([
    ["body_differs", { ...reply, billing: { credits_charged: 0, credits_remaining: 49 } }],
    ["body_differs", { ...reply, more: null }],
    ["id_differs", withJws(reply.receipt.jws, "019aa751-6d78-7a15-a34f-b12837a03c74")],
    ["wrong_signature", withJws(`${header}.${payload}.${changedSignature}`)],
    ["wrong_signature", withJws(`${header}.${encoded({ ...JSON.parse(vectors.payload), credits: 0 })}.${signature}`)],
    ["malformed", withJws(`${encoded({ ...JSON.parse(vectors.header), alg: "none" })}.${payload}.${signature}`)],
    ["malformed", withJws(`${encoded({ ...JSON.parse(vectors.header), crit: [] })}.${payload}.${signature}`)],
    ["malformed", withJws(`${header}.${payload}.${signature}=`)],
    ["malformed", withJws(`${header}.${payload}`)],
    ["malformed", { ...reply, receipt: null }],
  ])("refuses %s", async (problem, body) => {
    const { baseUrl } = await scriptedService(json(200, body))
    expect((await call({ ...asked, baseUrl, keys })).error).toMatchObject({
      type: "ReceiptError",
      problem,
      reply: body,
    })
  })

  it("refuses the receipt of another request", async () => {
    const { baseUrl } = await scriptedService(json(200, reply))
    for (const parameters of [{}, { ...asked.parameters, include: ["launches"] }])
      expect((await call({ ...asked, baseUrl, keys, parameters })).error).toMatchObject({ problem: "request_differs" })
    expect((await call({ baseUrl, keys, operation: "pro_macro" })).error).toMatchObject({ problem: "request_differs" })
  })

  it("refuses a receipt of an unknown key, after it has read the keys once, and never beside pinned ones", async () => {
    const service = await scriptedService(json(200, reply), json(200, { keys: [otherKey] }))
    expect((await call({ ...asked, ...service })).error).toMatchObject({ problem: "unknown_key" })
    expect(service.requests).toHaveLength(2)
    const pinned = await scriptedService(json(200, reply), json(200, keys))
    expect((await call({ ...asked, ...pinned, keys: { keys: [otherKey] } })).error).toMatchObject({
      problem: "unknown_key",
    })
    expect(pinned.requests).toHaveLength(1)
  })

  it("says that the keys are unavailable, and keeps the reply that was paid for", async () => {
    const steps: ReadonlyArray<ScriptStep> = [json(503, {}), json(200, { keys: "none" })]
    for (const step of steps) {
      const { baseUrl } = await scriptedService(json(200, reply), step)
      expect((await call({ ...asked, baseUrl })).error).toMatchObject({ problem: "keys_unavailable", reply })
    }
  })
})

describe("the client of TypeScript", () => {
  it("reads the keys again for a receipt of a new key", async () => {
    const service = await scriptedService(
      json(200, reply),
      json(200, { keys: [otherKey] }),
      json(200, reply),
      json(200, keys),
    )
    const tidewire = new client.Tidewire(service)
    const call = () => tidewire.proBriefing({ include: ["earthquakes"], history: "24h" })
    await expect(call()).rejects.toMatchObject({ problem: "unknown_key" })
    expect(await call()).toEqual(reply)
    expect(service.requests.map(({ path }) => path.split("?")[0])).toEqual([
      "/api/pro/briefing",
      "/.well-known/jwks.json",
      "/api/pro/briefing",
      "/.well-known/jwks.json",
    ])
  })

  it("writes the same canonical text as the service", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        // Half of a surrogate pair has no canonical form, for the service and for the client.
        const outcome = (write: (value: unknown) => string) => {
          try {
            return write(value)
          } catch {
            return "refused"
          }
        }
        expect(outcome(canonicalJson)).toBe(outcome(canonicalOfService))
      }),
    )
    expect(() => canonicalJson("\ud800")).toThrow(TypeError)
  })
})

describeUnless(python, "the client of Python", () => {
  const evaluate = (expression: string, input: unknown = null) =>
    runPython(
      folder,
      [
        "-c",
        `import json, sys, tidewire_client as t\nfrom tidewire_client import _ed25519 as e\ni = json.load(sys.stdin)\n${expression}`,
      ],
      JSON.stringify(input),
    )

  it("writes the same canonical text as the service", async () => {
    const values = fc.sample(fc.jsonValue(), { numRuns: 500, seed: 7 }).filter((value) => {
      try {
        return canonicalOfService(value) !== ""
      } catch {
        return false
      }
    })
    const doubles = fc.sample(fc.double({ noNaN: true, noDefaultInfinity: true }), { numRuns: 5_000, seed: 7 })
    const given = [...values, doubles]
    const written = await evaluate("print(json.dumps([t.canonical_json(value) for value in i]))", given)
    expect(JSON.parse(written)).toEqual(given.map(canonicalOfService))
  })

  it("refuses JSON that parsers read differently", async () => {
    const texts = ['{"a":1,"a":2}', "[NaN]", "[Infinity]", "[".repeat(100_000)]
    const code =
      "def refused(text):\n  try: t.read_json(text)\n  except ValueError: return True\n  return False\nprint(json.dumps([refused(text) for text in i]))"
    expect(JSON.parse(await evaluate(code, texts))).toEqual(texts.map(() => true))
    const numbers =
      "def refused(text):\n  try: t.canonical_json(t.read_json(text))\n  except ValueError: return True\n  return False\nprint(json.dumps([refused(text) for text in i]))"
    expect(JSON.parse(await evaluate(numbers, ["9007199254740993", "1e999", '"\\ud800"', "1"]))).toEqual([
      true,
      true,
      true,
      false,
    ])
  })

  it("verifies the signatures of RFC 8032, and refuses every change of one byte", async () => {
    // Section 7.1, tests 1 to 3, and the one of SHA(abc).
    const rfc8032 = [
      [
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
      ],
      [
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
      ],
      [
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
      ],
    ]
    const code = `
for key, message, signature in i:
  key, message, signature = (bytes.fromhex(text) for text in (key, message, signature))
  changed = [bytes(b ^ (at == place) for at, b in enumerate(signature)) for place in range(64)]
  print(e.verify(key, message, signature), any(e.verify(key, message, one) for one in changed), e.verify(key, message + b"x", signature))
`
    expect((await evaluate(code, rfc8032)).trim().split("\n")).toEqual(rfc8032.map(() => "True False False"))
    // A signature whose scalar is not reduced would be a second spelling of the same one; keys are 32 bytes.
    const order = "0x1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed"
    const other = `
key, message, signature = (bytes.fromhex(text) for text in i[0])
scalar = int.from_bytes(signature[32:], "little") + ${order}
print(e.verify(key, message, signature[:32] + scalar.to_bytes(32, "little")), e.verify(key + b"x", message, signature))
`
    expect((await evaluate(other, rfc8032)).trim()).toBe("False False")
  })
})
