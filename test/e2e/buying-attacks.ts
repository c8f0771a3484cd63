import { type Hex, keccak256, toBytes } from "viem"
import { beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../support/eventually.ts"
import {
  approve,
  authorizedTransfer,
  bundled,
  type ContractCall,
  execute,
  multicall,
  pretended,
  pretendedBefore,
  split,
  transfer,
  transferFrom,
} from "../world/chain/calls.ts"
import type { LocalChain } from "../world/chain/chain.ts"
import type { Client } from "../world/chain/client.ts"
import { signText } from "../world/chain/signatures.ts"
import { type BuyingScene, CONFIRMATIONS, proofRequired } from "./buying-scene.ts"

const BUNDLE_GAS = 25_000_000n

/** What attackers try, over HTTP and a real JSON-RPC, in a shop where others buy. */
export const describeAttacks = (scene: BuyingScene): void => {
  describe("an attacker", () => {
    const { client, mined, pay, expectRefusal, expectStrangersRefused } = scene
    let chain: LocalChain
    beforeAll(() => {
      chain = scene.shop().chain
    })

    it("gets nothing for a look-alike token, nor for events that it invents", async () => {
      const thief = client()
      const [quote, other] = [await thief.quote(), await thief.quote()]
      const { stranger } = chain.accounts
      const lookAlike = await chain.deploy("LookAlike")
      const plain = await mined(
        stranger,
        transfer(chain.wallet, quote.units, { token: lookAlike, memoHash: quote.memoHash }),
      )
      const from = chain.accounts.buyer.address
      const invented = { from, to: chain.wallet, units: quote.units, nonce: quote.memoHash }
      const authorized = await mined(stranger, pretended(lookAlike, invented))
      for (const transaction of [plain, authorized])
        expectRefusal(await thief.confirm(transaction, { memo: quote.memo }), 402, {
          error: "payment_required",
          reason: "no_payment",
        })
      // An invented authorization directly before another's genuine transfer.
      const victim = await chain.newAccount(2_000_000)
      await chain.send(victim, approve(lookAlike, 2_000_000))
      const genuine = transferFrom(victim.address, chain.wallet, 2_000_000)
      const mixed = await mined(stranger, pretendedBefore(lookAlike, victim.address, other.memoHash, genuine))
      expectRefusal(await thief.confirm(mixed, { memo: other.memo }), 409, proofRequired)
      const claimant = client()
      const signature = await signText(victim, await claimant.textToSign(mixed))
      await claimant.token(mixed, { signature })
    })

    it("does not get a payment by a memo hash in calldata that the payer has not sent", async () => {
      const thief = client()
      const quote = await thief.quote()
      const { stranger } = chain.accounts
      const payer = await chain.newAccount(10_000_000)
      await chain.send(payer, approve(stranger.address, 2_000_000))
      const bundler = await chain.deploy("Multicall")
      const calls = [
        mined(stranger, transferFrom(payer.address, chain.wallet, 2_000_000, quote.memoHash)),
        // Behind the calls of a bundle.
        authorizedTransfer(payer, { to: chain.wallet, units: 3_000_000, nonce: keccak256(toBytes("another")) }).then(
          (call) => {
            const bundle = multicall(bundler, [call])
            return mined(stranger, { ...bundle, data: `${bundle.data}${quote.memoHash.slice(2)}` })
          },
        ),
      ]
      for (const transaction of await Promise.all(calls))
        expectRefusal(await thief.confirm(transaction, { memo: quote.memo }), 409, proofRequired)
    })

    it("cannot keep a signed payment from its buyer by 25,000 empty logs that he bundles with it", async () => {
      const buyer = client()
      const quote = await buyer.quote()
      const payer = await chain.newAccount(7_000_000)
      const { relayer } = chain.accounts
      const nothing = { to: chain.wallet, units: 0, nonce: keccak256(toBytes("a transfer of nothing")) }
      const paid = { to: chain.wallet, units: 7_000_000, nonce: quote.memoHash }
      const calls = [await authorizedTransfer(payer, nothing), await authorizedTransfer(payer, paid)]
      const bundle = multicall(await chain.deploy("Multicall"), calls)
      const beside = bundled(await chain.deploy("Bundler"), bundle, { before: 12_500, behind: 12_500 })
      const { transactionHash: transaction } = await chain.send(relayer, beside, BUNDLE_GAS)
      await chain.mine(CONFIRMATIONS - 1)
      const confirmed = await eventually("the payment is credited", async () => {
        const reply = await buyer.confirm(transaction, { memo: quote.memo })
        // Until its receipt is read, the reply says that, and nothing else.
        if (reply.status !== 200) expectRefusal(reply, 503, { reason: "receipt_unread" })
        return reply.status === 200 && reply.body
      })
      expect(confirmed).toMatchObject({ credits: 350 })
    })

    it("does not get a payment of a round sum by quotes opened in advance", async () => {
      const thief = client()
      const quotes = [await thief.quote(1), await thief.quote(2), await thief.quote(5)]
      const payer = await chain.newAccount(10_000_000)
      for (const [index, usd] of [1, 2, 5].entries()) {
        const transaction = await pay(payer, usd * 1_000_000)
        for (const { memo } of quotes) expectRefusal(await thief.confirm(transaction, { memo }), 409, proofRequired)
        if (index === 0) await expectStrangersRefused(transaction)
      }
    })

    it("does not get what its payer claimed first, nor a second token for it", async () => {
      const [buyer, thief] = [client(), client()]
      const quote = await buyer.quote()
      const payer = await chain.newAccount(quote.units)
      const transaction = await pay(payer, quote.units)
      const token = await buyer.token(transaction, { memo: quote.memo })
      // Only the amount ties this payment to the quote, so its first claimant stays the only one.
      const signature = await signText(payer, await thief.textToSign(transaction))
      expectRefusal(await thief.confirm(transaction, { signature }), 409, { error: "already_credited" })
      expect(await buyer.balance(token)).toBe(50)
    })

    it("is not believed for a contract that accepts every signature", async () => {
      const yes = await chain.deploy("YesWallet")
      await chain.mint(yes, 2_000_000)
      const transaction = await mined(chain.accounts.stranger, execute(yes, transfer(chain.wallet, 2_000_000)))
      const thief = client()
      const signature = await signText(chain.accounts.stranger, await thief.textToSign(transaction))
      expectRefusal(await thief.confirm(transaction, { signature }), 409, proofRequired)
    })

    const authorized = (from: Parameters<typeof authorizedTransfer>[0], units: number, nonce: Hex) =>
      authorizedTransfer(from, { to: chain.wallet, units, nonce })
    /** An attacker with funds, and his signature as the payer of a transaction. */
    const strangerWith = async (units: number) => {
      const wallet = await chain.newAccount(units)
      const sign = async (transaction: Hex, by: Client) => signText(wallet, await by.textToSign(transaction))
      return { wallet, sign }
    }

    it("who bundles a buyer's authorization with his own under the same nonce gets no token of the buyer's", async () => {
      const [buyer, thief] = [client(), client()]
      const quote = await buyer.quote(15)
      const payer = await chain.newAccount(15_000_000)
      const { wallet, sign } = await strangerWith(20_000)
      const calls = [
        await authorized(wallet, 20_000, quote.memoHash),
        await authorized(payer, 15_000_000, quote.memoHash),
      ]
      const bundle = await mined(wallet, multicall(await chain.deploy("Multicall"), calls))
      const reply = await buyer.confirm(bundle, { memo: quote.memo })
      expect(reply.body).toMatchObject({ credits: 751 })
      const signature = await sign(bundle, thief)
      const refusal = { error: "already_credited", opened_by: "memo", next_step: "show_memo", shown: quote.memoHash }
      expectRefusal(await thief.confirm(bundle, { signature }), 409, refusal)
      await buyer.post("/api/payment/revoke", {}, String(reply.body.token))
      expectRefusal(await thief.confirm(bundle, { signature }), 409, refusal)
      const next = await buyer.token(bundle, { memo: quote.memo })
      expect(await buyer.balance(next)).toBe(751)
    })

    it("who confirms his part of such a bundle first has what he paid; the buyer's is the buyer's, also beside an older account", async () => {
      const bundler = await chain.deploy("Multicall")
      for (const hadAccount of [false, true]) {
        const [buyer, thief] = [client(), client()]
        const quote = await buyer.quote(15)
        const payer = await chain.newAccount(17_000_000)
        const before = hadAccount
          ? await buyer.token(await pay(payer, 1_000_000, quote.memoHash), { memo: quote.memo })
          : null
        const { wallet, sign } = await strangerWith(1_000_000)
        const nonce = quote.memoHash
        const calls = [await authorized(wallet, 1_000_000, nonce), await authorized(payer, 15_000_000, nonce)]
        const bundle = await mined(wallet, multicall(bundler, calls))
        const his = await thief.token(bundle, { signature: await sign(bundle, thief) })
        const mine = await buyer.token(bundle, { memo: quote.memo })
        expect(mine === his).toBe(false)
        if (before !== null) expect(mine).toBe(before)
        expect(await thief.balance(his)).toBe(50)
        expect(await buyer.balance(mine)).toBe(hadAccount ? 800 : 750)
      }
    })

    it("who gives to a public memo hash has no token of what its holder bought", async () => {
      const [buyer, thief] = [client(), client()]
      const quote = await buyer.quote(5)
      const mine = await buyer.token(await pay(await chain.newAccount(5_000_000), 5_000_000, quote.memoHash), {
        memo: quote.memo,
      })
      const { wallet, sign } = await strangerWith(1_000_000)
      const gift = await mined(wallet, await authorized(wallet, 1_000_000, quote.memoHash))
      expect(await buyer.token(gift, { memo: quote.memo })).toBe(mine)
      expectRefusal(await thief.confirm(gift, { signature: await sign(gift, thief) }), 409, {
        error: "already_credited",
      })
      expect(await buyer.balance(mine)).toBe(300)
    })

    it("who pays eight quotes of 19.99 in one transaction waits for the safe block", async () => {
      const thief = client()
      const quotes = []
      for (let n = 0; n < 8; n++) quotes.push(await client().quote(19.99))
      const payer = await chain.newAccount(200_000_000)
      const splitter = await chain.deploy("Splitter")
      await chain.send(payer, approve(splitter, 200_000_000))
      const parts = quotes.map(({ units }) => ({ to: chain.wallet, units }))
      const transaction = await mined(payer, split(splitter, parts))
      for (const { memo } of quotes)
        expectRefusal(await thief.confirm(transaction, { memo }), 202, { status: "pending", required: "safe" })
    })

    it("does not crowd out a contract wallet with eight larger payers, where the confirm names it", async () => {
      const buyer = client()
      const owner = await chain.newAccount(0)
      const wallet = await chain.deploy("Wallet", [owner.address])
      await chain.mint(wallet, 1_000_000)
      const bundler = await chain.deploy("Multicall")
      await chain.send(owner, execute(wallet, approve(bundler, 1_000_000)))
      const calls: Array<ContractCall> = [transferFrom(wallet, chain.wallet, 1_000_000)]
      for (let n = 0; n < 8; n++) {
        const yes = await chain.deploy("YesWallet")
        await chain.mint(yes, 1_100_000)
        calls.push(execute(yes, transfer(chain.wallet, 1_100_000)))
      }
      const bundle = await mined(chain.accounts.stranger, multicall(bundler, calls))
      const signature = await signText(owner, await buyer.textToSign(bundle))
      expectRefusal(await buyer.confirm(bundle, { signature }), 409, proofRequired)
      const reply = await buyer.confirm(bundle, { signature, payer: wallet })
      expect(reply.body).toMatchObject({ credits: 50 })
    })
  })
}
