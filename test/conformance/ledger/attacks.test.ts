import { describe, expect, it } from "vitest"
import {
  address,
  askQuote,
  buyer,
  clientOf,
  confirm,
  confirmed,
  DAY_MS,
  debit,
  funded,
  given,
  MINUTE_MS,
  NOON_MS,
  plainCall,
  transaction,
  transfer,
  USDC,
  word,
} from "./given.ts"

// A payment belongs to its payer. Whatever a watcher of the chain can see or arrange beforehand proves nothing.

const thief = address("thief")
const buyersMemo = word("memo of the buyer")
const thiefsMemo = word("memo of the thief")

describe("a stranger who", () => {
  it("only watches the chain cannot claim a payment: not without proof, not with a memo of his own", () => {
    const scenario = given()
    const { totalUnits } = askQuote(scenario, "memo of the buyer")
    askQuote(scenario, "memo of the thief", { tail: 900 })
    const paid = transaction("paid", [transfer(buyer, totalUnits)])
    expect(scenario.refused(confirm(paid))).toEqual({ _tag: "payer_proof_required" })
    expect(scenario.refused(confirm(paid, { memoHash: thiefsMemo }))).toEqual({ _tag: "payer_proof_required" })
    expect(scenario.refused(confirm(paid, { signer: thief }))).toEqual({ _tag: "payer_proof_required" })
    expect(confirmed(scenario, confirm(paid, { memoHash: buyersMemo }))).toMatchObject({ answer: { credits: 50 } })
  })

  it("opens quotes in advance for every round sum owns no round payment", () => {
    const scenario = given()
    for (let usd = 1; usd <= 9; usd++) askQuote(scenario, `trap ${usd}`, { usd, tail: 1, client: "thief" })
    const paid = transaction("paid", [transfer(buyer, 5_000_000)], { call: plainCall(buyer) })
    for (let usd = 1; usd <= 9; usd++)
      expect(scenario.refused(confirm(paid, { memoHash: word(`trap ${usd}`) }))._tag).toBe("payer_proof_required")
    expect(confirmed(scenario, confirm(paid, { signer: buyer }))).toMatchObject({ answer: { credits: 250 } })
  })

  it("signs as himself, and shows a memo of his own, is not the payer of another's payment", () => {
    const scenario = given()
    askQuote(scenario, "memo of the thief", { usd: 5 })
    const paid = transaction("paid", [transfer(buyer, 5_000_000)])
    const shown = { memoHash: thiefsMemo, signer: thief }
    expect(scenario.refused(confirm(paid, shown))._tag).toBe("payer_proof_required")
  })

  it("has the only open quote owns no payment that does not name it", () => {
    const scenario = given()
    askQuote(scenario, "memo of the thief", { usd: 5 })
    const paid = transaction("paid", [transfer(buyer, 5_000_000)])
    expect(scenario.refused(confirm(paid, { memoHash: thiefsMemo }))._tag).toBe("payer_proof_required")
  })

  it("asks for a quote after he saw a payment cannot fit it to the payment, though he got the same total", () => {
    const scenario = given()
    const paid = transaction("paid", [transfer(buyer, 1_000_417)], { atMs: NOON_MS - MINUTE_MS })
    const { totalUnits } = askQuote(scenario, "memo of the thief", { tail: 417 })
    expect(totalUnits).toBe(1_000_417)
    expect(scenario.refused(confirm(paid, { memoHash: thiefsMemo }))._tag).toBe("payer_proof_required")
  })

  it("cannot have the total of a quote that was issued, or expired less than 7 days ago", () => {
    const scenario = given()
    const { totalUnits } = askQuote(scenario, "memo of the buyer", { tail: 417 })
    const ask = { _tag: "issueQuote", askedCents: 100, tail: 417, client: clientOf("thief") } as const
    const lastMs = NOON_MS + 30 * MINUTE_MS + 7 * DAY_MS
    const early = scenario.accepted({ ...ask, memoHash: thiefsMemo }, lastMs)
    expect(early.totalUnits).not.toBe(totalUnits)
    // A block knows whole seconds: that of the window's end belongs to the first quote alone.
    expect(scenario.accepted({ ...ask, memoHash: word("same second") }, lastMs + 999).totalUnits).not.toBe(totalUnits)
    const late = scenario.accepted({ ...ask, memoHash: word("later") }, lastMs + 1_000)
    expect(late.totalUnits).toBe(totalUnits)
    // The two do not overlap: each payment pays the quote of its own block's time.
    const paidEarly = transaction("early", [transfer(buyer, totalUnits)], { atMs: lastMs })
    expect(scenario.refused(confirm(paidEarly, { memoHash: word("later") }))._tag).toBe("payer_proof_required")
    expect(confirmed(scenario, confirm(paidEarly, { memoHash: buyersMemo }))).toMatchObject({ answer: { credits: 50 } })
    const paidLate = transaction("late", [transfer(buyer, totalUnits)], { atMs: lastMs + 1_000 })
    expect(scenario.refused(confirm(paidLate, { memoHash: buyersMemo }))._tag).toBe("payer_proof_required")
    const later = { memoHash: word("later"), newAccount: "later" }
    expect(confirmed(scenario, confirm(paidLate, later))).toMatchObject({ answer: { credits: 50 } })
  })

  it("submits another's signed authorization is not its payer", () => {
    const scenario = given()
    const paid = transaction(
      "relayed",
      [transfer(buyer, 1_000_000, { authorization: { authorizer: buyer, nonce: buyersMemo } })],
      { call: { from: thief, to: USDC, selector: "0xe3ee160e", argument: word("whatever") } },
    )
    expect(scenario.refused(confirm(paid, { signer: thief }))._tag).toBe("payer_proof_required")
    expect(scenario.refused(confirm(paid, { memoHash: thiefsMemo }))._tag).toBe("payer_proof_required")
    expect(confirmed(scenario, confirm(paid, { memoHash: buyersMemo }))).toMatchObject({ answer: { credits: 50 } })
  })

  it("bundles another's transfer with an authorization of his own gains nothing: authorizer and payer must be one", () => {
    const scenario = given()
    askQuote(scenario, "memo of the thief", { usd: 5 })
    const paid = transaction("bundle", [
      transfer(buyer, 5_000_000, { authorization: { authorizer: thief, nonce: thiefsMemo } }),
    ])
    expect(scenario.refused(confirm(paid, { memoHash: thiefsMemo }))._tag).toBe("payer_proof_required")
  })

  it.each([
    ["transferFrom", { from: thief, to: USDC, selector: "0x23b872dd", argument: thiefsMemo }],
    ["permit", { from: thief, to: USDC, selector: "0xd505accf", argument: thiefsMemo }],
    ["a multicall", { from: buyer, to: address("multicall"), selector: "0xa9059cbb", argument: thiefsMemo }],
    ["another function that the payer calls", { from: buyer, to: USDC, selector: "0x23b872dd", argument: thiefsMemo }],
    ["a transfer that a stranger sent", { from: thief, to: USDC, selector: "0xa9059cbb", argument: thiefsMemo }],
  ])("puts his memo's hash into the calldata of %s proves nothing", (_, call) => {
    const scenario = given()
    askQuote(scenario, "memo of the thief", { usd: 5 })
    const paid = transaction("paid", [transfer(buyer, 5_000_000)], { call })
    expect(scenario.refused(confirm(paid, { memoHash: thiefsMemo }))._tag).toBe("payer_proof_required")
    expect(confirmed(scenario, confirm(paid, { signer: buyer }))).toMatchObject({ answer: { credits: 250 } })
  })

  it("quotes the total that the buyer will sign loses to the signed nonce, and to the calldata", () => {
    const scenario = given()
    const { totalUnits } = askQuote(scenario, "memo of the thief")
    const signed = transaction("signed", [
      transfer(buyer, totalUnits, { authorization: { authorizer: buyer, nonce: buyersMemo } }),
    ])
    const sent = transaction("sent", [transfer(buyer, totalUnits)], { call: plainCall(buyer, buyersMemo) })
    askQuote(scenario, "memo of the buyer", { tail: 9 })
    for (const paid of [signed, sent]) {
      expect(scenario.refused(confirm(paid, { memoHash: thiefsMemo }))._tag).toBe("payer_proof_required")
      expect(confirmed(scenario, confirm(paid, { memoHash: buyersMemo }))).toMatchObject({ answer: { credits: 50 } })
    }
  })

  it("confirms a claimed payment is refused as already credited, and gets no token", () => {
    const scenario = given()
    const { totalUnits } = askQuote(scenario, "memo of the buyer")
    const paid = transaction("paid", [transfer(buyer, totalUnits)])
    confirmed(scenario, confirm(paid, { memoHash: buyersMemo }))
    expect(scenario.refused(confirm(paid, { memoHash: thiefsMemo }))._tag).toBe("payer_proof_required")
    expect(scenario.refused(confirm(paid))._tag).toBe("payer_proof_required")
    // An amount ties no payer to the memo, so the first claim stands, even against the payer.
    expect(scenario.refused(confirm(paid, { signer: buyer }))._tag).toBe("already_credited")
  })

  it("shows the same memo to two transactions gets only what names it", () => {
    const scenario = given()
    const { totalUnits } = askQuote(scenario, "memo of the thief")
    const own = transaction("own", [transfer(thief, totalUnits)])
    confirmed(scenario, confirm(own, { memoHash: thiefsMemo }))
    const others = transaction("others", [transfer(buyer, totalUnits + 1)])
    expect(scenario.refused(confirm(others, { memoHash: thiefsMemo }))._tag).toBe("payer_proof_required")
  })

  it("signs as one payer of a bundle gets what he paid himself, and nothing of the others", () => {
    const scenario = given()
    const { totalUnits } = askQuote(scenario, "memo of the buyer")
    const paid = transaction("bundle", [
      transfer(thief, 1_000_000),
      transfer(buyer, totalUnits, { position: 1 }),
      transfer(buyer, 5_000_000, { position: 2 }),
    ])
    const toThief = confirm(paid, { signer: thief, memoHash: thiefsMemo, newAccount: "thief's" })
    expect(confirmed(scenario, toThief)).toMatchObject({ answer: { account: "thief's", credits: 50, balance: 50 } })
    expect(confirmed(scenario, confirm(paid, { memoHash: buyersMemo }))).toMatchObject({ answer: { credits: 50 } })
    const toPayer = confirm(paid, { signer: buyer, newAccount: "payer's" })
    expect(confirmed(scenario, toPayer)).toMatchObject({ answer: { account: "payer's", credits: 250, balance: 250 } })
  })

  it("sends a token that was never issued, or another's revoked one, spends nothing", () => {
    const scenario = given()
    const { totalUnits } = askQuote(scenario, "memo of the buyer")
    const paid = transaction("paid", [transfer(buyer, totalUnits)])
    const guess = word("guess").slice(2)
    expect(scenario.refused(confirm(paid, { memoHash: buyersMemo, bearer: guess }))._tag).toBe("invalid_token")
    expect(scenario.refused(debit(guess, "d"))._tag).toBe("invalid_token")
    const token = funded(scenario, "a", 50)
    scenario.accepted({ _tag: "revoke", token, confirmed: true })
    expect(scenario.refused(debit(token, "d"))._tag).toBe("expired")
    expect(scenario.refused({ _tag: "readAccount", by: { token } })._tag).toBe("expired")
    expect(scenario.refused(confirm(paid, { memoHash: buyersMemo, bearer: token }))._tag).toBe("expired")
  })

  it("takes half the tails of an amount closes no shop: the payer signs instead", () => {
    const scenario = given()
    for (let tail = 1; tail <= 5_000; tail++)
      scenario.accepted(
        {
          _tag: "issueQuote",
          askedCents: 100,
          memoHash: word(`m${tail}`),
          tail,
          client: clientOf(`c${Math.floor(tail / 4)}`),
        },
        NOON_MS + tail,
      )
    const quote = askQuote(scenario, "memo of the buyer")
    expect(quote).toMatchObject({ proof: "signature", totalUnits: 1_000_000 })
    const paid = transaction("paid", [transfer(buyer, 1_000_000)])
    const shown = { memoHash: buyersMemo, signer: buyer }
    expect(scenario.refused(confirm(paid, { memoHash: buyersMemo }))._tag).toBe("payer_proof_required")
    expect(confirmed(scenario, confirm(paid, shown))).toMatchObject({ answer: { credits: 50 } })
  })
})
