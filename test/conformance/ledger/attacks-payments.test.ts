import { describe, expect, it } from "vitest"
import type { Transaction } from "../../../ledger/chain.port.ts"
import type { Observe } from "../../../ledger/command.ts"
import {
  address,
  askQuote,
  buyer,
  byMemo,
  CHAIN_ID,
  claimant,
  claimKeyHash,
  clientOf,
  confirm,
  confirmed,
  DAY_MS,
  debit,
  funded,
  given,
  memo,
  NOON_MS,
  originOf,
  plainCall,
  type Scenario,
  tokenOf,
  transaction,
  transfer,
  word,
} from "./given.ts"

// No change of a payment in the chain loses money or credits a payment twice.

const stranger = address("stranger")
const paymentOf = ({ hash }: Transaction, position = 0) => ({ chainId: CHAIN_ID, transaction: hash, position })
const gone = (paid: Transaction, position = 0): Observe => ({
  _tag: "observe",
  payment: paymentOf(paid, position),
  seen: null,
})
const account = (scenario: Scenario, id = "account") => scenario.accepted({ _tag: "readAccount", by: { account: id } })
const elsewhere = { hash: word("another block"), number: 34_000_009, atMs: NOON_MS }

describe("a payment that names a quote", () => {
  it.each([
    [3_019_999, 150],
    [1_999_999, 99],
    [1_000_000, 50],
  ])("and is %d units, not the total, is credited as it was paid", (units, credits) => {
    const scenario = given()
    askQuote(scenario, "memo", { usd: 2 })
    const sent = transaction("sent", [transfer(buyer, units)], { call: plainCall(buyer, memo) })
    const authorization = { authorizer: buyer, nonce: memo }
    const signed = transaction("signed", [transfer(buyer, units, { authorization })])
    for (const paid of [sent, signed])
      expect(confirmed(scenario, confirm(paid, byMemo))).toMatchObject({
        answer: { credits, purchases: [{ units, credits }] },
      })
    expect(account(scenario)).toMatchObject({ balance: 2 * credits, purchasedUnits: 2 * units })
  })

  it("by its amount is the payer's who signed first: again with the same token, and the memo gets none", () => {
    const scenario = given()
    const { totalUnits } = askQuote(scenario, "memo")
    const paid = transaction("paid", [transfer(buyer, totalUnits)])
    const first = confirmed(scenario, confirm(paid, { signer: buyer }))
    expect(first).toMatchObject({ answer: { credits: 50, token: { claimant: `payer/${buyer}/${claimKeyHash}` } } })
    const again = scenario.when(confirm(paid, { signer: buyer, newAccount: "unused" }))
    expect(again).toMatchObject({ answer: "answer" in first ? first.answer : {}, events: [] })
    expect(scenario.refused(confirm(paid, byMemo))).toMatchObject({ _tag: "already_credited" })
  })

  it.each([
    ["amount", { usd: 1 }, 1_000_417, {}],
    ["signature", { usd: 1 }, 2_000_000, { signer: buyer }],
  ])(
    "by its %s is its claimant's again by the memo alone, after its quote was forgotten too",
    (_, asked, units, proof) => {
      const scenario = given()
      askQuote(scenario, "memo", asked)
      const paid = transaction("paid", [transfer(buyer, units)])
      const first = confirmed(scenario, confirm(paid, { ...byMemo, ...proof }))
      expect(first).toMatchObject({ answer: { token: { claimant, generation: 1 } } })
      const ask = {
        _tag: "issueQuote",
        askedCents: 100,
        memoHash: word("another"),
        tail: 9,
        client: clientOf("c"),
      } as const
      scenario.accepted(ask, NOON_MS + 100 * DAY_MS)
      expect(scenario.state.quotes.has(memo)).toBe(false)
      const again = scenario.when(confirm(paid, { ...byMemo, newAccount: "unused" }))
      expect(again).toMatchObject({ answer: "answer" in first ? first.answer : {}, events: [] })
      scenario.accepted({ _tag: "revoke", token: tokenOf(claimant, originOf(paid)), confirmed: false })
      expect(confirmed(scenario, confirm(paid, byMemo))).toMatchObject({
        answer: { account: "account", token: { claimant, generation: 2 } },
        events: [{ type: "token.issued" }],
      })
      expect(scenario.refused(confirm(paid, { memoHash: word("another") }))).toEqual({ _tag: "payer_proof_required" })
      // Another's payment in its place is not his.
      const others = transaction("paid", [transfer(stranger, units)])
      scenario.accepted(gone(paid))
      expect(scenario.refused(confirm(others, byMemo))).toEqual({ _tag: "payer_proof_required" })
    },
  )
})

