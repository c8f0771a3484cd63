import { generateKeyPairSync } from "node:crypto"
import { connect, type Socket } from "node:net"
import * as Schema from "effect/Schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { openReceipts, type Receipts, requestHashOf, responseHashOf } from "../ledger/client.ts"
import type { Endpoint } from "../schemas/contract/endpoint-kinds.ts"
import { jwksEndpoint } from "../schemas/endpoints/jwks.ts"
import { receiptVerifyEndpoint } from "../schemas/endpoints/receipt-verify.ts"
import type { Billing } from "./routes/route.ts"
import { apiUnderTest } from "./testing/api-under-test.ts"

const newReceipts = (): Promise<Receipts> => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  return openReceipts({ signing: privateKey, verifying: [publicKey] }, { issuer: "https://tidewire.example" })
}

const endpoints: ReadonlyArray<Endpoint> = [jwksEndpoint, receiptVerifyEndpoint]
const receipts = await newReceipts()

// Nothing but receipts may be asked of it here: whatever else is used would be missing. Nothing is sold.
const billing = { receipts, buying: { facts: null } } as unknown as Billing

/** A reply with its receipt. */
const replyOf = async (body: object) => {
  const receipt = await receipts.sign({
    endpoint: "/api/pro/briefing",
    requestHash: requestHashOf("GET", "/api/pro/briefing", {}),
    responseHash: responseHashOf(body),
    credits: 1,
    reason: null,
    atMs: Date.parse("2026-11-21T16:00:00.123Z"),
    entry: { accountSequence: 17, hash: "ab".repeat(32) },
  })
  return { ...body, receipt }
}

const start = async (options: Partial<Parameters<typeof apiUnderTest>[0]> = {}) => {
  const { app, errors, listen } = await apiUnderTest({ endpoints, billing, ...options })
  const verify = async (payload: string | object, headers: Record<string, string> = {}) => {
    const answer = await app.inject({
      method: "POST",
      url: "/api/receipt/verify",
      headers: { "content-type": "application/json", ...headers },
      payload,
    })
    return { status: answer.statusCode, headers: answer.headers, body: answer.json() }
  }
  return { app, errors, listen, verify }
}

describe("the keys of receipts", () => {
  it("are published as the contract says, and may be kept for an hour", async () => {
    const { app } = await start()
    const answer = await app.inject({ url: "/.well-known/jwks.json" })
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toEqual(receipts.jwks)
    expect(Schema.is(jwksEndpoint.data)(answer.json())).toBe(true)
    expect(answer.headers["cache-control"]).toContain("max-age=3600")
    expect(answer.headers["access-control-allow-origin"]).toBe("*")
    const { etag } = answer.headers
    const again = await app.inject({ url: "/.well-known/jwks.json", headers: { "if-none-match": String(etag) } })
    expect(again.statusCode).toBe(304)
  })

  it("are not at hand where there is no billing", async () => {
    const { app, verify } = await start({ billing: null })
    const answer = await app.inject({ url: "/.well-known/jwks.json" })
    expect(answer.statusCode).toBe(503)
    expect(answer.json()).toMatchObject({ error: "billing_unavailable" })
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0)
    expect((await verify(await replyOf({ a: 1 }))).status).toBe(503)
  })
})

