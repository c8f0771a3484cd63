import { describe, expect, it, vi } from "vitest"
import type { Revoke } from "../../../ledger/command.ts"
import {
  buyer,
  byMemo,
  claimant,
  claimKeyHash,
  confirm,
  confirmed,
  debit,
  funded,
  given,
  hashOf,
  memo,
  originOf,
  plainCall,
  type Scenario,
  tokenOf,
  transaction,
  transfer,
} from "./given.ts"

const revoke = (token: string, confirmed = false): Revoke => ({ _tag: "revoke", token, confirmed })
const operator = { operator: "jane", reason: "the memo has leaked" }

/** An account that the buyer's memo has opened, with 50 credits: its token, and what paid for it. */
const bought = (scenario: Scenario) => {
  const paid = transaction("paid", [transfer(buyer, 1_000_000)], { call: plainCall(buyer, memo) })
  confirmed(scenario, confirm(paid, byMemo))
  return { paid, token: tokenOf(claimant, originOf(paid)) }
}

/** Reissues as the command does: makes the token that the ledger asks for. */
const reissued = (scenario: Scenario, account: string) => {
  const asked = scenario.refused({ _tag: "reissue", account, ...operator, token: null })
  if (asked._tag !== "token_needed") throw new Error(asked._tag)
  const { claimant: of, origin, generation } = asked.wanted
  const hash = tokenOf(of, origin, generation)
  const outcome = scenario.when({ _tag: "reissue", account, ...operator, token: { ...asked.wanted, kid: "k1", hash } })
  return { outcome, token: hash }
}

describe("a revoke", () => {
  it("says which memo brings a token back, and by which transaction", () => {
    const scenario = given()
    const { paid, token } = bought(scenario)
    const { wayBack } = scenario.accepted(revoke(token))
    expect(wayBack).toEqual({ by: "memo", transaction: paid.hash, shown: memo })
    expect(confirmed(scenario, confirm(paid, byMemo))).toMatchObject({ answer: { token: { generation: 2 } } })
  })

  it("says whose signature brings a token back, and in which transaction", () => {
    const scenario = given()
    const paid = transaction("paid", [transfer(buyer, 1_000_000)])
    confirmed(scenario, confirm(paid, { signer: buyer }))
    const { wayBack } = scenario.accepted(revoke(tokenOf(`payer/${buyer}/${claimKeyHash}`, originOf(paid))))
    expect(wayBack).toEqual({ by: "payer", transaction: paid.hash, shown: buyer })
    expect(confirmed(scenario, confirm(paid, { signer: buyer }))).toMatchObject({ answer: { balance: 50 } })
  })

  it("names a purchase of the memo that stands, not one that was added by bearer or taken back", () => {
    const scenario = given()
    const { paid, token } = bought(scenario)
    const added = transaction("added", [transfer(buyer, 2_000_000)])
    scenario.accepted(confirm(added, { signer: buyer, bearer: token }))
    const payment = { chainId: paid.chainId, transaction: paid.hash, position: 0 }
    // Its block was not final after all.
    const state = scenario.state.purchases.get(`${paid.chainId}/${paid.hash}/0`)
    expect(state).toMatchObject({ status: "credited" })
    scenario.accepted({ _tag: "observe", payment, seen: null })
    expect(scenario.accepted(revoke(token)).wayBack).toEqual({ by: "memo", transaction: null, shown: memo })
  })

  it("of an account that an operator has opened wants to be confirmed: there is no way back but the operator", () => {
    const scenario = given()
    const token = funded(scenario, "granted", 7)
    expect(scenario.refused(revoke(token))).toEqual({ _tag: "confirmation_required" })
    expect(scenario.accepted(debit(token, "d"))).toMatchObject({ balance: 6 })
    expect(scenario.accepted(revoke(token, true))).toMatchObject({
      balance: 6,
      wayBack: { by: "operator", transaction: null, shown: null },
    })
    expect(scenario.refused(debit(token, "e"))).toEqual({ _tag: "expired", of: "token" })
    const { token: next } = reissued(scenario, "granted")
    expect(scenario.accepted(debit(next, "e"))).toMatchObject({ balance: 5 })
  })
})

