import { type Hex, toHex } from "viem"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  approve,
  authorizedTransfer,
  execute,
  forwarded,
  multicall,
  permit,
  split,
  transfer,
  transferFrom,
} from "../world/chain/calls.ts"
import type { LocalChain } from "../world/chain/chain.ts"
import { openShop, type Shop } from "../world/chain/shop.ts"
import { signText } from "../world/chain/signatures.ts"
import { describeAttacks } from "./buying-attacks.ts"
import { CONFIRMATIONS, makeBuyingScene, proofRequired } from "./buying-scene.ts"

// What buyers do, and what attackers try: over HTTP and a real JSON-RPC, against the whole service.

let shop: Shop
let chain: LocalChain
const scene = makeBuyingScene(() => shop)
beforeAll(async () => {
  shop = await openShop({ LOG_LEVEL: "warn" }, ["/api/pro/briefing"])
  chain = shop.chain
  await shop.service.filled()
})
afterAll(() => shop?.close())

const { client, mined, pay, expectRefusal, expectStrangersRefused } = scene

describe("a buyer", () => {
  it("gets a quote, pays exactly that from any wallet, confirms, and spends", async () => {
    const buyer = client()
    const quote = await buyer.quote(1)
    expect(quote.units % 10_000).not.toBe(0)
    expect(quote.credits).toBe(50)
    const payer = await chain.newAccount(quote.units)
    const transaction = await pay(payer, quote.units)
    await expectStrangersRefused(transaction)

    const reply = await buyer.confirm(transaction, { memo: quote.memo })
    expect(reply).toMatchObject({
      status: 200,
      body: { token: expect.stringMatching(/^svc_live_[0-9a-f]{64}$/), credits: 50, balance: 50, provisional: true },
    })
    const token = String(reply.body.token)
    expect(await buyer.balance(token)).toBe(50)

    const again = await buyer.confirm(transaction, { memo: quote.memo })
    expect(again).toMatchObject({ status: 200, body: { token, credits: 50, balance: 50 } })
    await expectStrangersRefused(transaction)
    expectRefusal(await buyer.confirm(transaction, {}), 409, proofRequired)

    const called = await buyer.spendOne(token)
    expect(called.body).toMatchObject({ billing: { credits_charged: 1, credits_remaining: 49 } })
    expect((await buyer.get("/api/payment/history", token)).body).toMatchObject({
      purchases: [{ tx_hash: transaction, amount_usd: quote.units / 1_000_000, credits_added: 50 }],
      current_balance: 49,
      totals: { total_credits_added: 50, total_credits_spent: 1, purchase_count: 1 },
    })
    expect(await chain.balanceOf(payer.address)).toBe(0n)
  })

  it("gets a pending reply until the payment is deep enough", async () => {
    const buyer = client()
    const quote = await buyer.quote()
    const payer = await chain.newAccount(quote.units)
    expectRefusal(await buyer.confirm(toHex(1, { size: 32 }), { memo: quote.memo }), 202, {
      status: "pending",
      confirmations: 0,
    })
    const { transactionHash: transaction } = await chain.send(payer, transfer(chain.wallet, quote.units))
    await chain.mine(CONFIRMATIONS - 2)
    const early = await buyer.confirm(transaction, { memo: quote.memo })
    expect(early.body).toMatchObject({ status: "pending", confirmations: CONFIRMATIONS - 1, required: CONFIRMATIONS })
    expect(early.status).toBe(202)
    expect(Number(early.headers.get("retry-after"))).toBeGreaterThan(0)
    await chain.mine(1)
    await buyer.token(transaction, { memo: quote.memo })
  })

  it("waits for the safe block above 20 USD", async () => {
    const buyer = client()
    const quote = await buyer.quote(25)
    const transaction = await pay(await chain.newAccount(quote.units), quote.units)
    expectRefusal(await buyer.confirm(transaction, { memo: quote.memo }), 202, { status: "pending", required: "safe" })
    await chain.mine(8)
    const reply = await buyer.confirm(transaction, { memo: quote.memo })
    expect(reply.body).toMatchObject({ credits: 1250, provisional: false })
  })

  it("who pays less or more than quoted gets what he paid for, and less than a dollar buys nothing", async () => {
    const buyer = client()
    const [more, less, little] = [await buyer.quote(), await buyer.quote(5), await buyer.quote()]
    const payer = await chain.newAccount(100_000_000)
    const over = await buyer.confirm(await pay(payer, 3_019_999, more.memoHash), { memo: more.memo })
    expect(over.body).toMatchObject({ credits: 150 })
    const under = await buyer.confirm(await pay(payer, 1_999_999, less.memoHash), { memo: less.memo })
    expect(under.body).toMatchObject({ credits: 99 })
    expectRefusal(await buyer.confirm(await pay(payer, 999_999, little.memoHash), { memo: little.memo }), 402, {
      error: "payment_required",
      reason: "too_small",
    })
  })

  it("who pays twice with one memo has both on one token", async () => {
    const buyer = client()
    const quote = await buyer.quote()
    const payer = await chain.newAccount(10_000_000)
    const first = await buyer.token(await pay(payer, quote.units), { memo: quote.memo })
    const second = await buyer.token(await pay(payer, 2_000_000, quote.memoHash), { memo: quote.memo })
    expect(second).toBe(first)
    expect(await buyer.balance(first)).toBe(150)
  })

  it("who adds to a token has the credits there, once, and only there", async () => {
    const buyer = client()
    const [one, two] = [await buyer.quote(), await buyer.quote()]
    const payer = await chain.newAccount(10_000_000)
    const token = await buyer.token(await pay(payer, one.units), { memo: one.memo })
    const transaction = await pay(payer, two.units)
    expect(await buyer.token(transaction, { memo: two.memo, token })).toBe(token)
    expect(await buyer.token(transaction, { memo: two.memo, token })).toBe(token)
    expect(await buyer.balance(token)).toBe(100)
    expectRefusal(await buyer.confirm(transaction, { memo: two.memo }), 409, { error: "already_credited" })
  })

  it("who revokes a token gets a new one for what is left", async () => {
    const buyer = client()
    const quote = await buyer.quote()
    const transaction = await pay(await chain.newAccount(quote.units), quote.units)
    const old = await buyer.token(transaction, { memo: quote.memo })
    await buyer.spendOne(old)
    expect(await buyer.post("/api/payment/revoke", {}, old)).toMatchObject({ status: 200, body: { credits: 49 } })
    expectRefusal(await buyer.get("/api/pro/briefing", old), 402, { error: "expired" })
    const next = await buyer.token(transaction, { memo: quote.memo })
    expect(next).not.toBe(old)
    expect(await buyer.balance(next)).toBe(49)
  })

  it("who pays without any quote signs as the payer", async () => {
    const buyer = client()
    const payer = await chain.newAccount(4_000_000)
    const transaction = await pay(payer, 4_000_000)
    await expectStrangersRefused(transaction)
    const text = await buyer.textToSign(transaction)
    expect(text).toContain(transaction)
    // Without a public address the text names this installation by its receipt key: the address would fit any other.
    const { keys } = (await buyer.get("/.well-known/jwks.json")).body as {
      readonly keys: ReadonlyArray<{ kid: string }>
    }
    expect(text).toContain(`at the service with receipt key ${keys[0]?.kid} for`)
    expect(text).not.toContain("127.0.0.1")
    const signature = await signText(payer, text)
    const token = await buyer.token(transaction, { signature })
    expect(await buyer.balance(token)).toBe(200)
    expect(await buyer.token(transaction, { signature })).toBe(token)
    // The signature is for this transaction alone.
    const other = await pay(await chain.newAccount(1_000_000), 1_000_000)
    expectRefusal(await client().confirm(other, { signature }), 409, proofRequired)
  })

  it("who splits a payment over two transfers of one transaction has the sum; over two transactions, each counts", async () => {
    const buyer = client()
    const payer = await chain.newAccount(10_000_000)
    const splitter = await chain.deploy("Splitter")
    await chain.send(payer, approve(splitter, 10_000_000))
    const parts = [600_000, 600_000].map((units) => ({ to: chain.wallet, units }))
    const transaction = await mined(payer, split(splitter, parts))
    const signature = await signText(payer, await buyer.textToSign(transaction))
    expect((await buyer.confirm(transaction, { signature })).body).toMatchObject({ credits: 60 })
    const quote = await buyer.quote()
    for (const units of [600_000, 600_000])
      expectRefusal(await buyer.confirm(await pay(payer, units, quote.memoHash), { memo: quote.memo }), 402, {
        reason: "too_small",
      })
  })

  it("who pays several quotes in one transaction claims each by its memo", async () => {
    const [ann, ben] = [client(), client()]
    const [one, two] = [await ann.quote(1), await ben.quote(2)]
    const payer = await chain.newAccount(10_000_000)
    const splitter = await chain.deploy("Splitter")
    await chain.send(payer, approve(splitter, 10_000_000))
    const parts = [one, two].map(({ units }) => ({ to: chain.wallet, units }))
    const transaction = await mined(payer, split(splitter, parts))
    await expectStrangersRefused(transaction)
    const [annToken, benToken] = [
      await ann.token(transaction, { memo: one.memo }),
      await ben.token(transaction, { memo: two.memo }),
    ]
    expect([await ann.balance(annToken), await ben.balance(benToken)]).toEqual([50, 100])
    // Two payers whose authorizations a third party has bundled.
    const [third, fourth] = [await ann.quote(), await ben.quote()]
    const other = await chain.newAccount(10_000_000)
    const authorize = (from: typeof payer, units: number, nonce: Hex) =>
      authorizedTransfer(from, { to: chain.wallet, units, nonce })
    const calls = [
      await authorize(payer, 3_000_000, third.memoHash),
      await authorize(other, 4_000_000, fourth.memoHash),
    ]
    const bundle = await mined(chain.accounts.relayer, multicall(await chain.deploy("Multicall"), calls))
    expect((await ann.confirm(bundle, { memo: third.memo })).body).toMatchObject({ credits: 150 })
    expect((await ben.confirm(bundle, { memo: fourth.memo })).body).toMatchObject({ credits: 200 })
  })

  it("who pays by authorization claims by the memo, independent of the submitter", async () => {
    const buyer = client()
    const quote = await buyer.quote()
    const payer = await chain.newAccount(7_000_000)
    const wanted = { to: chain.wallet, units: 7_000_000, nonce: quote.memoHash }
    const transaction = await mined(chain.accounts.relayer, await authorizedTransfer(payer, wanted))
    await expectStrangersRefused(transaction)
    const relayers = await signText(chain.accounts.relayer, await client().textToSign(transaction))
    expectRefusal(await client().confirm(transaction, { signature: relayers }), 409, proofRequired)
    expect((await buyer.confirm(transaction, { memo: quote.memo })).body).toMatchObject({ credits: 350 })
  })

  it("who pays through permit and transferFrom claims by the amount, or by signature", async () => {
    const buyer = client()
    const quote = await buyer.quote()
    const payer = await chain.newAccount(10_000_000)
    const bundler = await chain.deploy("Multicall")
    const bundle = async (units: number, nonce: bigint) =>
      mined(
        chain.accounts.relayer,
        multicall(bundler, [
          await permit(payer, { spender: bundler, units, nonce }),
          transferFrom(payer.address, chain.wallet, units),
        ]),
      )
    const exact = await bundle(quote.units, 0n)
    await expectStrangersRefused(exact)
    await buyer.token(exact, { memo: quote.memo })
    const round = await bundle(2_000_000, 1n)
    expectRefusal(await buyer.confirm(round, { memo: quote.memo }), 409, proofRequired)
    const signature = await signText(payer, await buyer.textToSign(round))
    expect((await buyer.confirm(round, { signature })).body).toMatchObject({ credits: 100 })
  })

  it("who pays from a contract wallet claims by the amount, or as the wallet's owner", async () => {
    const buyer = client()
    const quote = await buyer.quote()
    const owner = await chain.newAccount(0)
    const wallet = await chain.deploy("Wallet", [owner.address])
    await chain.mint(wallet, 10_000_000)
    await buyer.token(await mined(owner, execute(wallet, transfer(chain.wallet, quote.units))), { memo: quote.memo })
    const round = await mined(owner, execute(wallet, transfer(chain.wallet, 3_000_000)))
    await expectStrangersRefused(round)
    const signature = await signText(owner, await buyer.textToSign(round))
    expect((await buyer.confirm(round, { signature })).body).toMatchObject({ credits: 150 })
  })

  it("who pays from an exchange, or through a forwarder, claims the exact amount by his memo", async () => {
    const buyer = client()
    const [withdrawn, through] = [await buyer.quote(), await buyer.quote()]
    await chain.mint(chain.accounts.exchange.address, 50_000_000)
    const withdrawal = await pay(chain.accounts.exchange, withdrawn.units)
    await expectStrangersRefused(withdrawal)
    await buyer.token(withdrawal, { memo: withdrawn.memo })

    const payer = await chain.newAccount(10_000_000)
    const relayer = await chain.deploy("Relayer")
    const { units, memoHash } = through
    const call = await forwarded(relayer, payer, { to: chain.wallet, units, nonce: memoHash })
    await buyer.token(await mined(chain.accounts.relayer, call), { memo: through.memo })
    // A round sum from an exchange cannot be attributed to a buyer.
    const round = await pay(chain.accounts.exchange, 2_000_000)
    expectRefusal(await buyer.confirm(round, { memo: through.memo }), 409, proofRequired)
  })
})

describeAttacks(scene)

describe("at once", () => {
  it("200 calls on 50 credits: 50 are served, 150 are not", async () => {
    const buyer = client()
    const quote = await buyer.quote()
    const token = await buyer.token(await pay(await chain.newAccount(quote.units), quote.units), { memo: quote.memo })
    const calls = await Promise.all(Array.from({ length: 200 }, () => buyer.get("/api/pro/briefing", token)))
    const statuses = Map.groupBy(calls, ({ status }) => status)
    expect([statuses.get(200)?.length, statuses.get(402)?.length]).toEqual([50, 150])
    expect(await buyer.balance(token)).toBe(0)
  })

  it("50 confirms of one payment credit it once, with one token", async () => {
    const quote = await client().quote()
    const transaction = await pay(await chain.newAccount(quote.units), quote.units)
    const tokens = await Promise.all(
      Array.from({ length: 50 }, () => client().token(transaction, { memo: quote.memo })),
    )
    expect(new Set(tokens).size).toBe(1)
    expect(await client().balance(tokens[0] ?? "")).toBe(50)
  })
})
