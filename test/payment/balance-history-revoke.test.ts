import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { describe, expect, it, vi } from "vitest"
import { type LedgerClient, makeToken, tokenHashOf } from "../../ledger/client.ts"
import { PURCHASES_PAGE_MAX } from "../../ledger/rules.ts"
import { PremiumPaymentRequired } from "../../schemas/contract/refusal.ts"
import { paymentBalance } from "../../schemas/endpoints/payment-balance.ts"
import { HISTORY_PURCHASES_MAX, paymentHistory } from "../../schemas/endpoints/payment-history.ts"
import { paymentRevoke } from "../../schemas/endpoints/payment-revoke.ts"
import { address, confirm, transaction, transfer, word } from "../conformance/ledger/given.ts"
import { tokenKeys } from "./desk.ts"
import { problemOf, shop, unknownToken } from "./shop.ts"

const payer = address("payer of many")

/** The token of an account that an operator has opened with 9 credits. */
const grantedToken = async (ledger: LedgerClient): Promise<string> => {
  const wanted = { claimant: "grant/g", origin: "g", generation: 1 }
  const token = makeToken(tokenKeys, "k1", wanted) ?? ""
  const candidate = { ...wanted, kid: "k1", hash: tokenHashOf(token) }
  const given = { account: "g", credits: 9, operator: "jane", reason: "a test", payment: null, token: candidate }
  await Effect.runPromise(ledger.submit({ _tag: "grant", ...given }))
  return token
}

describe("balance, history and revoke", () => {
  it("give a token's balance, and its purchases", async () => {
    const { buy, get } = await shop()
    const { token, confirmation } = await buy("paid", 2)
    const balance = await get("balance", { token })
    expect(balance.statusCode).toBe(200)
    expect(Schema.is(paymentBalance.data)(balance.json())).toBe(true)
    expect(balance.json()).toMatchObject({ credits: 100, shortfall: 0 })
    const history = (await get("history", { token })).json()
    expect(Schema.is(paymentHistory.data)(history)).toBe(true)
    expect(history).toMatchObject({
      purchases: [{ tx_hash: confirmation.tx_hash, credits_added: 100, block_number: 34_000_000, status: "confirmed" }],
      current_balance: 100,
      totals: { total_credits_added: 100, total_credits_spent: 0, purchase_count: 1 },
    })
    expect(history.totals.total_purchased_usd).toBe(history.purchases[0].amount_usd)
  })

  it("ask the ledger for purchases where they are shown, and nowhere else", async () => {
    const { desk, buy, get } = await shop()
    const { token } = await buy("paid")
    const submit = vi.spyOn(desk.ledger, "submit")
    const by = { token: tokenHashOf(token) }
    expect((await get("balance", { token })).json()).toMatchObject({ credits: 50 })
    expect(submit.mock.calls).toEqual([[{ _tag: "readAccount", by, purchases: false }]])
    submit.mockClear()
    expect((await get("history", { token })).json()).toMatchObject({ purchases: [{ credits_added: 50 }] })
    expect(submit.mock.calls).toEqual([[{ _tag: "readAccount", by, purchases: true, before: null }]])
  })

  it("show the newest 1,000 of many purchases, and hold up the ledger's writer for a page of them at a time", async () => {
    const { desk, buy, get } = await shop()
    const { token } = await buy("paid")
    const bearer = tokenHashOf(token)
    const count = HISTORY_PURCHASES_MAX + 150
    for (let n = 0; n < count; n++)
      await Effect.runPromise(
        desk.ledger.submit(
          confirm(transaction(`payment ${n}`, [transfer(payer, 1_000_000)]), { signer: payer, bearer }),
        ),
      )
    const submit = vi.spyOn(desk.ledger, "submit")
    const history = (await get("history", { token })).json()
    expect(Schema.is(paymentHistory.data)(history)).toBe(true)
    const shown = history.purchases.map(({ tx_hash }: { readonly tx_hash: string }) => tx_hash)
    const newest = Array.from({ length: HISTORY_PURCHASES_MAX }, (_, n) => word(`payment ${count - 1 - n}`))
    expect(shown.toSorted()).toEqual(newest.toSorted())
    expect(history.totals).toMatchObject({ total_credits_added: 50 * (count + 1), purchase_count: count + 1 })
    const pages = HISTORY_PURCHASES_MAX / PURCHASES_PAGE_MAX
    expect(submit.mock.calls.map(([command]) => command)).toEqual(
      Array.from({ length: pages }, (_, page) => {
        const before = page === 0 ? null : count + 1 - page * PURCHASES_PAGE_MAX
        return { _tag: "readAccount", by: { token: bearer }, purchases: true, before }
      }),
    )
  })

  it("give up a token, and with it nothing but the token", async () => {
    const { buy, get, post } = await shop()
    const { token, confirmation } = await buy("paid")
    const revoked = await post("revoke", undefined, { token })
    expect(revoked.json()).toMatchObject({
      revoked: true,
      credits: 50,
      way_back: { by: "memo", tx_hash: confirmation.tx_hash, shown: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
    })
    expect(revoked.json().way_back.message).toContain(`Confirm transaction ${confirmation.tx_hash} with the memo`)
    expect(Schema.is(paymentRevoke.data)(revoked.json())).toBe(true)
    expect(problemOf(await get("balance", { token }))).toMatchObject({ status: 401, body: { error: "expired" } })
    const { token: next } = (await post("confirm", confirmation)).json()
    expect(next).not.toBe(token)
    expect((await get("balance", { token: next })).json()).toMatchObject({ credits: 50 })
  })

  it("do not give up a token that only the operator could bring back, until that is confirmed", async () => {
    const { desk, get, post } = await shop()
    const token = await grantedToken(desk.ledger)
    for (const body of [undefined, {}, { confirm: false }]) {
      const { status, body: refused } = problemOf(await post("revoke", body, { token }))
      expect([status, refused.error]).toEqual([409, "confirmation_required"])
      expect(refused.message).toContain('{"confirm": true}')
    }
    expect((await get("balance", { token })).json()).toMatchObject({ credits: 9 })
    const wrong = problemOf(await post("revoke", { confirm: "yes" }, { token }))
    expect([wrong.status, wrong.body.error, wrong.body.parameter]).toEqual([400, "invalid_parameter", "confirm"])
    const revoked = await post("revoke", { confirm: true }, { token })
    expect(revoked.json()).toEqual({
      revoked: true,
      credits: 9,
      way_back: {
        by: "operator",
        tx_hash: null,
        shown: null,
        message: "Ask the operator of this service for a new token.",
      },
    })
    expect(Schema.is(paymentRevoke.data)(revoked.json())).toBe(true)
    expect(problemOf(await get("balance", { token }))).toMatchObject({ status: 401, body: { error: "expired" } })
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
      ["Basic dXNlcjpwYXNz", "missing_token"],
      ["Bearer", "missing_token"],
      [unknownToken, "missing_token"],
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
