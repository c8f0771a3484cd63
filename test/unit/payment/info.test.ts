import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { paymentInfo } from "../../../schemas/endpoints/payment-info.ts"
import { CONTRACT, WALLET } from "./desk.ts"
import { shop } from "./shop.ts"

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