describe("verifying over HTTP", () => {
  it("verifies a whole reply, and a receipt alone", async () => {
    const { verify } = await start()
    const reply = await replyOf({ source: "tidewire-pro", data: { count: 3 } })
    const whole = await verify(reply)
    const stated = {
      id: reply.receipt.id,
      issuer: "https://tidewire.example",
      kid: receipts.jwks.keys[0]?.kid,
      time: "2026-11-21T16:00:00.123Z",
      endpoint: "/api/pro/briefing",
      request_sha256: requestHashOf("GET", "/api/pro/briefing", {}),
      response_sha256: responseHashOf(reply),
      credits: 1,
      reason: null,
      ledger: { account_sequence: 17, entry_sha256: "ab".repeat(32) },
    }
    expect(whole.status).toBe(200)
    expect(whole.headers["cache-control"]).toBe("private, no-store")
    expect(whole.body).toEqual({ valid: true, reason: null, body: "matches", receipt: stated })
    expect(Schema.is(receiptVerifyEndpoint.data)(whole.body)).toBe(true)
    for (const alone of [{ receipt: reply.receipt.jws }, { receipt: reply.receipt }])
      expect((await verify(alone)).body).toEqual({ valid: true, reason: null, body: "not_given", receipt: stated })
    const changed = await verify({ ...reply, data: { count: 4 } })
    expect(changed.body).toEqual({ valid: false, reason: "body_differs", body: "differs", receipt: stated })
    expect(changed.status).toBe(200)
  })

  it("refuses receipts of other issuers", async () => {
    const { verify } = await start()
    const stranger = await (await newReceipts()).sign({
      endpoint: "/api/pro/briefing",
      requestHash: "0".repeat(64),
      responseHash: "1".repeat(64),
      credits: 1,
      reason: null,
      atMs: 0,
      entry: null,
    })
    expect((await verify({ receipt: stranger.jws })).body).toEqual({
      valid: false,
      reason: "unknown_key",
      body: "not_given",
      receipt: null,
    })
    expect((await verify({ receipt: "x" })).body).toMatchObject({ valid: false, reason: "malformed" })
    const { receipt } = await replyOf({})
    const forged = `${receipt.jws.slice(0, -4)}AAAA`
    expect((await verify({ receipt: forged })).body).toMatchObject({ valid: false, receipt: null })
  })

  it("refuses what brings no receipt, naming the member", async () => {
    const { verify } = await start()
    for (const wrong of [
      {},
      { receipt: 7 },
      { receipt: {} },
      { receipt: { id: "x" } },
      { receipt: null },
      [],
      [1],
      "null",
      "7",
    ]) {
      const answer = await verify(wrong)
      expect(answer.status).toBe(400)
      expect(answer.body).toMatchObject({ error: "missing_parameter", parameter: "receipt" })
    }
  })

  it("refuses what is no JSON, or too large, and stands whatever comes", async () => {
    const { verify, errors } = await start({ limits: { receiptVerifiesPerMinute: 1_000 } })
    expect(await verify("{")).toMatchObject({ status: 400, body: { error: "malformed_json" } })
    expect(await verify("")).toMatchObject({ status: 400 })
    expect(await verify("{}", { "content-type": "text/plain" })).toMatchObject({ status: 415 })
    expect(await verify({ receipt: "x".repeat(2 ** 20) })).toMatchObject({ status: 413 })
    // A large reply of ours is verified.
    const large = await replyOf({
      items: Array.from({ length: 1_500 }, (_, at) => ({ at, name: `item ${at} ${"x".repeat(120)}` })),
    })
    expect(JSON.stringify(large).length).toBeGreaterThan(200_000)
    expect((await verify(large)).body).toMatchObject({ valid: true, body: "matches" })
    for (const hostile of [
      '{"__proto__":{"receipt":"x"}}',
      '{"receipt":{"__proto__":{"jws":"x"},"id":"y"}}',
      '{"constructor":{"prototype":{}},"receipt":"x"}',
      `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
      `{"receipt":"x","a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
    ])
      expect([200, 400, 413]).toContain((await verify(hostile)).status)
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (value) => {
        const { status } = await verify(JSON.stringify({ receipt: value, other: value }))
        expect([200, 400]).toContain(status)
      }),
      { numRuns: 50 },
    )
    expect(errors).toEqual([])
  })

  it("refuses JSON that parsers read differently, also where one reading is signed", async () => {
    const { verify } = await start()
    const reply = await replyOf({ data: { count: 3 } })
    const text = JSON.stringify(reply)
    expect((await verify(text)).body).toMatchObject({ valid: true, body: "matches" })
    for (const [forged, words] of [
      [text.replace('{"data"', '{"data":{"count":4000},"data"'), "two members of one name"],
      [text.replace('"count":3', '"count":4000,"count":3'), "two members of one name"],
      [text.replace('"count":3', '"count":3.0000000000000001'), "a double does not hold"],
      [text.replace('"count":3', '"count":3,"x":1e999'), "a double does not hold"],
      [text.replace('"count":3', '"count":3,"x":"\\ud800"'), "half a surrogate pair"],
    ] as const) {
      const answer = await verify(forged)
      expect(answer).toMatchObject({ status: 400, body: { error: "malformed_json" } })
      expect(answer.body.message).toContain(words)
    }
    expect((await verify(text.replace('"count":3', '"count":3.0'))).body).toMatchObject({ valid: true })
  })

  it.each([
    [
      "objects times names",
      345_000,
      `{${Array.from({ length: 125 }, (_, at) => `"n${at}":1`).join()},"l":[`,
      "{}",
      "]}",
    ],
    ["depth", 300_000, '{"receipt":"x","a":', "[", ""],
    ["names", 60_000, '{"receipt":"x"', "", "}"],
  ])("looks at no more than a bounded amount of work: %s", async (of, count, head, item, tail) => {
    const { verify } = await start()
    const items =
      of === "names"
        ? Array.from({ length: count }, (_, at) => `,"${at.toString(36)}":1`).join("")
        : of === "depth"
          ? item.repeat(count)
          : Array.from({ length: count }, () => item).join()
    // As much as is read of a body, so that the work within it is what is refused.
    expect(await verify(`${head}${items}${tail}`.slice(0, 256 * 1024))).toMatchObject({
      status: 413,
      body: { error: "body_too_large" },
    })
  })

  it("has a limit of its own, by the minute, and does not use up the share of a day", async () => {
    const { app, verify } = await start({ limits: { receiptVerifiesPerMinute: 2, requestsPerDay: 1 } })
    const reply = await replyOf({ a: 1 })
    for (let count = 0; count < 2; count++) expect((await verify(reply)).status).toBe(200)
    const beyond = await verify(reply)
    expect(beyond).toMatchObject({ status: 429, body: { error: "rate_limited" } })
    expect(Number(beyond.headers["retry-after"])).toBeLessThanOrEqual(60)
    expect((await app.inject({ url: "/.well-known/jwks.json" })).statusCode).toBe(200)
  })

  it("takes an upload that breaks off for no failure of ours", async () => {
    const { app, errors, listen } = await start()
    const port = await listen()
    const gone = new Promise((resolve) => app.server.once("connection", (one: Socket) => one.once("close", resolve)))
    const socket = connect(port, "127.0.0.1")
    socket.on("error", () => undefined)
    const begun = new Promise((resolve) => app.server.once("request", resolve))
    socket.write(
      "POST /api/receipt/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{",
    )
    await begun
    socket.resetAndDestroy()
    await gone
    await new Promise((resolve) => setImmediate(resolve))
    expect(errors).toEqual([])
  })

  it("is a POST", async () => {
    const { app } = await start()
    const answer = await app.inject({ url: "/api/receipt/verify" })
    expect(answer.statusCode).toBe(405)
    expect(answer.headers.allow).toBe("POST, OPTIONS")
  })
})