describe("a payment that an operator granted", () => {
  it.each([
    ["signed nonce", { authorization: { authorizer: buyer, nonce: memo } }, null, 1_000_000],
    ["calldata", {}, plainCall(buyer, memo), 1_000_000],
    ["amount", {}, null, 1_000_417],
  ])("is used up for every claimant by memo and %s, for its payer, and for a bearer", (_, more, call, units) => {
    const scenario = given()
    askQuote(scenario, "memo")
    const bearer = funded(scenario, "other", 1)
    funded(scenario, "granted", 1)
    const paid = transaction("paid", [transfer(buyer, units, more)], call === null ? {} : { call })
    const grant = { account: "granted", credits: 50, operator: "jane", reason: "shown by mail", token: null } as const
    scenario.accepted({ _tag: "grant", ...grant, payment: paymentOf(paid) })
    for (const shown of [byMemo, { signer: buyer }, { ...byMemo, signer: buyer }, { ...byMemo, bearer }])
      expect(scenario.refused(confirm(paid, shown))).toMatchObject({ _tag: "already_credited" })
    expect(account(scenario, "granted").balance).toBe(51)
  })
})

describe("a transaction that was mined again in another block", () => {
  const bought = () => {
    const scenario = given()
    const { totalUnits } = askQuote(scenario, "memo")
    const paid = transaction("paid", [transfer(buyer, totalUnits)], { depth: "latest" })
    const first = confirmed(scenario, confirm(paid, byMemo))
    const moved = (more: Partial<Transaction> = {}): Transaction => ({
      ...paid,
      block: elsewhere,
      transfers: [transfer(buyer, totalUnits, { logIndex: 41 })],
      ...more,
    })
    return { scenario, paid, first, moved }
  }

  it("is answered as before, wherever its logs are now, before the watcher has seen the move", () => {
    const { scenario, first, moved } = bought()
    const again = scenario.when(confirm(moved(), byMemo))
    expect(again).toMatchObject({ answer: "answer" in first ? first.answer : {}, events: [] })
    expect(scenario.refused(confirm(moved(), { memoHash: word("another") }))._tag).toBe("payer_proof_required")
    expect(account(scenario)).toMatchObject({ balance: 50, added: 50 })
  })

  it("and taken back meanwhile waits for its depth there, and is credited once, to its claimant alone", () => {
    const { scenario, paid, moved } = bought()
    scenario.accepted(gone(paid))
    expect(scenario.refused(confirm(moved({ confirmations: 4 }), byMemo))).toMatchObject({ _tag: "pending" })
    expect(scenario.refused(confirm(moved(), { signer: buyer }))).toMatchObject({ _tag: "already_credited" })
    expect(confirmed(scenario, confirm(moved(), byMemo))).toMatchObject({
      answer: { credits: 50, balance: 50, token: { claimant }, purchases: [{ status: "credited" }] },
      events: [{ data: { claimant, evidence: "amount", memoHash: memo, block: { hash: elsewhere.hash } } }],
    })
    expect(scenario.when(confirm(moved(), byMemo))).toMatchObject({ answer: { credits: 50 }, events: [] })
    expect(account(scenario)).toMatchObject({ balance: 50, added: 50, purchaseCount: 1 })
  })
})

describe("a payment that was taken back", () => {
  it("keeps its claimant and what showed it, and is credited again by that claimant alone", () => {
    const scenario = given()
    const paid = transaction("paid", [transfer(buyer, 1_000_000)], { depth: "latest", call: plainCall(buyer, memo) })
    confirmed(scenario, confirm(paid, byMemo))
    scenario.accepted(gone(paid))
    expect(scenario.refused(confirm(paid, { signer: buyer }))).toMatchObject({ _tag: "already_credited" })
    expect(confirmed(scenario, confirm(paid, byMemo))).toMatchObject({
      answer: { account: "account", balance: 50 },
      events: [{ data: { claimant, evidence: "calldata", memoHash: memo } }],
    })
  })

  it("comes back to the account that spent it, though another of the same buyer's stands beside it", () => {
    const scenario = given()
    const { totalUnits } = askQuote(scenario, "memo")
    const transfers = [transfer(buyer, totalUnits), transfer(buyer, 1_000_000, { position: 1 })]
    const paid = transaction("both", transfers, { depth: "latest" })
    confirmed(scenario, confirm(paid, { ...byMemo, newAccount: "memo's" }))
    expect(scenario.refused(confirm(paid, { signer: stranger }))._tag).toBe("payer_proof_required")
    confirmed(scenario, confirm(paid, { signer: buyer, newAccount: "payer's" }))
    const spent = scenario.accepted(
      debit(tokenOf(`payer/${buyer}/${claimKeyHash}`, originOf(paid)), "d", { credits: 30 }),
    )
    expect(spent).toMatchObject({ account: "payer's", balance: 20 })
    scenario.accepted(gone(paid, 1))
    expect(account(scenario, "payer's")).toMatchObject({ balance: 0, shortfall: 30 })
    // What was spent is owed by the account that spent it: no new one begins without it.
    confirmed(scenario, confirm(paid, { ...byMemo, signer: buyer, newAccount: "unused" }))
    expect(account(scenario, "memo's").balance).toBe(50)
    confirmed(scenario, confirm(paid, { signer: buyer, newAccount: "unused" }))
    expect(account(scenario, "payer's")).toMatchObject({ balance: 20, shortfall: 0 })
    expect(account(scenario, "memo's").balance).toBe(50)
  })
})
