import { describe, expect, it } from "vitest"
import type { Confirm } from "../../../ledger/command.ts"
import {
  address,
  askQuote,
  buyer,
  byMemo,
  confirm,
  confirmed,
  given,
  memo,
  observed,
  type Scenario,
  tokenOf,
  transaction,
  transfer,
  word,
} from "./given.ts"

// Up to 20 USD a few blocks are enough; what could be lost with them together decides.

const USD = 1_000_000
const stranger = address("stranger")
const young = { depth: "latest", confirmations: 5 } as const
const signed = (payer: string) => ({ signer: payer })
const safe = { refused: { _tag: "pending", confirmations: 5, required: "safe" } }

const claim = (scenario: Scenario, paid: Confirm["transaction"], shown: Partial<Confirm>) =>
  confirmed(scenario, confirm(paid, { newAccount: `account ${scenario.history.length}`, ...shown }))

describe("the depth that is waited for", () => {
  it("is that of all that the transaction pays, though eight quotes share it", () => {
    const scenario = given()
    const names = Array.from({ length: 8 }, (_, n) => `memo ${n}`)
    const totals = names.map(
      (name, n) => askQuote(scenario, name, { usd: 19.99, tail: n + 1, client: name }).totalUnits,
    )
    const transfers = totals.map((units, position) => transfer(buyer, units, { position }))
    const paid = transaction("eight", transfers, young)
    for (const name of names) expect(claim(scenario, paid, { memoHash: word(name) })).toEqual(safe)
    for (const name of names)
      expect(claim(scenario, { ...paid, depth: "safe" }, { memoHash: word(name) })).toMatchObject({
        answer: { credits: 999, provisional: false },
      })
  })

  it("is a stranger's only lever: what he pays beside it delays a payment, and changes nothing else", () => {
    const scenario = given()
    const transfers = [transfer(buyer, USD), transfer(stranger, 30 * USD, { position: 1 })]
    const paid = transaction("beside", transfers, young)
    expect(claim(scenario, paid, signed(buyer))).toEqual(safe)
    expect(claim(scenario, { ...paid, depth: "safe" }, signed(buyer))).toMatchObject({ answer: { credits: 50 } })
    // And what he pays does not lift a payment above the minimum.
    const little = [transfer(buyer, USD - 1), transfer(stranger, 5 * USD, { position: 1 })]
    expect(claim(scenario, transaction("little", little), signed(buyer))).toEqual({
      refused: { _tag: "too_small", units: USD - 1 },
    })
  })

  it("counts what is provisional of the payer and of the account, each purchase once, until it is final", () => {
    const scenario = given()
    const paid = (name: string, payer: string, usd: number) =>
      transaction(name, [transfer(payer, usd * USD)], { ...young, block: { hash: word(name), number: 1, atMs: 0 } })
    const first = paid("first", buyer, 9)
    const opened = claim(scenario, first, signed(buyer))
    const { token } = "answer" in opened ? opened.answer : { token: null }
    const bearer = token === null ? null : tokenOf(token.claimant, token.origin, token.generation)
    // The same payer, and the same account: 18 USD, not 27.
    expect(claim(scenario, paid("second", buyer, 9), { ...signed(buyer), bearer })).toMatchObject({
      answer: { credits: 450, provisional: true },
    })
    expect(claim(scenario, paid("third", buyer, 3), signed(buyer))).toEqual(safe)
    expect(claim(scenario, paid("fourth", stranger, 3), { ...signed(stranger), bearer })).toEqual(safe)
    expect(claim(scenario, paid("fifth", stranger, 3), signed(stranger))).toHaveProperty("answer")
    scenario.accepted(observed({ ...first, depth: "finalized" }))
    expect(claim(scenario, paid("third", buyer, 3), signed(buyer))).toMatchObject({ answer: { credits: 150 } })
  })

  it("is the same for what a reorganisation moved", () => {
    const scenario = given()
    const at = (name: string, ...more: ReadonlyArray<number>) =>
      transaction(
        "paid",
        [transfer(buyer, 15 * USD, { authorization: { authorizer: buyer, nonce: memo } })].concat(
          more.map((usd, index) => transfer(stranger, usd * USD, { position: index + 1 })),
        ),
        { ...young, block: { hash: word(name), number: 1, atMs: 0 } },
      )
    claim(scenario, at("before"), byMemo)
    const beside = at("after", 6)
    expect(scenario.when(observed(beside))).toMatchObject({ answer: { became: "reversed" } })
    expect(scenario.when(observed(beside))).toMatchObject({ answer: { became: "unchanged" } })
    expect(claim(scenario, beside, byMemo)).toEqual(safe)
    expect(scenario.when(observed({ ...beside, depth: "safe" }))).toMatchObject({ answer: { became: "credited" } })
  })
})
