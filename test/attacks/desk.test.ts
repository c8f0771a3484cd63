import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { openBuying } from "../../ledger/buying/buying.ts"
import { makePayments } from "../../ledger/buying/payments.ts"
import { claimKeyHashOf, textToSign } from "../../ledger/buying/proof.ts"
import type { Chain, Transaction } from "../../ledger/chain.port.ts"
import { address, CHAIN_ID, NOON_MS, SIGNED_UNTIL, transaction, transfer, word } from "../conformance/ledger/given.ts"
import { CLAIM_KEY, deskUnderTest, HOST, signed, tokenKeys, WALLET } from "../payment/desk.ts"

// A payment is never beyond its payer's reach, whatever its transaction looks like.

const buyer = address("buyer")
const textFor = ({ hash }: Transaction) =>
  textToSign({
    service: HOST,
    chainId: CHAIN_ID,
    wallet: WALLET,
    transaction: hash,
    memoHash: null,
    beneficiary: { by: "claimKey", claimKeyHash: claimKeyHashOf(CLAIM_KEY) },
    until: SIGNED_UNTIL,
  })

describe("a payer's payment", () => {
  it("that a reorganisation moved to another position of its transaction is his again, in the account that his signature opened", async () => {
    const desk = await deskUnderTest()
    const paidAt = (position: number) =>
      desk.mine(
        transaction("paid", [transfer(buyer, 1_000_000, { position })], {
          block: { hash: word(`block ${position}`), number: 34_000_000, atMs: NOON_MS },
        }),
      )
    const paid = paidAt(0)
    const shown = { txHash: paid.hash, signature: signed(buyer, textFor(paid)) }
    const first = await desk.tokenOf(shown)
    paidAt(1)
    const payment = { chainId: CHAIN_ID, transaction: paid.hash, position: 0 }
    await Effect.runPromise(desk.ledger.submit({ _tag: "observe", payment, seen: null }))
    const second = await desk.tokenOf(shown)
    expect(second).toBe(first)
    expect(await Effect.runPromise(desk.buying.account(first))).toMatchObject({ balance: 50, shortfall: 0 })
  })

  it("that was bundled with a lot of dust is tried before the dust", async () => {
    const desk = await deskUnderTest()
    const asked: Array<ReadonlyArray<string>> = []
    const chain: Chain = {
      ...desk.chain,
      signerOf: (request) => {
        asked.push(request.candidates)
        return desk.chain.signerOf(request)
      },
    }
    const buying = openBuying({
      ledger: desk.ledger,
      payments: makePayments({ ledger: desk.ledger, chain }),
      tokenKeys,
      service: HOST,
      random: (count) => new Uint8Array(count),
      newId: randomUUID,
      clientKey: new Uint8Array(32),
    })
    const dust = Array.from({ length: 20 }, (_, position) => transfer(address(`dust ${position}`), 1, { position }))
    const paid = desk.mine(transaction("bundle", [...dust, transfer(buyer, 1_000_000, { position: 20 })]))
    const shown = { txHash: paid.hash, signature: signed(buyer, textFor(paid)) }
    expect(await desk.confirm(shown, buying)).toMatchObject({ _tag: "credited", credits: 50 })
    expect(asked[0]?.[0]).toBe(buyer)
    // Larger payers come before him, unless he is named: then he is asked about alone.
    const larger = Array.from({ length: 8 }, (_, position) => transfer(address(`${position}`), 1_100_000, { position }))
    const crowd = desk.mine(transaction("crowd", [...larger, transfer(buyer, 1_000_000, { position: 20 })]))
    const named = {
      txHash: crowd.hash,
      signature: signed(buyer, textFor(crowd)),
      payer: `0x${buyer.slice(2).toUpperCase()}`,
    }
    expect(await desk.confirm(named, buying)).toMatchObject({ _tag: "credited", credits: 50 })
    expect(asked.at(-1)).toEqual([buyer])
  })
})

describe("a stranger's confirm of the same transaction, on its way at the same time", () => {
  const stranger = address("stranger")

  it("does not share the payer's answer: what is shown is not the same", async () => {
    const desk = await deskUnderTest()
    const paid = desk.mine(transaction("round", [transfer(buyer, 1_000_000)]))
    const txHash = paid.hash
    const { release } = desk.hold()
    const payers = desk.confirm({ txHash, signature: signed(buyer, textFor(paid)) })
    const others = [
      desk.confirm({ txHash, signature: signed(stranger, textFor(paid)) }),
      desk.confirm({ txHash }),
      desk.confirm({ txHash, memo: `tw_buy_${"0".repeat(32)}`, signature: signed(buyer, textFor(paid)) }),
    ]
    await new Promise((resolve) => setImmediate(resolve))
    release()
    expect(await payers).toMatchObject({ _tag: "credited", credits: 50 })
    for (const other of await Promise.all(others)) {
      expect(other).toMatchObject({ _tag: "payer_proof_required" })
      expect(other).not.toHaveProperty("token")
    }
  })

  it("neither credits another bearer's account, nor reveals what was credited to it", async () => {
    const desk = await deskUnderTest()
    const one = await desk.quoted()
    const bearer = await desk.tokenOf({
      txHash: desk.mine(transaction("one", [transfer(buyer, one.totalUnits)])).hash,
      memo: one.memo,
    })
    const two = await desk.quoted()
    const { hash: txHash } = desk.mine(transaction("two", [transfer(buyer, two.totalUnits)]))
    const { release } = desk.hold()
    const added = desk.confirm({ txHash, memo: two.memo, bearer })
    const without = desk.confirm({ txHash, memo: two.memo })
    await new Promise((resolve) => setImmediate(resolve))
    release()
    const outcomes = await Promise.all([added, without])
    // Whichever came first, the other one is refused: credited once, to one account.
    expect(outcomes.map(({ _tag }) => _tag).toSorted()).toEqual(["already_credited", "credited"])
    expect(outcomes.filter((one) => "token" in one && one.token === null)).toHaveLength(
      outcomes[0]._tag === "credited" ? 1 : 0,
    )
    const credits = desk.memory.events("ledger").filter(({ type }) => type === "purchase.credited")
    expect(credits).toHaveLength(2)
  })
})
