import { describe, expect, it } from "vitest"
import { bearerFingerprintOf } from "../../ledger/buying/proof.ts"
import { tokenHashOf } from "../../ledger/token.ts"
import { buyer, transaction, transfer } from "../conformance/ledger/given.ts"
import { CLAIM_KEY, signed } from "../payment/desk.ts"
import { shop, unknownToken } from "../payment/shop.ts"
import { type Era, eras, mcpClient } from "./client.ts"

const SECRETS = /svc_live_[0-9a-f]{64}|tw_buy_[0-9a-f]{32}|tw_claim_[0-9a-f]{64}/

describe.each(eras)("buying with a client of %s", (era: Era) => {
  it("quotes for the token that is presented, and credits it on the payer's signature", async () => {
    const { app, buy, desk, get } = await shop()
    const { token } = await buy("first")
    const client = mcpClient(app, { era, token })
    expect((await client.call("balance")).structuredContent).toMatchObject({ credits: 50 })
    const { structuredContent: quoted, isError } = await client.call("top_up", { amount_usd: 1 })
    expect(isError).toBeUndefined()
    expect(quoted).toMatchObject({ quote: { credits: 50, proof: "amount" }, next: expect.any(String) })
    expect(quoted).not.toHaveProperty("memo")
    const { amount_units } = quoted.quote as { readonly amount_units: string }
    const paid = desk.mine(transaction("second", [transfer(buyer, Number(amount_units))]))
    const refused = await client.call("top_up", { tx_hash: paid.hash })
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: { error: "payer_proof_required", text_to_sign: expect.any(String) },
    })
    const { text_to_sign, signature_until } = refused.structuredContent
    // What is signed names the account of this client's token, so that another client has nothing by it.
    expect(text_to_sign).toContain(bearerFingerprintOf(tokenHashOf(token)))
    const shown = { tx_hash: paid.hash, signature: signed(buyer, String(text_to_sign)), signature_until }
    const { token: strangers } = await buy("stranger's")
    const stranger = mcpClient(app, { era, token: strangers })
    expect(await stranger.call("top_up", shown)).toMatchObject({
      isError: true,
      structuredContent: { error: "payer_proof_required", reason: "signature_refused" },
    })
    const confirmed = await client.call("top_up", shown)
    expect(confirmed.isError).toBeUndefined()
    expect(confirmed.structuredContent).toMatchObject({ credits: 50, balance: 100 })
    expect(confirmed.structuredContent).not.toHaveProperty("token")
    expect((await get("balance", { token })).json()).toMatchObject({ credits: 100 })
    expect((await client.call("top_up", shown)).structuredContent).toMatchObject({
      balance: 100,
    })
    for (const text of client.traffic) expect(text).not.toMatch(SECRETS)
  })

  it.each([
    ["without a token", null, "missing_token"],
    ["with an unknown token", unknownToken, "invalid_token"],
  ])("%s gives the address of the page, and opens neither a quote nor an account", async (_, token, error) => {
    const { app, desk } = await shop()
    const client = mcpClient(app, { era, token })
    const paid = desk.mine(transaction("paid", [transfer(buyer, 1_000_000)]))
    for (const given of [{ amount_usd: 1 }, { tx_hash: paid.hash, signature: `0x${"00".repeat(65)}` }]) {
      const { isError, structuredContent } = await client.call("top_up", given)
      expect(isError).toBe(true)
      expect(structuredContent).toMatchObject({
        error,
        signup: expect.stringMatching(/\/developers\/agent-payments$/),
      })
    }
    for (const text of client.traffic) expect(text).not.toMatch(SECRETS)
  })

  it("refuses a token or a memo in any argument, without repeating it", async () => {
    const { app, buy } = await shop()
    const { token, confirmation } = await buy("first")
    const client = mcpClient(app, { era, token })
    const secrets = [token, confirmation.nonce, CLAIM_KEY]
    for (const secret of secrets)
      for (const [name, given] of [
        ["top_up", { tx_hash: confirmation.tx_hash, signature: secret }],
        ["top_up", { [secret]: 1 }],
        ["search_datasets", { query: `find ${secret}` }],
        ["get_dataset", { name: secret }],
        ["get_dataset", { name: "weather", parameters: { lat: secret, lon: "1" } }],
        ["agent_context", { idempotency_key: secret }],
      ] as const) {
        const result = await client.call(name, given)
        expect(result, name).toMatchObject({ isError: true, structuredContent: { error: "secret_in_argument" } })
        expect(JSON.stringify(result)).not.toMatch(SECRETS)
      }
  })
})