describe("a reissue", () => {
  it("gives a new token for what is left, and the one before is refused", () => {
    const scenario = given()
    const { token } = bought(scenario)
    const { outcome, token: next } = reissued(scenario, "account")
    expect(outcome).toMatchObject({
      answer: { account: "account", balance: 50, token: { generation: 2 } },
      events: [{ type: "token.issued", data: { opener: { by: "operator" }, reissue: operator } }],
    })
    expect(scenario.refused(debit(token, "d"))).toEqual({ _tag: "expired", of: "token" })
    expect(scenario.accepted(debit(next, "d"))).toMatchObject({ balance: 49 })
  })

  it("replaces the opener: a memo that has leaked yields no token, also after the next revoke", () => {
    const scenario = given()
    const { paid } = bought(scenario)
    const { token } = reissued(scenario, "account")
    const leaked = confirm(paid, { ...byMemo, newAccount: "thief's" })
    expect(scenario.refused(leaked)).toMatchObject({ _tag: "already_credited", opener: { by: "operator" } })
    expect(scenario.refused(revoke(token))).toEqual({ _tag: "confirmation_required" })
    scenario.accepted(revoke(token, true))
    expect(scenario.refused(leaked)).toMatchObject({ _tag: "already_credited" })
    expect(scenario.state.accounts.has("thief's")).toBe(false)
    const again = reissued(scenario, "account")
    expect(again.outcome).toMatchObject({ answer: { token: { generation: 3 } } })
  })

  it("is of an account that exists, and of a token that is made for it alone", () => {
    const scenario = given()
    const asked = { _tag: "reissue", ...operator, token: null } as const
    expect(scenario.refused({ ...asked, account: "misspelt" })).toEqual({ _tag: "unknown_account" })
    funded(scenario, "a", 5)
    const wanted = { claimant: "reissue/a", origin: "a", generation: 2 }
    expect(scenario.refused({ ...asked, account: "a" })).toEqual({ _tag: "token_needed", wanted })
    const stale = { ...wanted, generation: 1, kid: "k1", hash: hashOf("stale") }
    expect(scenario.refused({ ...asked, account: "a", token: stale })).toMatchObject({ _tag: "token_needed" })
  })
})

describe("a read of an account", () => {
  it("that asks for no purchases looks none up, and says all the rest", () => {
    const scenario = given()
    const { token } = bought(scenario)
    const lookUp = vi.spyOn(scenario.state.purchases, "get")
    const listed = scenario.accepted({ _tag: "readAccount", by: { token } })
    expect(listed).toMatchObject({ balance: 50, purchases: [{ credits: 50 }], purchaseCount: 1 })
    expect(scenario.accepted({ _tag: "readAccount", by: { token }, purchases: true })).toEqual(listed)
    expect(lookUp).toHaveBeenCalledTimes(2)
    const read = scenario.accepted({ _tag: "readAccount", by: { token }, purchases: false })
    expect(read).toEqual({ ...listed, purchases: [] })
    expect(lookUp).toHaveBeenCalledTimes(2)
  })
})

describe("the list of accounts", () => {
  it("is in the order of their opening, page after page, each account once", () => {
    const scenario = given()
    const names = Array.from({ length: 450 }, (_, n) => `account ${n}`)
    for (const name of names) funded(scenario, name, 1)
    funded(scenario, "account 7", 2)
    const listed: Array<string> = []
    const sizes: Array<number> = []
    for (let after = -1, more = true; more; after = listed.length - 1) {
      const page = scenario.accepted({ _tag: "listAccounts", after })
      expect(page.accounts.map(({ place }) => place)).toEqual(page.accounts.map((_, n) => after + 1 + n))
      listed.push(...page.accounts.map(({ account }) => account))
      sizes.push(page.accounts.length)
      more = page.more
    }
    expect(listed).toEqual(names)
    expect(sizes).toEqual([200, 200, 50])
    expect(scenario.accepted({ _tag: "listAccounts", after: 449 })).toEqual({ accounts: [], more: false })
    expect(scenario.accepted({ _tag: "listAccounts", after: 2 ** 50 })).toEqual({ accounts: [], more: false })
  })

  it("says what opened an account, what it holds, and how its token stands", () => {
    const scenario = given()
    const { token } = bought(scenario)
    funded(scenario, "granted", 3)
    scenario.accepted(revoke(token))
    expect(scenario.accepted({ _tag: "listAccounts", after: -1 }).accounts).toEqual([
      {
        place: 0,
        account: "account",
        balance: 50,
        shortfall: 0,
        opener: { by: "memo", memoHash: memo },
        token: "revoked",
        purchaseCount: 1,
      },
      {
        place: 1,
        account: "granted",
        balance: 3,
        shortfall: 0,
        opener: { by: "operator" },
        token: "live",
        purchaseCount: 0,
      },
    ])
  })
})
