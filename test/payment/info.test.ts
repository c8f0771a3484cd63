import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { infoBody } from "../../api/payment/replies.ts"
import { paymentInfo } from "../../schemas/endpoints/payment-info.ts"
import { CONTRACT, WALLET } from "./desk.ts"
import { shop } from "./shop.ts"

describe("GET /api/payment/info", () => {
  it("holds where and how to pay", async () => {
    const { get } = await shop()
    const body = (await get("info")).json()
    expect(Schema.is(paymentInfo.data)(body)).toBe(true)
    expect(body).toMatchObject({
      wallet: WALLET,
      chain: { name: "Base", chain_id: 8453 },
      token: { contract: CONTRACT, decimals: 6 },
      prices: { credits_per_usd: 50, credits_by_endpoint: { "/api/pro/briefing": 1 } },
      confirmation: { up_to_usd: 20, blocks: 5 },
      verification: { providers: 3, agreement: 2 },
    })
  })

  it.each([
    [{ providers: 3, agreement: 2 }, "when 2 of 3 providers of the chain agree"],
    [{ providers: 1, agreement: 1 }, "One provider of the chain is trusted alone"],
    [{ providers: 3, agreement: 1 }, "Any one of 3 providers of the chain is trusted alone"],
    [null, "how many providers must agree is not known here"],
  ])("states which providers payments depend on: %j", (trust, words) => {
    const facts = { name: "Base", chainId: 8453, contract: CONTRACT, wallet: WALLET, trust }
    const body = infoBody(facts, [], "/developers/agent-payments")
    expect(body.verification.trusted).toContain(words)
    expect(Schema.is(paymentInfo.data)(body)).toBe(true)
  })
})
