import { describe, expect, it } from "vitest"
import { buyer, transaction, transfer } from "../conformance/ledger/given.ts"
import { signed } from "../payment/desk.ts"
import { shop, unknownToken } from "../payment/shop.ts"
import { type Era, eras, mcpClient } from "./client.ts"

const SECRETS = /svc_live_[0-9a-f]{64}|tw_buy_[0-9a-f]{32}/

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
    const signature = signed(buyer, String(refused.structuredContent.text_to_sign))
    const confirmed = await client.call("top_up", { tx_hash: paid.hash, signature })
    expect(confirmed.isError).toBeUndefined()
    expect(confirmed.structuredContent).toMatchObject({ credits: 50, balance: 100 })
    expect(confirmed.structuredContent).not.toHaveProperty("token")
    expect((await get("balance", { token })).json()).toMatchObject({ credits: 100 })
    expect((await client.call("top_up", { tx_hash: paid.hash, signature })).structuredContent).toMatchObject({
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
    const secrets = [token, confirmation.nonce]
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
