import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { memoHashOf } from "../../ledger/buying/proof.ts"
import { centsOf, usdOf } from "../../schemas/contract/payment.ts"
import { BuyCredits, paymentBuyCredits } from "../../schemas/endpoints/payment-buy-credits.ts"
import { buyer } from "../conformance/ledger/given.ts"
import { CONTRACT, WALLET } from "./desk.ts"
import { problemOf, shop } from "./shop.ts"

describe("POST /api/payment/buy-credits", () => {
  it("quotes, in the contract's shape", async () => {
    const { post } = await shop()
    const reply = await post("buy-credits", { amount_usd: 19.99 })
    expect(reply.statusCode).toBe(200)
    expect(reply.headers).toMatchObject({ "cache-control": "no-store", "access-control-allow-origin": "*" })
    const body = reply.json()
    expect(Schema.is(paymentBuyCredits.data)(body)).toBe(true)
    expect(body).toMatchObject({
      wallet: WALLET,
      quote: { credits: 999, chain: "Base", chain_id: 8453, token_contract: CONTRACT, proof: "amount" },
    })
    expect(body.quote.memo_hash).toBe(memoHashOf(body.memo))
    const { memo, quote: shown } = paymentBuyCredits.example
    expect(shown.memo_hash).toBe(memoHashOf(memo))
    expect(body.quote.amount_units).toMatch(/^1999\d{4}$/)
    expect(Math.round(body.quote.amount_usd * 1_000_000)).toBe(Number(body.quote.amount_units))
  })

  it.each([
    [{ amount_usd: 0.99 }, "invalid_parameter"],
    [{ amount_usd: 10_000.01 }, "invalid_parameter"],
    [{ amount_usd: 1.001 }, "invalid_parameter"],
    [{ amount_usd: "1" }, "invalid_parameter"],
    [{ amount_usd: null }, "invalid_parameter"],
    [{ amount_usd: [1] }, "invalid_parameter"],
    [{}, "missing_parameter"],
  ])("refuses %j and names the member", async (payload, error) => {
    const { post, desk } = await shop()
    expect(problemOf(await post("buy-credits", payload))).toMatchObject({
      status: 400,
      body: { error, parameter: "amount_usd" },
    })
    expect(desk.memory.records("ledger")).toEqual([])
  })

  it.each([
    ["[1]", 400],
    ["1", 400],
    ["null", 400],
    ["{", 400],
    ["", 400],
    ['{"__proto__": {"amount_usd": 1}}', 400],
    [`{"amount_usd": 1, "x": "${"x".repeat(70_000)}"}`, 413],
  ])("refuses the body %.40s", async (payload, status) => {
    const { app, errors } = await shop()
    const reply = await app.inject({
      method: "POST",
      url: "/api/payment/buy-credits",
      headers: { "content-type": "application/json" },
      payload,
    })
    expect(problemOf(reply).status).toBe(status)
    expect(errors).toEqual([])
  })

  it("refuses what is not JSON, and no body at all", async () => {
    const { app, post } = await shop()
    const form = { method: "POST", url: "/api/payment/buy-credits", payload: "amount_usd=1" } as const
    for (const type of ["application/x-www-form-urlencoded", "text/plain"])
      expect(problemOf(await app.inject({ ...form, headers: { "content-type": type } })).status).toBe(415)
    expect(problemOf(await post("buy-credits")).status).toBe(400)
  })

  it("ignores what the contract does not name", async () => {
    const { post } = await shop()
    expect((await post("buy-credits", { amount_usd: 1, payer: buyer })).statusCode).toBe(200)
  })

  it("takes every amount of whole cents exactly, and no finer one", () => {
    const takes = Schema.is(BuyCredits)
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 1_000_000 }), (cents) => {
        const amount_usd = JSON.parse((cents / 100).toFixed(2))
        expect(centsOf(amount_usd)).toBe(cents)
        expect(takes({ amount_usd })).toBe(true)
      }),
    )
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 999_999 }), fc.integer({ min: 1, max: 9_999 }), (cents, tail) => {
        expect(takes({ amount_usd: (cents * 10_000 + tail) / 1_000_000 })).toBe(false)
      }),
    )
    for (const usd of [0, -1, 0.995, 10_000.004, 1e300, Number.NaN]) expect(takes({ amount_usd: usd })).toBe(false)
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_009_999 }), (units) => {
        expect(Math.round(JSON.parse(JSON.stringify(usdOf(units))) * 1_000_000)).toBe(units)
      }),
    )
  })

  it("is 429 with Retry-After beyond ten quotes a minute", async () => {
    const { post } = await shop()
    for (let n = 0; n < 10; n++) expect((await post("buy-credits", { amount_usd: 1 })).statusCode).toBe(200)
    const { status, body, headers } = problemOf(await post("buy-credits", { amount_usd: 1 }))
    expect([status, body.error]).toEqual([429, "rate_limited"])
    expect(headers).toHaveProperty("retry-after", "60")
  })
})
