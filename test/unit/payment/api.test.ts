import { createHash } from "node:crypto"
import { Effect, Schema } from "effect"
import * as fc from "fast-check"
import type { InjectOptions } from "fastify"
import { describe, expect, it } from "vitest"
import type { Billing } from "../../../api/billing.ts"
import { htmlOf, markdownOf, pageOf } from "../../../api/payment/page.ts"
import type { ApiOptions } from "../../../api/server.ts"
import { apiUnderTest, START_MS } from "../../../api/testing/api-under-test.ts"
import { undocumentedBy } from "../../../api/testing/documented.ts"
import { BillingUnavailable } from "../../../ledger/client.ts"
import { memoHashOf } from "../../../ledger/memo.ts"
import { paymentBalance } from "../../../schemas/endpoints/payment-balance.ts"
import { BuyCredits, paymentBuyCredits } from "../../../schemas/endpoints/payment-buy-credits.ts"
import { paymentConfirm } from "../../../schemas/endpoints/payment-confirm.ts"
import { paymentHistory } from "../../../schemas/endpoints/payment-history.ts"
import { paymentInfo } from "../../../schemas/endpoints/payment-info.ts"
import { paymentRevoke } from "../../../schemas/endpoints/payment-revoke.ts"
import { centsOf, PayerProofRequired, PaymentPending, usdOf } from "../../../schemas/payment.ts"
import { PremiumPaymentRequired } from "../../../schemas/refusal.ts"
import { endpoints as contract } from "../../../schemas/registry.ts"
import { Problem } from "../../../schemas/reply.ts"
import { address, MINUTE_MS, transaction, transfer, word } from "../../conformance/ledger/given.ts"
import { CONTRACT, type DeskUnderTest, deskUnderTest, lostKeys, signed, WALLET } from "./desk.ts"

const buyer = address("buyer")
/** Without its own document, which takes longest to build. */
const endpoints = contract.filter(({ name }) => name !== "openapi")
const undocumented = undocumentedBy(contract)
const unknownToken = `svc_live_${"0".repeat(64)}`

/** Payments have to do with the ledger and the desk alone. */
const billingOf = ({ ledger, buying }: Pick<DeskUnderTest, "ledger" | "buying">): Billing => ({
  ledger,
  buying,
  receipts: {
    issuer: "test",
    jwks: { keys: [] },
    sign: () => Promise.reject(new Error("no receipt belongs to a payment")),
    verify: () => Promise.reject(new Error("no receipt belongs to a payment")),
  },
  replies: { append: () => Effect.void, get: () => Effect.succeed("unknown") },
  history: null,
})

interface Ask {
  readonly token?: string
  readonly headers?: Record<string, string>
}

const shop = async (
  options: Partial<ApiOptions> = {},
  makeBuying?: (desk: DeskUnderTest) => DeskUnderTest["buying"],
) => {
  const desk = await deskUnderTest()
  const buying = makeBuying?.(desk) ?? desk.buying
  const api = await apiUnderTest({ endpoints, billing: billingOf({ ledger: desk.ledger, buying }), ...options })
  const headersOf = ({ token, headers }: Ask) => ({
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...headers,
  })
  /** Every status, type and header that comes is one that the contract tells of. */
  const send = async (asked: InjectOptions & { readonly url: string; readonly method: "GET" | "POST" }) => {
    const reply = await api.app.inject(asked)
    expect(undocumented(asked.method, asked.url, reply) ?? [], asked.url).toEqual([])
    return reply
  }
  const post = (path: string, payload?: unknown, ask: Ask = {}) =>
    send({
      method: "POST",
      url: `/api/payment/${path}`,
      headers: headersOf(ask),
      ...(payload === undefined ? {} : { payload: payload as object }),
    })
  const get = (path: string, ask: Ask = {}) =>
    send({ method: "GET", url: `/api/payment/${path}`, headers: headersOf(ask) })
  const quote = async (amount_usd = 1): Promise<typeof paymentBuyCredits.data.Type> =>
    (await post("buy-credits", { amount_usd })).json()
  /** Quotes, pays and confirms. */
  const buy = async (name: string, amount_usd = 1) => {
    const quoted = await quote(amount_usd)
    const paid = desk.mine(transaction(name, [transfer(buyer, Number(quoted.quote.amount_units))]))
    const reply = await post("confirm", { tx_hash: paid.hash, nonce: quoted.memo })
    return { quoted, txHash: paid.hash, token: String(reply.json().token), reply }
  }
  return { desk, ...api, post, get, quote, buy }
}

