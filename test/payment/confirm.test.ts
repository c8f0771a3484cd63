import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { START_MS } from "../../api/testing/api-under-test.ts"
import { memoHashOf } from "../../ledger/buying/proof.ts"
import { AlreadyCredited, PayerProofRequired, PaymentPending } from "../../schemas/contract/payment.ts"
import { PremiumPaymentRequired } from "../../schemas/contract/refusal.ts"
import { paymentConfirm } from "../../schemas/endpoints/payment-confirm.ts"
import {
  address,
  buyer,
  DAY_MS,
  MINUTE_MS,
  SIGNED_UNTIL,
  transaction,
  transfer,
  word,
} from "../conformance/ledger/given.ts"
import { CLAIM_KEY, lostKeys, signed } from "./desk.ts"
import { problemOf, shop, unknownToken } from "./shop.ts"

/** Where the credits go that are claimed by signature. */
const claim_key = CLAIM_KEY
/** What a confirm sends for a 409 that asks for a signature: that of a wallet, with the day of the text. */
const signedFor = (reply: { json: () => Record<string, unknown> }, wallet = buyer) => {
  const { text_to_sign, signature_until } = reply.json()
  return { claim_key, signature: signed(wallet, String(text_to_sign)), signature_until }
}

describe("POST /api/payment/confirm", () => {
  it("gives a token and the credits, and the very same again", async () => {
    const { buy, post } = await shop()
    const { reply, confirmation } = await buy("paid")
    expect(reply.statusCode).toBe(200)
    expect(reply.headers).toHaveProperty("cache-control", "no-store")
    const body = reply.json()
    expect(Schema.is(paymentConfirm.data)(body)).toBe(true)
    expect(body).toMatchObject({
      credits: 50,
      balance: 50,
      provisional: false,
      purchases: [{ tx_hash: confirmation.tx_hash }],
    })
    expect((await post("confirm", confirmation)).json()).toEqual(body)
  })

  it("adds to a bearer's token", async () => {
    const { buy, quote, pay, post } = await shop()
    const { token } = await buy("one")
    const confirmation = pay("two", await quote(2))
    const added = (await post("confirm", confirmation, { token })).json()
    expect(added).toMatchObject({ token, credits: 100, balance: 150 })
    expect(problemOf(await post("confirm", confirmation))).toMatchObject({
      status: 409,
      body: { error: "already_credited" },
    })
  })

  it.each([
    "Bearer nonsense",
    "Basic dXNlcjpwYXNz",
    `Bearer ${unknownToken}`,
    "",
    " ",
    "Bearer",
    "Bearer ",
    unknownToken,
    `Bearer ${unknownToken} ${unknownToken}`,
    `Bearer ${unknownToken}, Bearer ${unknownToken}`,
  ])("refuses the Authorization %j before anything is claimed", async (authorization) => {
    const { quote, pay, post, desk } = await shop()
    const reply = await post("confirm", pay("paid", await quote()), { headers: { authorization } })
    expect(problemOf(reply)).toMatchObject({
      status: 401,
      body: { error: expect.stringMatching(/^(invalid|missing)_token$/) },
    })
    expect(desk.memory.records("ledger")).toHaveLength(1)
  })

  it("with neither memo nor signature is 409 at once: nothing is looked up, whether the chain answers or not", async () => {
    const { post, desk, buy } = await shop()
    const { token } = await buy("one")
    const before = desk.finds()
    desk.breakWith("down")
    for (const [more, ask] of [
      [{ claim_key }, {}],
      [{ claim_key_hash: "0".repeat(64) }, {}],
      [{}, { token }],
    ] as const) {
      const { status, body } = problemOf(await post("confirm", { tx_hash: word("never"), ...more }, ask))
      expect([status, body.error, body.reason]).toEqual([409, "payer_proof_required", "proof_required"])
      expect(body.text_to_sign).toContain(word("never"))
      expect(Schema.is(PayerProofRequired)(body)).toBe(true)
      expect(JSON.stringify(body)).not.toMatch(/svc_live_[0-9a-f]|tw_claim_[0-9a-f]/)
    }
    const without = problemOf(await post("confirm", { tx_hash: word("never") }))
    expect(Schema.is(PayerProofRequired)(without.body)).toBe(true)
    expect(without).toMatchObject({ status: 409, body: { reason: "beneficiary_required", text_to_sign: null } })
    expect(desk.finds()).toBe(before)
  })

  it("of a payment that another claimant had credited names what opened that account, and the owner's next step", async () => {
    const { post, desk, quote, buy } = await shop()
    const { memo, quote: quoted } = await quote()
    const { hash: tx_hash } = desk.mine(transaction("paid", [transfer(buyer, Number(quoted.amount_units))]))
    const sign = async () => signedFor(await post("confirm", { tx_hash, claim_key }))
    expect((await post("confirm", { tx_hash, nonce: memo })).statusCode).toBe(200)
    const refusal = problemOf(await post("confirm", { tx_hash, ...(await sign()) }))
    expect(Schema.is(AlreadyCredited)(refusal.body)).toBe(true)
    expect(refusal).toMatchObject({ status: 409, body: { opened_by: "memo", next_step: "show_memo", shown: null } })
    const { token } = await buy("other")
    const added = await quote(2)
    const { hash } = desk.mine(transaction("added", [transfer(buyer, Number(added.quote.amount_units))]))
    await post("confirm", { tx_hash: hash, nonce: added.memo }, { token })
    const without = problemOf(await post("confirm", { tx_hash: hash, nonce: added.memo }))
    expect(without).toMatchObject({ status: 409, body: { opened_by: "memo", next_step: "send_token" } })
    expect(JSON.stringify([refusal, without])).not.toContain(memo)
  })

  it("requires proof with the text to sign, and accepts the payer's signature of it", async () => {
    const { post, desk } = await shop()
    const { hash: tx_hash } = desk.mine(transaction("round", [transfer(buyer, 1_000_000)]))
    const asked = await post("confirm", { tx_hash, claim_key })
    const { status, body } = problemOf(asked)
    expect(status).toBe(409)
    expect(Schema.is(PayerProofRequired)(body)).toBe(true)
    const stranger = await post("confirm", { tx_hash, ...signedFor(asked, address("stranger")) })
    expect(problemOf(stranger)).toMatchObject({
      status: 409,
      body: { reason: "signature_refused", text_to_sign: body.text_to_sign },
    })
    const { claim_key: _, ...read } = signedFor(asked)
    expect(problemOf(await post("confirm", { tx_hash, ...read }))).toMatchObject({ status: 409 })
    const done = await post("confirm", { tx_hash, nonce: null, ...signedFor(asked) })
    expect(done.json()).toMatchObject({ credits: 50 })
    desk.pass(8 * DAY_MS)
    const late = problemOf(await post("confirm", { tx_hash, ...signedFor(asked) }))
    expect(late).toMatchObject({ status: 409, body: { reason: "signature_expired", signature_until: "2026-09-01" } })
  })

  it("is 202 with Retry-After until the payment is deep enough", async () => {
    const { post, quote, pay } = await shop()
    const quoted = await quote()
    const unknown = await post("confirm", { tx_hash: word("paid"), nonce: quoted.memo })
    expect([unknown.statusCode, unknown.headers["retry-after"]]).toEqual([202, "5"])
    const reply = await post("confirm", pay("paid", quoted, { confirmations: 1, depth: "latest" }))
    expect(reply.statusCode).toBe(202)
    expect(Schema.is(PaymentPending)(reply.json())).toBe(true)
    expect(reply.json()).toMatchObject({ status: "pending", confirmations: 1, required: 5 })
    expect(reply.headers).toMatchObject({ "retry-after": "8", "cache-control": "no-store" })
  })

  it("is 404 for a transaction that stays unknown for 30 minutes", async () => {
    const { post, desk, quote } = await shop()
    const shown = { tx_hash: word("never"), nonce: (await quote()).memo }
    expect((await post("confirm", shown)).statusCode).toBe(202)
    desk.pass(30 * MINUTE_MS)
    expect(problemOf(await post("confirm", shown))).toMatchObject({
      status: 404,
      body: { error: "unknown_transaction" },
    })
  })

  it("is 402 for a transaction that pays nothing, failed, or pays too little, with the reason", async () => {
    const { post, desk, quote } = await shop()
    const nonce = (await quote()).memo
    desk.mine(transaction("elsewhere", []))
    desk.revert(word("reverted"))
    for (const [name, reason] of [
      ["elsewhere", "no_payment"],
      ["reverted", "failed_transaction"],
    ] as const) {
      const { status, body } = problemOf(await post("confirm", { tx_hash: word(name), nonce }))
      expect([status, body.error, body.reason]).toEqual([402, "payment_required", reason])
      expect(Schema.is(PremiumPaymentRequired)(body)).toBe(true)
    }
    desk.mine(transaction("cents", [transfer(buyer, 500_000)]))
    const sign = signedFor(await post("confirm", { tx_hash: word("cents"), claim_key }))
    const small = problemOf(await post("confirm", { tx_hash: word("cents"), ...sign }))
    expect([small.status, small.body.reason]).toEqual([402, "too_small"])
    expect(small.body.message).toContain("0.500000")
  })

  it.each([
    [{}, "missing_parameter", "tx_hash"],
    [{ tx_hash: "0x12" }, "invalid_parameter", "tx_hash"],
    [{ tx_hash: word("t"), nonce: "tw_buy_x" }, "invalid_parameter", "nonce"],
    [{ tx_hash: word("t"), signature: "signed" }, "invalid_parameter", "signature"],
    [{ tx_hash: word("t"), payer: "0x12" }, "invalid_parameter", "payer"],
    [{ tx_hash: word("t"), claim_key: "tw_claim_x" }, "invalid_parameter", "claim_key"],
    [{ tx_hash: word("t"), claim_key_hash: word("t") }, "invalid_parameter", "claim_key_hash"],
    [{ tx_hash: word("t"), signature_until: "tomorrow" }, "invalid_parameter", "signature_until"],
    [{ tx_hash: word("t"), signature: `0x${"00".repeat(11_000)}` }, "invalid_parameter", "signature"],
  ])("refuses %.60j and names the member", async (payload, error, parameter) => {
    const { post } = await shop()
    const { status, body } = problemOf(await post("confirm", payload))
    expect([status, body.error, body.parameter]).toEqual([400, error, parameter])
    expect(JSON.stringify(body)).not.toMatch(/tw_(buy|claim)_x/)
  })

  it("is answered ten times a minute for one client", async () => {
    const { post, moveTo, quote } = await shop()
    const nonce = (await quote()).memo
    for (let n = 0; n < 10; n++) expect((await post("confirm", { tx_hash: word(`${n}`), nonce })).statusCode).toBe(202)
    const { status, headers } = problemOf(await post("confirm", { tx_hash: word("more") }))
    expect([status, headers]).toMatchObject([429, { "retry-after": "60" }])
    moveTo(START_MS + MINUTE_MS)
    expect((await post("confirm", { tx_hash: word("more"), nonce })).statusCode).toBe(202)
  })

  it("costs no look-up by a memo that the ledger does not know, and is 409 with the text to sign", async () => {
    const { post, desk, buy } = await shop()
    const { token } = await buy("one")
    const before = desk.finds()
    const nonce = `tw_buy_${"f".repeat(32)}`
    const { status, body } = problemOf(await post("confirm", { tx_hash: word("t"), nonce }))
    expect([status, body.error]).toEqual([409, "payer_proof_required"])
    expect(body.text_to_sign).toContain(memoHashOf(nonce))
    expect(desk.finds()).toBe(before)
    expect((await post("confirm", { tx_hash: word("t"), nonce }, { token: unknownToken })).statusCode).toBe(401)
    expect(desk.finds()).toBe(before)
    expect((await post("confirm", { tx_hash: word("t"), nonce }, { token })).statusCode).toBe(202)
    expect((await post("confirm", { tx_hash: word("t"), nonce, signature: "0x12" })).statusCode).toBe(202)
  })

  it.each([
    ["addresses of one /48", (n: number) => `2001:db8:1:${n.toString(16)}::1`, 20],
    ["addresses of one /24", (n: number) => `192.0.2.${n}`, 20],
    ["networks of one /32", (n: number) => `2001:db8:${n.toString(16)}::1`, 120],
    ["networks of one /16", (n: number) => `198.51.${n}.1`, 120],
  ])("looks up only so much for strangers from many %s", async (_, addressOf, max) => {
    const { desk, app, moveTo } = await shop()
    const confirm = (n: number) =>
      app.inject({
        method: "POST",
        url: "/api/payment/confirm",
        remoteAddress: addressOf(n % 250),
        payload: { tx_hash: word(`${n}`), signature: "0x12", signature_until: SIGNED_UNTIL, claim_key },
      })
    const statuses: Array<number> = []
    for (let n = 0; n < 2 * max; n++) statuses.push((await confirm(n)).statusCode)
    expect(statuses).toEqual([...Array(max).fill(202), ...Array(max).fill(429)])
    expect(desk.finds()).toBe(max)
    moveTo(START_MS + MINUTE_MS)
    expect((await confirm(1)).statusCode).toBe(202)
  })

  it("has a limit in all, of which the last part is for clients with few confirms", async () => {
    const limits = { chainLookupsPerMinuteInAll: 24, chainLookupsOfNewClient: 3 }
    const { desk, app } = await shop({ limits })
    const confirm = async (remoteAddress: string, n: number) =>
      (
        await app.inject({
          method: "POST",
          url: "/api/payment/confirm",
          remoteAddress,
          payload: {
            tx_hash: word(`${remoteAddress} ${n}`),
            signature: "0x12",
            signature_until: SIGNED_UNTIL,
            claim_key,
          },
        })
      ).statusCode
    const accepted = async (address: string) => {
      const statuses: Array<number> = []
      for (let n = 0; n < 8; n++) statuses.push(await confirm(address, n))
      return statuses.filter((status) => status === 202).length
    }
    for (const greedy of ["192.0.2.1", "203.0.113.1", "198.51.100.1"]) expect(await accepted(greedy)).toBe(6)
    for (const later of ["198.18.0.1", "198.19.0.1"]) expect(await accepted(later)).toBe(3)
    expect(await accepted("198.20.0.1")).toBe(0)
    expect(desk.finds()).toBe(24)
  })

  it("says that a receipt is not read yet, which is not that the chain cannot be reached", async () => {
    const { post, desk, quote, pay } = await shop()
    const confirmation = pay("bundled", await quote())
    desk.breakWith("large", "receipt")
    const { status, body, headers } = problemOf(await post("confirm", confirmation))
    expect([status, body.reason, headers]).toMatchObject([503, "receipt_unread", { "retry-after": "7" }])
    desk.breakWith(null)
    expect((await post("confirm", confirmation)).statusCode).toBe(200)
  })

  it("replies with Retry-After while the chain is unavailable; tokens stay valid", async () => {
    const { post, buy, get, desk } = await shop()
    const { token, confirmation } = await buy("paid")
    desk.breakWith("down")
    const { status, body, headers } = problemOf(await post("confirm", confirmation))
    expect([status, body.error, headers]).toMatchObject([503, "billing_unavailable", { "retry-after": "7" }])
    expect((await get("balance", { token })).statusCode).toBe(200)
  })

  it("is 503 where the key of tokens is missing, and logs that for the operator", async () => {
    const { quote, pay, post, errors } = await shop({}, ({ another }) => another(lostKeys))
    expect(problemOf(await post("confirm", pay("paid", await quote()))).status).toBe(503)
    expect(errors).toEqual([{ kid: "k1" }])
  })
})
