import { describe, expect, it } from "vitest"
import type { Observe } from "../../../ledger/command.ts"
import {
  address,
  buyer,
  byMemo,
  CHAIN_ID,
  claimant,
  confirm,
  confirmed,
  debit,
  given,
  memo,
  originOf,
  plainCall,
  type Scenario,
  tokenOf,
  transaction,
  transfer,
  USDC,
  word,
} from "./given.ts"

describe("the chain", () => {
  const paid = transaction("paid", [transfer(buyer, 1_000_000)], { depth: "latest", call: plainCall(buyer, memo) })
  const payment = { chainId: CHAIN_ID, transaction: paid.hash, position: 0 }
  const token = tokenOf(claimant, originOf(paid))
  const bought = (): Scenario => {
    const scenario = given()
    confirmed(scenario, confirm(paid, byMemo))
    return scenario
  }
  const observe = (seen: Partial<NonNullable<Observe["seen"]>> | null): Observe => ({
    _tag: "observe",
    payment,
    seen:
      seen === null
        ? null
        : {
            block: paid.block,
            logIndex: 7,
            payer: buyer,
            units: 1_000_000,
            namedHash: memo,
            transactionUnits: 1_000_000,
            confirmations: 9,
            depth: "latest",
            ...seen,
          },
  })
  const elsewhere = { ...paid.block, hash: word("another block") }
  const account = (scenario: Scenario) => scenario.accepted({ _tag: "readAccount", by: { account: "account" } })

  it("that moves a payment to another block has it reversed, then credited again: nothing is lost and nothing doubled", () => {
    const scenario = bought()
    const outcome = scenario.when(observe({ block: elsewhere }))
    expect(outcome).toMatchObject({
      answer: { became: "moved" },
      events: [
        { type: "purchase.reversed", data: { taken: 50, shortfall: 0, blockHash: paid.block.hash } },
        { type: "purchase.credited", data: { credits: 50, block: { hash: elsewhere.hash }, claimant } },
      ],
    })
    expect(account(scenario)).toMatchObject({ balance: 50, shortfall: 0, added: 50, purchasedUnits: 1_000_000 })
    expect(scenario.when(observe({ block: elsewhere }))).toMatchObject({ events: [] })
    expect(scenario.when(confirm(paid, byMemo))).toMatchObject({ answer: { credits: 50 }, events: [] })
  })

  it("that moves a payment credits it again only when it is deep enough there", () => {
    const scenario = bought()
    expect(scenario.when(observe({ block: elsewhere, confirmations: 1 }))).toMatchObject({
      answer: { became: "reversed" },
      events: [{ type: "purchase.reversed" }],
    })
    expect(scenario.when(observe({ block: elsewhere, confirmations: 4 }))).toMatchObject({ events: [] })
    expect(account(scenario)).toMatchObject({ balance: 0, shortfall: 0 })
    expect(scenario.when(observe({ block: elsewhere, confirmations: 5 }))).toMatchObject({
      answer: { became: "credited" },
      events: [{ type: "purchase.credited", data: { provisional: true } }],
    })
    expect(account(scenario)).toMatchObject({ balance: 50 })
  })

  it("that drops a payment takes what is there and leaves the rest as shortfall, which new credit fills first", () => {
    const scenario = bought()
    for (let n = 0; n < 30; n++) scenario.accepted(debit(token, `d${n}`))
    expect(scenario.when(observe(null))).toMatchObject({
      answer: { became: "reversed" },
      events: [{ data: { taken: 20, shortfall: 30 } }],
    })
    expect(scenario.when(observe(null))).toMatchObject({ answer: { became: "unchanged" }, events: [] })
    expect(account(scenario)).toMatchObject({ balance: 0, shortfall: 30, purchasedUnits: 0 })
    expect(scenario.refused(debit(token, "no"))).toMatchObject({ _tag: "insufficient_credits", shortfall: 30 })
    scenario.accepted({ _tag: "refund", debit: "d0", operator: null })
    expect(account(scenario)).toMatchObject({ balance: 0, shortfall: 29 })
    expect(scenario.refused(debit(token, "no"))).toMatchObject({ _tag: "insufficient_credits", shortfall: 29 })
    expect(confirmed(scenario, confirm(paid, byMemo))).toMatchObject({ answer: { balance: 21 } })
    expect(account(scenario)).toMatchObject({ balance: 21, shortfall: 0 })
    expect(scenario.when(confirm(paid, byMemo))).toMatchObject({ events: [] })
  })

  it("that finalises a payment ends its changes; later contradictions are refused", () => {
    const scenario = bought()
    expect(scenario.when(observe({ depth: "finalized" }))).toMatchObject({ events: [{ type: "purchase.finalised" }] })
    expect(scenario.when(observe({ depth: "finalized" }))).toMatchObject({
      answer: { became: "unchanged" },
      events: [],
    })
    expect(scenario.refused(observe(null))).toEqual({ _tag: "final_purchase" })
    expect(scenario.refused(observe({ block: elsewhere }))).toEqual({ _tag: "final_purchase" })
    expect(account(scenario)).toMatchObject({ balance: 50, purchases: [{ provisional: false, status: "final" }] })
  })

  it("that shows another payer at the position has dropped the payment; the new one belongs to its prover", () => {
    const scenario = bought()
    const other = address("other")
    expect(scenario.when(observe({ block: elsewhere, payer: other }))).toMatchObject({ answer: { became: "reversed" } })
    const mined = transaction("paid", [transfer(other, 2_000_000)])
    expect(scenario.refused(confirm(mined, { signer: buyer }))).toEqual({ _tag: "payer_proof_required" })
    expect(confirmed(scenario, confirm(mined, { signer: other, newAccount: "o" }))).toMatchObject({
      answer: { account: "o", credits: 100 },
    })
  })

  it("refuses to observe an unclaimed payment", () => {
    expect(given().refused(observe({}))).toEqual({ _tag: "no_payment" })
  })

  it("ignores the calldata of a look-alike: the call must be to the contract itself", () => {
    const lookAlike = transaction("x", [transfer(buyer, 1_000_000)], {
      call: { ...plainCall(buyer, memo), to: address("look-alike") },
    })
    expect(lookAlike.contract).toBe(USDC)
    expect(given().refused(confirm(lookAlike, byMemo))).toEqual({ _tag: "payer_proof_required" })
  })
})
