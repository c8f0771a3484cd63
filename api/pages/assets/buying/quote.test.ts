import { describe, expect, it } from "vitest"
import { paymentBuyCredits } from "../../../../schemas/endpoints/payment-buy-credits.ts"
import { fitsSale, purchaseFrom, type Quote, quoteFrom, storedText } from "./quote.js"

const body = paymentBuyCredits.example
const NOW_MS = Date.parse("2026-08-17T20:35:00.000Z")
const asked = { cents: 100n, nowMs: NOW_MS, serverAtMs: NOW_MS }

const quote = (): Quote => {
  const read = quoteFrom(body, asked)
  if (read === null) throw new Error("the contract's example is no quote")
  return read
}

describe("a quote", () => {
  it("is read from the reply of the contract", () => {
    expect(quote()).toEqual({
      memo: body.memo,
      memoHash: body.quote.memo_hash,
      units: 1_000_417n,
      credits: 50,
      wallet: body.wallet,
      contract: body.quote.token_contract,
      chainId: 8453,
      proof: "amount",
      expiresAtMs: Date.parse(body.expires_at),
    })
  })

  it("ends by the clock of the browser, though that one is wrong", () => {
    const wrong = quoteFrom(body, { cents: 100n, nowMs: 5_000, serverAtMs: NOW_MS })
    expect(wrong?.expiresAtMs).toBe(5_000 + 30 * 60_000)
  })

  it("is refused where a member is not as it must be, or the amount is not the asked one", () => {
    const inner = (member: object) => ({ ...body, quote: { ...body.quote, ...member } })
    const wrong: ReadonlyArray<unknown> = [
      null,
      [],
      "quote",
      {},
      { ...body, memo: "tw_buy_" },
      { ...body, memo: body.memo.toUpperCase() },
      { ...body, wallet: "0x12" },
      { ...body, expires_at: "soon" },
      { ...body, quote: null },
      inner({ amount_units: "1e6" }),
      inner({ amount_units: 1_000_417 }),
      inner({ amount_units: "2000417" }),
      inner({ amount_units: "-1000417" }),
      inner({ memo_hash: "0x" }),
      inner({ chain_id: "8453" }),
      inner({ token_contract: "javascript:alert(1)" }),
      inner({ proof: "trust" }),
      inner({ credits: 0.5 }),
    ]
    for (const one of wrong) expect(quoteFrom(one, asked), JSON.stringify(one)).toBeNull()
  })

  it("is paid only to where the page says that payments go", () => {
    const { wallet, contract, chainId } = quote()
    const sale = { wallet, contract, chainId, chainName: "Base", addable: null }
    expect(fitsSale(quote(), sale)).toBe(true)
    for (const other of [{ wallet: contract }, { contract: wallet }, { chainId: 1 }])
      expect(fitsSale(quote(), { ...sale, ...other })).toBe(false)
  })
})

describe("a stored purchase", () => {
  const txHash = `0x${"1".repeat(64)}`

  it("is the same after a reload", () => {
    for (const purchase of [
      { quote: quote(), txHash: null, handedOver: false },
      { quote: quote(), txHash, handedOver: true },
    ])
      expect(purchaseFrom(storedText(purchase))).toEqual(purchase)
  })

  it("is none where the text is not one of ours", () => {
    const text = storedText({ quote: quote(), txHash: null, handedOver: false })
    for (const wrong of [null, "", "null", "{", "[]", "7", text.replace("tw_buy_", "tw_sell"), text.slice(0, -1)])
      expect(purchaseFrom(wrong)).toBeNull()
    expect(purchaseFrom(text.replace('"txHash":null', '"txHash":"<b>"'))?.txHash).toBeNull()
  })
})
