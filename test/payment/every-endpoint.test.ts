import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { apiUnderTest } from "../../api/testing/api-under-test.ts"
import { BillingUnavailable } from "../../ledger/client.ts"
import { buyer, transaction, transfer, word } from "../conformance/ledger/given.ts"
import type { DeskUnderTest } from "./desk.ts"
import { endpoints, problemOf, shop, undocumented, unknownToken } from "./shop.ts"

describe("whatever is sent", () => {
  const member = fc.oneof(
    fc.constantFrom(1, 19.99, -0, 1e308, null, true, "", word("paid"), "tw_buy_", `0x${"g".repeat(64)}`),
    fc.string({ unit: "binary", maxLength: 80 }),
    fc.jsonValue({ maxDepth: 2 }),
  )
  const body = fc.oneof(
    fc.dictionary(fc.constantFrom("amount_usd", "tx_hash", "nonce", "signature", "constructor"), member),
    fc.jsonValue({ maxDepth: 3 }),
  )

  it("is answered as the contract declares, never with a fault of the server", async () => {
    // Each one comes from a network of its own, as the limits are for each.
    const { app, errors, desk } = await shop({ trustedProxies: ["127.0.0.1"] })
    desk.mine(transaction("paid", [transfer(buyer, 1_000_000)]))
    let address = 0
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("buy-credits", "confirm", "revoke"), body, async (path, sent) => {
        address += 1
        const url = `/api/payment/${path}`
        const reply = await app.inject({
          method: "POST",
          url,
          headers: { "content-type": "application/json", "x-forwarded-for": `10.${address & 255}.${address >> 8}.1` },
          payload: JSON.stringify(sent),
        })
        expect(undocumented("POST", url, reply)).toEqual([])
        expect([200, 202, 400, 401, 409]).toContain(reply.statusCode)
        expect(reply.headers["cache-control"]).toBe("no-store")
      }),
      { numRuns: 300 },
    )
    expect(errors).toEqual([])
  })
})

describe("without a ledger, or without a wallet", () => {
  const calls = [
    ["POST", "buy-credits", { amount_usd: 1 }],
    ["POST", "confirm", { tx_hash: word("t") }],
    ["GET", "info", undefined],
  ] as const

  it("everything is billing_unavailable, and free endpoints are untouched", async () => {
    const { app } = await apiUnderTest({ endpoints, billing: null })
    for (const [method, path, payload] of [
      ...calls,
      ["GET", "balance", undefined],
      ["GET", "history", undefined],
    ] as const) {
      const reply = await app.inject({
        method,
        url: `/api/payment/${path}`,
        ...(payload === undefined ? {} : { payload }),
      })
      expect(problemOf(reply)).toMatchObject({ status: 503, body: { error: "billing_unavailable" } })
      expect(Number(reply.headers["retry-after"])).toBeGreaterThan(0)
    }
    expect((await app.inject({ url: "/api/briefing" })).statusCode).toBe(200)
  })

  it("nothing is sold without a wallet, and the reply gives that reason", async () => {
    const none = ({ buying }: DeskUnderTest) => ({
      ...buying,
      facts: null,
      quote: () => Effect.fail(new BillingUnavailable({ reason: "stopped", retryAfterSeconds: 1 })),
    })
    const { get, app } = await shop({}, none)
    const { status, body } = problemOf(await get("info"))
    expect([status, body.message]).toEqual([503, expect.stringContaining("no wallet")])
    expect((await app.inject({ url: "/developers/agent-payments" })).body).toContain("sells no credits")
  })

  it("the ledger's silence is 503 with its own Retry-After", async () => {
    const silent = ({ buying }: DeskUnderTest) => ({
      ...buying,
      account: () => Effect.fail(new BillingUnavailable({ reason: "overloaded", retryAfterSeconds: 3 })),
    })
    const { get } = await shop({}, silent)
    const { status, headers } = problemOf(await get("balance", { token: unknownToken }))
    expect([status, headers]).toMatchObject([503, { "retry-after": "3" }])
  })
})

describe("secrets", () => {
  it("are in no metric, no log and no refusal", async () => {
    const { buy, get, post, registry, errors, desk } = await shop()
    const { token, confirmation } = await buy("paid")
    const { nonce } = confirmation
    const refusals = [
      await post("confirm", { tx_hash: word("nothing"), nonce }),
      await post("confirm", { tx_hash: "0x", nonce }, { token }),
      await post("confirm", { ...confirmation, signature: token }),
      await get("nothing", { token }),
    ]
    desk.breakWith("down")
    refusals.push(await post("confirm", confirmation, { token }))
    expect(refusals.map(({ statusCode }) => statusCode)).toEqual([202, 400, 400, 404, 503])
    const outputs = [await registry.metrics(), JSON.stringify(errors), ...refusals.map(({ body }) => body)]
    for (const output of outputs)
      for (const secret of [nonce.slice(7), token.slice(9)]) expect(output).not.toContain(secret)
    expect(outputs[0]).toContain('tidewire_payment_confirms_total{outcome="credited"} 1')
  })
})
