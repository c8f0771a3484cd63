import { describe, expect, it } from "vitest"
import { askQuote, buyer, debit, given, observed, transaction, transfer, word } from "../conformance/ledger/given.ts"
import {
  balances,
  byBuyer,
  byMemo,
  byOther,
  byStranger,
  claim,
  memo,
  naming,
  other,
  refusedAs,
  revoke,
  stranger,
  USD,
} from "./claiming.ts"

// An account belongs to what opened it. Whatever lies in one transaction together, each claimant has what is his.

describe("a stranger who bundles a buyer's authorization with one of his own under the same nonce", () => {
  const bundle = (units: number) =>
    transaction("bundle", [naming(memo, stranger, units), naming(memo, buyer, 15 * USD, 2)])

  it("gets no token of the buyer's who was first, nor after a revoke", () => {
    const scenario = given()
    askQuote(scenario, "memo", { usd: 15 })
    const paid = bundle(20_000)
    const first = claim(scenario, paid, byMemo)
    expect(first).toMatchObject({ credits: 751 })
    expect(claim(scenario, paid, byStranger)).toEqual(refusedAs("memo", memo))
    revoke(scenario, first.token)
    expect(claim(scenario, paid, byStranger)).toEqual(refusedAs("memo", memo))
    const again = claim(scenario, paid, byMemo)
    expect(again).toMatchObject({ account: first.account, credits: 751 })
    expect(again.token).not.toBe(first.token)
  })

  it("and was first has what he paid, and nothing of the buyer's", () => {
    const scenario = given()
    const paid = bundle(USD)
    const his = claim(scenario, paid, byStranger)
    const mine = claim(scenario, paid, byMemo)
    expect([his.credits, mine.credits]).toEqual([50, 750])
    expect(mine.account).not.toBe(his.account)
    expect(mine.token).not.toBe(his.token)
    expect(balances(scenario)).toEqual([50, 750])
  })

  it("and was first, has nothing of a second payment with the memo of an account that stood before", () => {
    const scenario = given()
    const before = claim(scenario, transaction("before", [naming(memo, buyer, 2 * USD)]), byMemo)
    const paid = bundle(USD)
    const his = claim(scenario, paid, byStranger)
    const mine = claim(scenario, paid, byMemo)
    expect(mine).toMatchObject({ account: before.account, token: before.token, credits: 750 })
    expect(his.account).not.toBe(mine.account)
    expect(balances(scenario)).toEqual([50, 850])
  })
})

describe("a stranger who pays to a memo's hash in a transaction of his own", () => {
  it("has given that away once its holder has claimed it", () => {
    const scenario = given()
    const mine = claim(scenario, transaction("mine", [naming(memo, buyer, 15 * USD)]), byMemo)
    const gift = transaction("gift", [naming(memo, stranger, USD)])
    expect(claim(scenario, gift, byMemo)).toMatchObject({ account: mine.account, token: mine.token, credits: 50 })
    expect(claim(scenario, gift, byStranger)).toEqual(refusedAs("memo", memo))
    revoke(scenario, mine.token)
    expect(claim(scenario, gift, byStranger)).toEqual(refusedAs("memo", memo))
  })

  it("keeps it where he was first, and the holder is shown whose it is", () => {
    const scenario = given()
    const gift = transaction("gift", [naming(memo, stranger, USD)])
    const his = claim(scenario, gift, byStranger)
    expect(claim(scenario, gift, byMemo)).toEqual(refusedAs("payer", stranger))
    const mine = claim(scenario, transaction("mine", [naming(memo, buyer, 15 * USD)]), byMemo)
    expect(mine.account).not.toBe(his.account)
  })
})

describe("a reorganisation", () => {
  const block = (name: string) => ({ hash: word(name), number: 34_000_000, atMs: 0 })
  const both = (name: string, ...hashes: ReadonlyArray<string>) =>
    transaction(
      "both",
      hashes.map((hash, position) => naming(hash, buyer, 5 * USD, position)),
      { block: block(name), depth: "latest", confirmations: 5 },
    )

  it.each([true, false])(
    "that swaps what one payer paid for two buyers leaves each his own, whether the watcher saw it first (%s)",
    (watched) => {
      const scenario = given()
      const ann = claim(scenario, both("before", memo, other), byMemo)
      const after = both("after", other, memo)
      if (watched) {
        expect(scenario.when(observed(after, 0))).toMatchObject({ answer: { became: "reversed" } })
        expect(balances(scenario)).toEqual([0])
        expect(scenario.when(observed(after, 0))).toMatchObject({ answer: { became: "unchanged" } })
      }
      const ben = claim(scenario, after, byOther)
      expect(ben).toMatchObject({ credits: 250 })
      expect(ben.account).not.toBe(ann.account)
      expect(ben.token).not.toBe(ann.token)
      expect(claim(scenario, after, byMemo)).toMatchObject({ account: ann.account, token: ann.token, credits: 250 })
      expect(balances(scenario)).toEqual([250, 250])
      for (const position of [0, 1])
        expect(scenario.when(observed(after, position))).toMatchObject({ answer: { became: "unchanged" } })
      expect(balances(scenario)).toEqual([250, 250])
    },
  )

  it.each([0, 1])(
    "after 15 USD were claimed by memo and spent opens no second account for the payer, in place %i",
    (position) => {
      const scenario = given()
      const paid = (at: number, name: string) =>
        transaction("paid", [naming(memo, buyer, 15 * USD, at)], {
          block: block(name),
          depth: "latest",
          confirmations: 5,
        })
      const mine = claim(scenario, paid(0, "before"), byMemo)
      scenario.accepted(debit(mine.token ?? "", "spent", { credits: 700 }))
      const after = paid(position, "after")
      scenario.accepted({ ...observed(after), seen: null })
      expect(claim(scenario, after, byBuyer)).toEqual(refusedAs("memo", memo))
      expect(claim(scenario, after, byMemo)).toMatchObject({ account: mine.account, token: mine.token })
      expect(balances(scenario)).toEqual([50])
      expect(claim(scenario, after, byBuyer)).toEqual(refusedAs("memo", memo))
    },
  )

  it("that moves a payment within its transaction doubles it for no account, though the watcher has not seen it", () => {
    const scenario = given()
    const mine = claim(scenario, both("before", memo), byMemo)
    const after = transaction("both", [naming(memo, buyer, 5 * USD, 3)], { block: block("after"), depth: "safe" })
    expect(claim(scenario, after, byMemo)).toMatchObject({ account: mine.account, token: mine.token, credits: 250 })
    expect(balances(scenario)).toEqual([250])
  })
})

