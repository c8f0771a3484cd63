import type { Hex } from "viem"
import { expect } from "vitest"
import { type ContractCall, transfer } from "../world/chain/calls.ts"
import type { LocalChain } from "../world/chain/chain.ts"
import { type Client, makeClient, type Reply } from "../world/chain/client.ts"
import type { Shop } from "../world/chain/shop.ts"
import { signText } from "../world/chain/signatures.ts"

/** Confirmations that are enough for a small payment. */
export const CONFIRMATIONS = 5

/** The reply to a confirm without proof. */
export const proofRequired = { error: "payer_proof_required", text_to_sign: expect.any(String) }

/** Helpers of buyers and attackers; made once the shop is open. */
export const makeBuyingScene = (shop: () => Shop) => {
  const client = (): Client => makeClient(shop().service.url)

  /** Sends a call and makes it deep enough for a small payment; its transaction. */
  const mined = async (from: Parameters<LocalChain["send"]>[0], call: ContractCall): Promise<Hex> => {
    const { transactionHash } = await shop().chain.send(from, call)
    await shop().chain.mine(CONFIRMATIONS - 1)
    return transactionHash
  }
  const pay = (from: Parameters<LocalChain["send"]>[0], units: number, memoHash?: Hex): Promise<Hex> =>
    mined(from, transfer(shop().chain.wallet, units, memoHash === undefined ? {} : { memoHash }))

  const expectRefusal = (reply: Reply, status: number, rest: Readonly<Record<string, unknown>>) =>
    expect({ status: reply.status, ...reply.body }).toMatchObject({ status, ...rest })

  /** Every claim by an observer of the transaction without the memo and without the payer's key; each must be refused. */
  const expectStrangersRefused = async (transaction: Hex): Promise<void> => {
    const thief = client()
    const own = await thief.quote()
    const text = await thief.textToSign(transaction, own.memo)
    const signature = await signText(shop().chain.accounts.stranger, text)
    for (const shown of [{}, { memo: own.memo }, { signature }, { memo: own.memo, signature }]) {
      const reply = await thief.confirm(transaction, shown)
      expect(reply.status, reply.text).toBe(409)
      expect(reply.text).not.toContain("svc_live_")
    }
  }
  return { shop, client, mined, pay, expectRefusal, expectStrangersRefused }
}

/** The scene of buyers and attackers. */
export type BuyingScene = ReturnType<typeof makeBuyingScene>
