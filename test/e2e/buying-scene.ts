import type { Hex } from "viem"
import { expect } from "vitest"
import { type Call, transfer } from "../world/chain/calls.ts"
import type { LocalChain } from "../world/chain/chain.ts"
import { type Client, makeClient, type Reply } from "../world/chain/client.ts"
import type { Shop } from "../world/chain/shop.ts"
import { signText } from "../world/chain/signatures.ts"

/** Confirmations that are enough for a small payment. */
export const CONFIRMATIONS = 5

/** What a confirm is answered that shows no proof. */
export const proofRequired = { error: "payer_proof_required", text_to_sign: expect.any(String) }

/** What buyers and attackers have in common, in a shop that is open by the time they come. */
export const makeBuyingScene = (shop: () => Shop) => {
  const client = (): Client => makeClient(shop().service.url)

  /** Sends a call and makes it deep enough for a small payment; its transaction. */
  const mined = async (from: Parameters<LocalChain["send"]>[0], call: Call): Promise<Hex> => {
    const { transactionHash } = await shop().chain.send(from, call)
    await shop().chain.mine(CONFIRMATIONS - 1)
    return transactionHash
  }
  const pay = (from: Parameters<LocalChain["send"]>[0], units: number, memoHash?: Hex): Promise<Hex> =>
    mined(from, transfer(shop().chain.wallet, units, memoHash === undefined ? {} : { memoHash }))

  const expectRefusal = (told: Reply, status: number, rest: Readonly<Record<string, unknown>>) =>
    expect({ status: told.status, ...told.body }).toMatchObject({ status, ...rest })

  /** Everything that can be tried by one who saw the transaction, but neither knows the memo nor can sign as its payer. */
  const expectStrangersRefused = async (transaction: Hex): Promise<void> => {
    const thief = client()
    const own = await thief.quote()
    const text = await thief.textToSign(transaction, own.memo)
    const signature = await signText(shop().chain.accounts.stranger, text)
    for (const shown of [{}, { memo: own.memo }, { signature }, { memo: own.memo, signature }]) {
      const told = await thief.confirm(transaction, shown)
      expect(told.status, told.text).toBe(409)
      expect(told.text).not.toContain("svc_live_")
    }
  }
  return { shop, client, mined, pay, expectRefusal, expectStrangersRefused }
}

/** The scene of buyers and attackers. */
export type BuyingScene = ReturnType<typeof makeBuyingScene>
