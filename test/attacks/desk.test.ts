import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Chain, Transaction } from "../../infra/chain/chain.port.ts"
import { textToSign } from "../../ledger/buying/proof.ts"
import { openBuying } from "../../ledger/buying.ts"
import { address, CHAIN_ID, NOON_MS, transaction, transfer, word } from "../conformance/ledger/given.ts"
import { deskUnderTest, HOST, signed, tokenKeys, WALLET } from "../unit/payment/desk.ts"

// A payment is never beyond its payer's reach, whatever its transaction looks like.

const buyer = address("buyer")
const textFor = ({ hash }: Transaction) =>
  textToSign({ host: HOST, chainId: CHAIN_ID, wallet: WALLET, transaction: hash, memoHash: null })

describe("a payer's payment", () => {
  it("that a reorganisation moved to another position of its transaction is his again, with a token of its own", async () => {
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
    expect(second).not.toBe(first)
    expect(await desk.tokenOf(shown)).toBe(second)
    expect(await Effect.runPromise(desk.buying.account(second))).toMatchObject({ balance: 50 })
    expect(await Effect.runPromise(desk.buying.account(first))).toMatchObject({ balance: 0 })
  })

  it("that somebody bundled with a lot of dust is asked about before the dust", async () => {
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
      chain,
      tokenKeys,
      host: HOST,
      random: (count) => new Uint8Array(count),
      newId: () => "account",
      clientKey: new Uint8Array(32),
    })
    const dust = Array.from({ length: 20 }, (_, position) => transfer(address(`dust ${position}`), 1, { position }))
    const paid = desk.mine(transaction("bundle", [...dust, transfer(buyer, 1_000_000, { position: 20 })]))
    const shown = { txHash: paid.hash, signature: signed(buyer, textFor(paid)) }
    expect(await desk.confirm(shown, buying)).toMatchObject({ _tag: "credited", credits: 50 })
    expect(asked[0]?.[0]).toBe(buyer)
  })
})
