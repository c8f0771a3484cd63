import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  askQuote,
  buyer,
  debit,
  funded,
  given,
  observed,
  transaction,
  transfer,
  word,
} from "../conformance/ledger/given.ts"
import {
  balances,
  byBuyer,
  byMemo,
  byStranger,
  claim,
  memo,
  naming,
  refusedAs,
  revoke,
  stranger,
  USD,
} from "./claiming.ts"

// What is added to an account is its opener's, and claims may come in any order.

describe("a top-up by bearer", () => {
  it("of an account whose opening purchase was taken back shows its token to what opened it, and to nothing else", () => {
    const scenario = given()
    const opening = transaction("opening", [transfer(buyer, 2 * USD)], { depth: "latest" })
    const mine = claim(scenario, opening, byBuyer)
    scenario.accepted(debit(mine.token ?? "", "spent", { credits: 80 }))
    scenario.accepted({ ...observed(opening), seen: null })
    const added = transaction("added", [naming(memo, stranger, 3 * USD)])
    expect(claim(scenario, added, { ...byMemo, bearer: mine.token ?? null })).toMatchObject({ account: mine.account })
    expect(balances(scenario)).toEqual([70])
    revoke(scenario, mine.token)
    for (const shown of [byMemo, byStranger])
      expect(claim(scenario, added, shown)).toEqual(refusedAs("payer", null, true))
    const again = claim(scenario, opening, byBuyer)
    expect(again).toMatchObject({ account: mine.account, credits: 100 })
    expect(again.token).not.toBe(mine.token)
    expect(balances(scenario)).toEqual([170])
  })

  it("with what was taken back itself leaves its token to the memo that opened the account", () => {
    const scenario = given()
    const at = (position: number) =>
      transaction("paid", [naming(memo, buyer, 2 * USD, position)], {
        depth: "latest",
        block: { hash: word(`${position}`), number: 1, atMs: 0 },
      })
    const mine = claim(scenario, at(0), byMemo)
    scenario.accepted({ ...observed(at(0)), seen: null })
    expect(claim(scenario, at(1), { ...byMemo, bearer: mine.token ?? null })).toMatchObject({ account: mine.account })
    revoke(scenario, mine.token)
    const again = claim(scenario, at(1), byMemo)
    expect(again).toMatchObject({ account: mine.account, credits: 100 })
    expect(balances(scenario)).toEqual([100])
  })

  it("of a granted account leaves that an operator's", () => {
    const scenario = given()
    const bearer = funded(scenario, "granted", 5)
    const paid = transaction("paid", [naming(memo, buyer, 2 * USD)])
    expect(claim(scenario, paid, { ...byMemo, bearer })).toMatchObject({ account: "granted", token: null })
    for (const shown of [byMemo, byBuyer, { ...byMemo, ...byBuyer }])
      expect(claim(scenario, paid, shown)).toEqual(refusedAs("operator", null, true))
    revoke(scenario, bearer)
    expect(claim(scenario, paid, byMemo)).toEqual(refusedAs("operator", null, true))
    expect(claim(scenario, paid, { ...byMemo, bearer }).refused).toBe("expired")
    const own = claim(scenario, transaction("own", [naming(memo, buyer, USD)]), byMemo)
    expect(own.account).not.toBe("granted")
  })
})

describe("claims in any order, with replies that are lost and revokes between them", () => {
  it("give a payment to the first claimant alone, and him always the token of one account", () => {
    const ways = [byMemo, byBuyer, { ...byMemo, ...byBuyer }] as const
    const step = fc.record({ way: fc.constantFrom(0, 1, 2), lost: fc.boolean(), revoke: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), fc.boolean(), (steps, named) => {
        const scenario = given()
        const { totalUnits } = askQuote(scenario, "memo", { usd: 3 })
        const paid = transaction("paid", [named ? naming(memo, buyer, totalUnits) : transfer(buyer, totalUnits)])
        const claimantOf = (way: number) => (way === 1 ? "payer" : "memo")
        const first = claimantOf(steps[0]?.way ?? 0)
        for (const { way, lost, revoke: gone } of steps) {
          const shown = ways[way] ?? byMemo
          const got = claim(scenario, paid, shown)
          if (claimantOf(way) !== first) {
            expect(got).toMatchObject({ refused: "already_credited", refusal: { opener: { by: first } } })
            continue
          }
          expect(got).toMatchObject({ credits: 150 })
          if (lost) expect(claim(scenario, paid, shown)).toEqual(got)
          if (gone) revoke(scenario, got.token)
        }
        expect(balances(scenario)).toEqual([150])
      }),
      { numRuns: 300 },
    )
  })
})