describe("one payer", () => {
  it("with two transactions gets no token of the first by a signature for the second", () => {
    const scenario = given()
    const [one, two] = ["one", "two"].map((name) => transaction(name, [transfer(buyer, 2 * USD)]))
    const [first, second] = [claim(scenario, one ?? null, byBuyer), claim(scenario, two ?? null, byBuyer)]
    expect(first.account).not.toBe(second.account)
    expect(first.token).not.toBe(second.token)
    // Paid with one memo: its holder has both, and a signature for the second shows neither.
    const [third, fourth] = ["three", "four"].map((name) => transaction(name, [naming(memo, buyer, 2 * USD)]))
    const mine = claim(scenario, third ?? null, byMemo)
    expect(claim(scenario, fourth ?? null, byMemo)).toMatchObject({ account: mine.account, token: mine.token })
    expect(claim(scenario, fourth ?? null, byBuyer)).toEqual(refusedAs("memo", memo))
  })

  it("who shows memo and signature together over two quotes claims no payment that names the other one", () => {
    const scenario = given()
    for (const name of ["memo", "other memo"]) askQuote(scenario, name, { usd: 2, tail: name.length })
    const paid = transaction("both", [naming(memo, buyer, 2 * USD), naming(other, buyer, 3 * USD, 2)])
    const mine = claim(scenario, paid, { ...byMemo, ...byBuyer })
    expect(mine).toMatchObject({ credits: 100 })
    const others = claim(scenario, paid, byOther)
    expect(others).toMatchObject({ credits: 150 })
    expect(others.account).not.toBe(mine.account)
    expect(claim(scenario, paid, byBuyer)).toMatchObject({ refused: "already_credited" })
    // What names nothing is claimed with it, and is then its claimant's alone.
    const plain = transaction("plain", [naming(memo, buyer, USD), transfer(buyer, 2 * USD, { position: 2 })])
    expect(claim(scenario, plain, { ...byMemo, ...byBuyer })).toMatchObject({ account: mine.account, credits: 150 })
    expect(claim(scenario, plain, byMemo)).toMatchObject({ account: mine.account, credits: 150 })
    expect(claim(scenario, plain, byBuyer)).toEqual(refusedAs("memo", memo))
  })

  it("who pays two quotes in one transaction has each claimed by its memo, or both by himself", () => {
    for (const first of [byMemo, byOther, byBuyer]) {
      const scenario = given()
      const totals = ["memo", "other memo"].map((name, n) => askQuote(scenario, name, { tail: 10 + n }).totalUnits)
      const transfers = totals.map((units, position) => transfer(buyer, units, { position }))
      const paid = transaction("batch", transfers)
      const opened = claim(scenario, paid, first)
      expect(opened.credits).toBe(first === byBuyer ? 100 : 50)
      const rest = [byMemo, byOther, byBuyer].filter((one) => one !== first).map((one) => claim(scenario, paid, one))
      if (first === byBuyer) expect(rest).toEqual([refusedAs("payer", buyer), refusedAs("payer", buyer)])
      else expect(rest).toMatchObject([{ credits: 50 }, { refused: "already_credited" }])
      expect(claim(scenario, paid, first)).toEqual(opened)
    }
    // Named by hash, one is claimed by its memo and the other by the payer: then that is not the other memo's.
    const scenario = given()
    const paid = transaction("named", [naming(memo, buyer, USD), naming(other, buyer, USD, 2)])
    const mine = claim(scenario, paid, byMemo)
    const payers = claim(scenario, paid, byBuyer)
    expect(payers.account).not.toBe(mine.account)
    expect(claim(scenario, paid, byOther)).toEqual(refusedAs("payer", buyer))
  })
})

describe("one memo that two wallets paid", () => {
  it("has both payments in its account, and shows neither of the wallets its token", () => {
    const scenario = given()
    const [one, two] = [buyer, stranger].map((payer) => transaction(`by ${payer}`, [naming(memo, payer, 2 * USD)]))
    const mine = claim(scenario, one ?? null, byMemo)
    expect(claim(scenario, two ?? null, byMemo)).toMatchObject({ account: mine.account, token: mine.token })
    expect(claim(scenario, two ?? null, byStranger)).toEqual(refusedAs("memo", memo))
    expect(claim(scenario, one ?? null, byBuyer)).toEqual(refusedAs("memo", memo))
    expect(balances(scenario)).toEqual([200])
  })
})