const problemOf = (reply: { statusCode: number; json: () => unknown; headers: object }) => {
  const body = reply.json()
  expect(Schema.is(Problem)(body)).toBe(true)
  expect(reply.headers).toMatchObject({
    "cache-control": "no-store",
    "content-type": "application/problem+json; charset=utf-8",
  })
  return { status: reply.statusCode, body: body as Problem & Record<string, unknown>, headers: reply.headers }
}

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

describe("POST /api/payment/confirm", () => {
  it("gives a token and the credits, and the very same again", async () => {
    const { buy, post } = await shop()
    const { reply, txHash, quoted } = await buy("paid")
    expect(reply.statusCode).toBe(200)
    expect(reply.headers).toHaveProperty("cache-control", "no-store")
    const body = reply.json()
    expect(Schema.is(paymentConfirm.data)(body)).toBe(true)
    expect(body).toMatchObject({ credits: 50, balance: 50, provisional: false, purchases: [{ tx_hash: txHash }] })
    expect((await post("confirm", { tx_hash: txHash, nonce: quoted.memo })).json()).toEqual(body)
  })

  it("adds to a bearer's token", async () => {
    const { buy, quote, post, desk } = await shop()
    const { token } = await buy("one")
    const { memo, quote: asked } = await quote(2)
    const paid = desk.mine(transaction("two", [transfer(buyer, Number(asked.amount_units))]))
    const confirmation = { tx_hash: paid.hash, nonce: memo }
    const added = (await post("confirm", confirmation, { token })).json()
    expect(added).toMatchObject({ token, credits: 100, balance: 150 })
    expect(problemOf(await post("confirm", confirmation))).toMatchObject({
      status: 409,
      body: { error: "already_credited" },
    })
  })

  it.each([["Bearer nonsense"], ["Basic dXNlcjpwYXNz"], [`Bearer ${unknownToken}`]])(
    "refuses the bearer %s instead of making another token",
    async (authorization) => {
      const { quote, post, desk } = await shop()
      const { memo, quote: asked } = await quote()
      const paid = desk.mine(transaction("paid", [transfer(buyer, Number(asked.amount_units))]))
      const reply = await post("confirm", { tx_hash: paid.hash, nonce: memo }, { headers: { authorization } })
      expect(problemOf(reply)).toMatchObject({ status: 401, body: { error: "invalid_token" } })
      expect(desk.memory.records("ledger")).toHaveLength(1)
    },
  )

  it("asks for proof with the text to sign, and takes the payer's signature of it", async () => {
    const { post, desk } = await shop()
    const { hash: tx_hash } = desk.mine(transaction("round", [transfer(buyer, 1_000_000)]))
    const { status, body } = problemOf(await post("confirm", { tx_hash }))
    expect(status).toBe(409)
    expect(Schema.is(PayerProofRequired)(body)).toBe(true)
    const text = String(body.text_to_sign)
    const stranger = await post("confirm", { tx_hash, signature: signed(address("stranger"), text) })
    expect(problemOf(stranger)).toMatchObject({ status: 409, body: { text_to_sign: text } })
    const done = await post("confirm", { tx_hash, nonce: null, signature: signed(buyer, text) })
    expect(done.json()).toMatchObject({ credits: 50 })
  })

  it("is 202 with Retry-After until the payment is deep enough", async () => {
    const { post, quote, desk } = await shop()
    const { memo: nonce, quote: asked } = await quote()
    const unknown = await post("confirm", { tx_hash: word("paid"), nonce })
    expect([unknown.statusCode, unknown.headers["retry-after"]]).toEqual([202, "5"])
    const shallow = { confirmations: 1, depth: "latest" as const }
    const { hash: tx_hash } = desk.mine(transaction("paid", [transfer(buyer, Number(asked.amount_units))], shallow))
    const reply = await post("confirm", { tx_hash, nonce })
    expect(reply.statusCode).toBe(202)
    expect(Schema.is(PaymentPending)(reply.json())).toBe(true)
    expect(reply.json()).toMatchObject({ status: "pending", confirmations: 1, required: 5 })
    expect(reply.headers).toMatchObject({ "retry-after": "8", "cache-control": "no-store" })
  })

  it("is 404 when nobody has seen the transaction for 30 minutes", async () => {
    const { post, desk } = await shop()
    expect((await post("confirm", { tx_hash: word("never") })).statusCode).toBe(202)
    desk.pass(30 * MINUTE_MS)
    expect(problemOf(await post("confirm", { tx_hash: word("never") }))).toMatchObject({
      status: 404,
      body: { error: "unknown_transaction" },
    })
  })

  it("is 402 for what pays nothing, failed, or pays too little, and says which", async () => {
    const { post, desk } = await shop()
    desk.mine(transaction("elsewhere", []))
    desk.revert(word("reverted"))
    for (const [name, reason] of [
      ["elsewhere", "no_payment"],
      ["reverted", "failed_transaction"],
    ] as const) {
      const { status, body } = problemOf(await post("confirm", { tx_hash: word(name) }))
      expect([status, body.error, body.reason]).toEqual([402, "payment_required", reason])
      expect(Schema.is(PremiumPaymentRequired)(body)).toBe(true)
    }
    desk.mine(transaction("cents", [transfer(buyer, 500_000)]))
    const text = String((await post("confirm", { tx_hash: word("cents") })).json().text_to_sign)
    const small = problemOf(await post("confirm", { tx_hash: word("cents"), signature: signed(buyer, text) }))
    expect([small.status, small.body.reason]).toEqual([402, "too_small"])
    expect(small.body.message).toContain("0.500000")
  })

  it.each([
    [{}, "missing_parameter", "tx_hash"],
    [{ tx_hash: "0x12" }, "invalid_parameter", "tx_hash"],
    [{ tx_hash: word("t"), nonce: "tw_buy_x" }, "invalid_parameter", "nonce"],
    [{ tx_hash: word("t"), signature: "signed" }, "invalid_parameter", "signature"],
    [{ tx_hash: word("t"), signature: `0x${"00".repeat(11_000)}` }, "invalid_parameter", "signature"],
  ])("refuses %.60j and names the member", async (payload, error, parameter) => {
    const { post } = await shop()
    const { status, body } = problemOf(await post("confirm", payload))
    expect([status, body.error, body.parameter]).toEqual([400, error, parameter])
    expect(JSON.stringify(body)).not.toContain("tw_buy_x")
  })

  it("is answered ten times a minute for one client", async () => {
    const { post, moveTo } = await shop()
    for (let n = 0; n < 10; n++) expect((await post("confirm", { tx_hash: word(`${n}`) })).statusCode).toBe(202)
    const { status, headers } = problemOf(await post("confirm", { tx_hash: word("more") }))
    expect([status, headers]).toMatchObject([429, { "retry-after": "60" }])
    moveTo(START_MS + MINUTE_MS)
    expect((await post("confirm", { tx_hash: word("more") })).statusCode).toBe(202)
  })

  it("says when to come back while the chain cannot be asked; a token goes on being good", async () => {
    const { post, buy, get, desk } = await shop()
    const { token, txHash, quoted } = await buy("paid")
    desk.breakWith("down")
    const { status, body, headers } = problemOf(await post("confirm", { tx_hash: txHash, nonce: quoted.memo }))
    expect([status, body.error, headers]).toMatchObject([503, "billing_unavailable", { "retry-after": "7" }])
    expect((await get("balance", { token })).statusCode).toBe(200)
  })

  it("is 503 where the key of tokens is not held, and tells the operator so", async () => {
    const { quote, post, desk, errors } = await shop({}, ({ another }) => another(lostKeys))
    const { memo, quote: asked } = await quote()
    const paid = desk.mine(transaction("paid", [transfer(buyer, Number(asked.amount_units))]))
    expect(problemOf(await post("confirm", { tx_hash: paid.hash, nonce: memo })).status).toBe(503)
    expect(errors).toEqual([{ kid: "k1" }])
  })
})

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

  it("is answered as the contract tells, without a fault of ours", async () => {
    // Each one comes from an address of its own, as the limits are for each.
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
          headers: { "content-type": "application/json", "x-forwarded-for": `10.0.${address >> 8}.${address & 255}` },
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

describe("balance, history and revoke", () => {
  it("tell what a token is worth, and what it was bought with", async () => {
    const { buy, get } = await shop()
    const { token, txHash } = await buy("paid", 2)
    const balance = await get("balance", { token })
    expect(balance.statusCode).toBe(200)
    expect(Schema.is(paymentBalance.data)(balance.json())).toBe(true)
    expect(balance.json()).toMatchObject({ credits: 100, shortfall: 0 })
    const history = (await get("history", { token })).json()
    expect(Schema.is(paymentHistory.data)(history)).toBe(true)
    expect(history).toMatchObject({
      purchases: [{ tx_hash: txHash, credits_added: 100, block_number: 34_000_000, status: "confirmed" }],
      current_balance: 100,
      totals: { total_credits_added: 100, total_credits_spent: 0, purchase_count: 1 },
    })
    expect(history.totals.total_purchased_usd).toBe(history.purchases[0].amount_usd)
  })

  it("give up a token, and with it nothing but the token", async () => {
    const { buy, get, post } = await shop()
    const { token, txHash, quoted } = await buy("paid")
    const revoked = await post("revoke", undefined, { token })
    expect(revoked.json()).toEqual({ revoked: true, credits: 50 })
    expect(Schema.is(paymentRevoke.data)(revoked.json())).toBe(true)
    expect(problemOf(await get("balance", { token }))).toMatchObject({ status: 401, body: { error: "expired" } })
    const { token: next } = (await post("confirm", { tx_hash: txHash, nonce: quoted.memo })).json()
    expect(next).not.toBe(token)
    expect((await get("balance", { token: next })).json()).toMatchObject({ credits: 50 })
  })

  it.each([
    ["GET", "balance"],
    ["GET", "history"],
    ["POST", "revoke"],
  ] as const)("%s %s is refused without a token that is known", async (method, path) => {
    const { app } = await shop({ baseUrl: "https://tidewire.example" })
    const ask = async (authorization?: string) => {
      const headers = authorization === undefined ? {} : { authorization }
      return problemOf(await app.inject({ method, url: `/api/payment/${path}`, headers }))
    }
    for (const [authorization, error] of [
      [undefined, "missing_token"],
      ["Bearer x", "invalid_token"],
      [`Bearer ${unknownToken}`, "invalid_token"],
    ] as const) {
      const { status, body, headers } = await ask(authorization)
      expect([status, body.error]).toEqual([401, error])
      expect(Schema.is(PremiumPaymentRequired)(body)).toBe(true)
      expect(body.pricing).toMatchObject({ "1_usd": "50 credits", "/api/pro/briefing": "1 credit" })
      expect(headers).toMatchObject({
        "x-service-pricing": "https://tidewire.example/developers/agent-payments",
        "www-authenticate": expect.stringMatching(/^Bearer/),
      })
    }
  })
})

describe("GET /api/payment/info", () => {
  it("says where and how to pay", async () => {
    const { get } = await shop()
    const body = (await get("info")).json()
    expect(Schema.is(paymentInfo.data)(body)).toBe(true)
    expect(body).toMatchObject({
      wallet: WALLET,
      chain: { name: "Base", chain_id: 8453 },
      token: { contract: CONTRACT, decimals: 6 },
      prices: { credits_per_usd: 50, credits_by_endpoint: { "/api/pro/briefing": 1 } },
      confirmation: { up_to_usd: 20, blocks: 5 },
    })
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

  it("nothing is sold without a wallet, and the reply says so", async () => {
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
    const { token, quoted, txHash } = await buy("paid")
    const refusals = [
      await post("confirm", { tx_hash: word("nothing"), nonce: quoted.memo }),
      await post("confirm", { tx_hash: "0x", nonce: quoted.memo }, { token }),
      await post("confirm", { tx_hash: txHash, nonce: quoted.memo, signature: token }),
      await get("nothing", { token }),
    ]
    desk.breakWith("down")
    refusals.push(await post("confirm", { tx_hash: txHash, nonce: quoted.memo }, { token }))
    expect(refusals.map(({ statusCode }) => statusCode)).toEqual([202, 400, 400, 404, 503])
    const outputs = [await registry.metrics(), JSON.stringify(errors), ...refusals.map(({ body }) => body)]
    for (const output of outputs)
      for (const secret of [quoted.memo.slice(7), token.slice(9)]) expect(output).not.toContain(secret)
    expect(outputs[0]).toContain('tidewire_payment_confirms_total{outcome="credited"} 1')
  })
})

describe("the page that refusals point to", () => {
  const url = "/developers/agent-payments"

  it("is plain HTML that the content policy allows, with what this service really sells", async () => {
    const { app } = await shop({ baseUrl: "https://tidewire.example" })
    const { statusCode, headers, body } = await app.inject({ url, headers: { accept: "text/html,*/*;q=0.8" } })
    expect(statusCode).toBe(200)
    expect(headers["content-type"]).toBe("text/html; charset=utf-8")
    const [styles, style] = [[...body.matchAll(/<style>/g)], /<style>([^<]*)<\/style>/.exec(body)?.[1] ?? ""]
    expect(styles).toHaveLength(1)
    const source = `'sha256-${createHash("sha256").update(style).digest("base64")}'`
    expect(String(headers["content-security-policy"]).split("; ")).toEqual(
      expect.arrayContaining(["default-src 'none'", "frame-ancestors 'none'", `style-src ${source}`]),
    )
    expect(style).not.toMatch(/url\(|@import|http/)
    for (const named of [WALLET, CONTRACT, "8453", "https://tidewire.example", "GET /api/pro/briefing: 1 credit"])
      expect(body).toContain(named)
    expect(body).not.toMatch(/<script|<link|<img| style=| on\w+=/i)
    // Every element that is opened is closed, in order.
    const open: Array<string> = []
    for (const [, closing, name] of body.matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/g))
      if (name !== "meta") {
        if (closing === "") open.push(String(name))
        else expect(open.pop()).toBe(name)
      }
    expect(open).toEqual([])
  })

  it("is Markdown for who prefers it", async () => {
    const { app } = await shop()
    const { headers, body } = await app.inject({ url, headers: { accept: "text/markdown" } })
    expect(headers["content-type"]).toBe("text/markdown; charset=utf-8")
    expect(headers.vary).toContain("Accept")
    expect(body).toMatch(/^# Buying credits\n/)
    expect(body.match(/```/g)?.length).toBeGreaterThan(8)
  })

  it("holds no address as markup", () => {
    const payment = { name: "<b>", chainId: 1, contract: "<i>", wallet: "&" }
    const html = htmlOf(pageOf({ payment, baseUrl: "http://x/<script>", pricing: { "/<p>": "1 credit" } }))
    expect(html).not.toMatch(/<b>|<i>|<script>|GET \/<p>/)
    expect(markdownOf(pageOf({ payment: null, baseUrl: null, pricing: {} }))).toContain("sells no credits")
  })
})
