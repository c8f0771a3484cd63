import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { register } from "prom-client"
import { describe, expect, it } from "vitest"
import { prefixesOf } from "../../api/http/client.ts"
import { buyingRules, openBuying } from "../../ledger/buying/buying.ts"
import { makePayments } from "../../ledger/buying/payments.ts"
import { memoHashOf } from "../../ledger/buying/proof.ts"
import type { LedgerClient } from "../../ledger/client.ts"
import { creditsOf, PAYMENT_UNITS_MIN } from "../../ledger/rules.ts"
import { isToken } from "../../ledger/token.ts"
import { CREDITS_PER_USD } from "../../schemas/contract/refusal.ts"
import { address, buyer, MINUTE_MS, NOON_MS, transaction, transfer, word } from "../conformance/ledger/given.ts"
import { deskUnderTest, HOST, lostKeys, signed, tokenKeys, WALLET } from "./desk.ts"

const stranger = address("stranger")

const textOf = async (desk: Awaited<ReturnType<typeof deskUnderTest>>, txHash: string, memo: string | null = null) => {
  const outcome = await desk.confirm({ txHash, memo })
  if (!("toSign" in outcome) || outcome.toSign === null) throw new Error(JSON.stringify(outcome))
  return outcome.toSign.text
}
/** A confirm that shows nothing at all. */
const nothing = {
  memo: null,
  signature: null,
  signedUntil: null,
  claimKey: null,
  claimKeyHash: null,
  payer: null,
  bearer: null,
}

describe("a quote", () => {
  it("brings a memo that the ledger never sees, and its hash", async () => {
    const desk = await deskUnderTest()
    const quoted = await desk.quoted(1_999)
    expect(quoted.memo).toMatch(/^tw_buy_[0-9a-f]{32}$/)
    expect(quoted.memoHash).toBe(memoHashOf(quoted.memo))
    expect(quoted.totalUnits).toBeGreaterThan(19_990_000)
    expect(quoted.totalUnits).toBeLessThan(20_000_000)
    expect(quoted).toMatchObject({ credits: 999, proof: "amount" })
    expect((await desk.quoted()).memo).not.toBe(quoted.memo)
  })

  it("gives the ledger keyed hashes of the client's prefixes, not its address", async () => {
    const desk = await deskUnderTest()
    await desk.quoted()
    const [issued] = desk.memory.events("ledger")
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/)
    expect(issued?.data).toMatchObject({ client: { address: hash, network: hash, provider: hash } })
    expect(JSON.stringify(desk.memory.events("ledger"))).not.toContain("192.0")
  })

  it("is refused beyond the limits of a client, which are the client's own", async () => {
    const desk = await deskUnderTest()
    for (let n = 0; n < 10; n++) await desk.quoted()
    const ask = (client: string) =>
      Effect.runPromise(Effect.result(desk.buying.quote({ askedCents: 100, client: prefixesOf(client) }))).then(
        Result.merge,
      )
    expect(await ask("192.0.2.1")).toMatchObject({ _tag: "too_many_quotes", of: "client" })
    expect(await ask("192.0.2.2")).toHaveProperty("memo")
  })

  it("is not to be had where there is no wallet", async () => {
    const { ledger } = await deskUnderTest()
    const desk = openBuying({
      ledger,
      payments: null,
      tokenKeys,
      service: HOST,
      random: (count) => new Uint8Array(count),
      newId: () => "id",
      clientKey: new Uint8Array(32),
    })
    expect(desk.facts).toBe(null)
    const refused = await Effect.runPromise(Effect.flip(desk.quote({ askedCents: 100, client: prefixesOf("c") })))
    expect(refused._tag).toBe("nothing_sold")
    const claimed = { ...nothing, txHash: word("t") }
    expect((await Effect.runPromise(Effect.flip(desk.confirm(claimed))))._tag).toBe("nothing_sold")
  })
})

describe("a confirm", () => {
  it("credits the payment and gives a token; repeated, also by another process, the same one", async () => {
    const desk = await deskUnderTest()
    const { memo, totalUnits } = await desk.quoted()
    const { hash: txHash } = desk.mine(transaction("paid", [transfer(buyer, totalUnits)]))
    const first = await desk.confirm({ txHash, memo })
    expect(first).toMatchObject({ _tag: "credited", credits: 50, balance: 50, provisional: false })
    const token = "token" in first ? first.token : null
    expect(isToken(String(token))).toBe(true)
    const written = desk.memory.records("ledger").length
    expect(await desk.confirm({ txHash, memo })).toEqual(first)
    expect(await desk.confirm({ txHash: txHash.toUpperCase().replace("0X", "0x"), memo })).toEqual(first)
    expect(await desk.confirm({ txHash, memo }, desk.another(tokenKeys))).toEqual(first)
    expect(desk.memory.records("ledger")).toHaveLength(written)
  })

  it("without proof, or with another's memo, gets the text to sign", async () => {
    const desk = await deskUnderTest()
    const { totalUnits } = await desk.quoted()
    const other = await desk.quoted()
    const { hash: txHash } = desk.mine(transaction("paid", [transfer(buyer, totalUnits)]))
    const text = await textOf(desk, txHash)
    for (const named of [HOST, "8453", WALLET, txHash, "no memo"]) expect(text).toContain(named)
    expect(await textOf(desk, txHash, other.memo)).toContain(memoHashOf(other.memo))
    expect(await textOf(desk, txHash, other.memo)).not.toContain(other.memo)
    expect(desk.memory.events("ledger").filter(({ type }) => type === "purchase.credited")).toEqual([])
  })

  it("by the payer's signature is his; a stranger's, and one of another text, prove nothing", async () => {
    const desk = await deskUnderTest()
    const { hash: txHash } = desk.mine(transaction("round", [transfer(buyer, 2_000_000)]))
    const text = await textOf(desk, txHash)
    const refused = { _tag: "payer_proof_required", reason: "signature_refused" }
    expect(await desk.confirm({ txHash, signature: signed(stranger, text) })).toMatchObject(refused)
    expect(await desk.confirm({ txHash, signature: signed(buyer, `${text} `) })).toMatchObject(refused)
    const first = await desk.confirm({ txHash, signature: signed(buyer, text) })
    expect(first).toMatchObject({ _tag: "credited", credits: 100 })
    expect(await desk.confirm({ txHash, signature: signed(buyer, text) })).toEqual(first)
    expect(await desk.confirm({ txHash, signature: signed(stranger, text) })).toMatchObject({
      _tag: expect.stringMatching(/already_credited|payer_proof_required/),
    })
  })

  it("refuses a signature that was given for another memo", async () => {
    const desk = await deskUnderTest()
    const { memo } = await desk.quoted()
    const { hash: txHash } = desk.mine(transaction("round", [transfer(buyer, 2_000_000)]))
    const without = signed(buyer, await textOf(desk, txHash))
    expect(await desk.confirm({ txHash, memo, signature: without })).toMatchObject({ _tag: "payer_proof_required" })
    const withMemo = signed(buyer, await textOf(desk, txHash, memo))
    expect(await desk.confirm({ txHash, memo, signature: withMemo })).toMatchObject({ _tag: "credited" })
  })

  it("of a stranger is refused after the claimant's", async () => {
    const desk = await deskUnderTest()
    const { memo, totalUnits } = await desk.quoted()
    const { memo: another } = await desk.quoted()
    const { hash: txHash } = desk.mine(transaction("paid", [transfer(buyer, totalUnits)]))
    await desk.tokenOf({ txHash, memo })
    for (const shown of [{}, { memo: another }, { memo: "tw_buy_00000000000000000000000000000000" }])
      expect(await desk.confirm({ txHash, ...shown })).not.toHaveProperty("token")
    const signature = signed(stranger, await textOf(desk, txHash))
    expect(await desk.confirm({ txHash, signature })).not.toHaveProperty("token")
  })

  it("adds to the bearer's token, and makes none; without that bearer it is taken", async () => {
    const desk = await deskUnderTest()
    const one = await desk.quoted()
    const { hash } = desk.mine(transaction("one", [transfer(buyer, one.totalUnits)]))
    const bearer = await desk.tokenOf({ txHash: hash, memo: one.memo })
    const two = await desk.quoted(300)
    const { hash: txHash } = desk.mine(transaction("two", [transfer(stranger, two.totalUnits)]))
    const added = { _tag: "credited", token: null, credits: 150, balance: 200 }
    expect(await desk.confirm({ txHash, memo: two.memo, bearer })).toMatchObject(added)
    expect(await desk.confirm({ txHash, memo: two.memo, bearer })).toMatchObject(added)
    expect(await desk.confirm({ txHash, memo: two.memo })).toMatchObject({ _tag: "already_credited" })
    expect(await desk.confirm({ txHash, memo: two.memo, bearer: `svc_live_${"0".repeat(64)}` })).toEqual({
      _tag: "invalid_token",
    })
    expect(await Effect.runPromise(desk.buying.account(bearer))).toMatchObject({ balance: 200 })
  })

  it("after a revoke gives another token for what is left", async () => {
    const desk = await deskUnderTest()
    const { memo, totalUnits } = await desk.quoted()
    const { hash: txHash } = desk.mine(transaction("paid", [transfer(buyer, totalUnits)]))
    const token = await desk.tokenOf({ txHash, memo })
    expect(await Effect.runPromise(desk.buying.revoke(token, false))).toMatchObject({ balance: 50 })
    expect(await Effect.runPromise(Effect.flip(desk.buying.account(token)))).toEqual({ _tag: "expired", of: "token" })
    const next = await desk.tokenOf({ txHash, memo })
    expect(next).not.toBe(token)
    expect(await Effect.runPromise(desk.buying.account(next))).toMatchObject({ balance: 50 })
    expect(await Effect.runPromise(Effect.flip(desk.buying.revoke(null, false)))).toEqual({ _tag: "missing_token" })
  })

  it("gives the number of missing blocks, and the delay until a retry", async () => {
    const desk = await deskUnderTest()
    const { memo, totalUnits } = await desk.quoted()
    const shallow = { confirmations: 2, depth: "latest" as const }
    const { hash: txHash } = desk.mine(transaction("paid", [transfer(buyer, totalUnits)], shallow))
    expect(await desk.confirm({ txHash, memo })).toEqual({
      _tag: "pending",
      confirmations: 2,
      required: buyingRules.confirmationsMin,
      retryAfterSeconds: 6,
    })
    desk.mine(transaction("paid", [transfer(buyer, totalUnits)], { ...shallow, confirmations: 5 }))
    expect(await desk.confirm({ txHash, memo })).toMatchObject({ _tag: "credited", provisional: true })
    const dear = await desk.quoted(2_100)
    const large = desk.mine(transaction("large", [transfer(buyer, dear.totalUnits)], { ...shallow, confirmations: 50 }))
    expect(await desk.confirm({ txHash: large.hash, memo: dear.memo })).toMatchObject({
      _tag: "pending",
      required: "safe",
    })
  })

  it("waits 30 minutes for an unknown hash, from the first confirm of it, and credits it whenever it comes", async () => {
    const desk = await deskUnderTest()
    const { memo, totalUnits } = await desk.quoted()
    const txHash = word("late")
    const waiting = { _tag: "pending", confirmations: 0, retryAfterSeconds: 5 }
    expect(await desk.confirm({ txHash, memo })).toMatchObject(waiting)
    desk.pass(29 * MINUTE_MS)
    expect(await desk.confirm({ txHash, memo })).toMatchObject(waiting)
    expect(await desk.confirm({ txHash: word("another"), memo })).toMatchObject(waiting)
    desk.pass(MINUTE_MS)
    expect(await desk.confirm({ txHash, memo })).toEqual({ _tag: "unknown_transaction" })
    expect(await desk.confirm({ txHash })).toMatchObject({ _tag: "payer_proof_required" })
    expect(await desk.confirm({ txHash: word("another"), memo })).toMatchObject(waiting)
    desk.mine(transaction("late", [transfer(buyer, totalUnits)]))
    expect(await desk.confirm({ txHash, memo })).toMatchObject({ _tag: "credited", credits: 50 })
  })

  it("names the reason for a transaction that pays nothing, failed, or pays too little", async () => {
    const desk = await deskUnderTest()
    const { memo } = await desk.quoted()
    desk.mine(transaction("elsewhere", []))
    expect(await desk.confirm({ txHash: word("elsewhere"), memo })).toEqual({ _tag: "no_payment" })
    desk.pass(31 * MINUTE_MS)
    expect(await desk.confirm({ txHash: word("elsewhere"), memo })).toEqual({ _tag: "expired", of: "quote" })
    desk.revert(word("reverted"))
    expect(await desk.confirm({ txHash: word("reverted"), memo: (await desk.quoted()).memo })).toEqual({
      _tag: "failed_transaction",
    })
    desk.mine(transaction("cents", [transfer(buyer, 999_999)]))
    const signature = signed(buyer, await textOf(desk, word("cents")))
    expect(await desk.confirm({ txHash: word("cents"), signature })).toEqual({ _tag: "too_small", units: 999_999 })
  })

  it("reports an unavailable chain; the payment waits", async () => {
    const desk = await deskUnderTest()
    const { memo, totalUnits } = await desk.quoted()
    const { hash: txHash } = desk.mine(transaction("paid", [transfer(buyer, totalUnits)]))
    desk.breakWith("no provider answers")
    expect(await desk.confirm({ txHash, memo })).toMatchObject({ _tag: "ChainUnavailable", retryAfterSeconds: 7 })
    desk.breakWith(null)
    expect(await desk.confirm({ txHash, memo })).toMatchObject({ _tag: "credited" })
  })

  it("reads the chain once for concurrent confirms, and commands the ledger once for those with the same proof", async () => {
    const desk = await deskUnderTest()
    const { memo, totalUnits } = await desk.quoted()
    const { hash: txHash } = desk.mine(transaction("paid", [transfer(buyer, totalUnits)]))
    const { release } = desk.hold()
    const alike = Array.from({ length: 20 }, () => desk.confirm({ txHash, memo }))
    const others = Array.from({ length: 5 }, () => desk.confirm({ txHash }))
    await new Promise((resolve) => setImmediate(resolve))
    release()
    const [first, ...rest] = await Promise.all(alike)
    expect(first).toMatchObject({ _tag: "credited" })
    for (const one of rest) expect(one).toBe(first)
    for (const one of await Promise.all(others)) expect(one).not.toHaveProperty("token")
    expect(desk.finds()).toBe(1)
    expect(desk.memory.events("ledger").map(({ type }) => type)).toEqual([
      "quote.issued",
      "purchase.credited",
      "token.issued",
    ])
  })

  it("is one command and one look-up, by a memo or a payer who is named; another token is due after a revoke, or to an unnamed payer", async () => {
    const desk = await deskUnderTest()
    let commands = 0
    const ledger: LedgerClient = {
      submit: (command) => {
        if (command._tag === "confirm") commands += 1
        return desk.ledger.submit(command)
      },
    }
    const buying = openBuying({
      ledger,
      payments: makePayments({ ledger, chain: desk.chain, wallMs: () => NOON_MS }),
      tokenKeys,
      service: HOST,
      random: (count) => new Uint8Array(count),
      newId: randomUUID,
      clientKey: new Uint8Array(32),
    })
    const confirm = async (shown: Parameters<typeof desk.confirm>[0]) => {
      const [commandsBefore, findsBefore] = [commands, desk.finds()]
      const outcome = await desk.confirm(shown, buying)
      if (outcome._tag !== "credited") throw new Error(JSON.stringify(outcome))
      return { token: outcome.token, commands: commands - commandsBefore, finds: desk.finds() - findsBefore }
    }
    const { memo, totalUnits } = await desk.quoted()
    const { hash: txHash } = desk.mine(transaction("paid", [transfer(buyer, totalUnits)]))
    const first = await confirm({ txHash, memo })
    expect(first).toMatchObject({ commands: 1, finds: 1, token: expect.stringMatching(/^svc_live_/) })
    expect(await confirm({ txHash, memo })).toEqual(first)
    await Effect.runPromise(desk.buying.revoke(first.token, false))
    const second = await confirm({ txHash, memo })
    expect(second).toMatchObject({ commands: 2, token: expect.stringMatching(/^svc_live_/) })
    expect(second.token).not.toBe(first.token)

    for (const [payer, commands] of [
      [buyer, 1],
      [null, 2],
    ] as const) {
      const signedFor = desk.mine(transaction(`signed ${payer}`, [transfer(buyer, 1_000_000)])).hash
      const signature = signed(buyer, await textOf(desk, signedFor))
      expect(await confirm({ txHash: signedFor, signature, payer })).toMatchObject({ commands, finds: commands })
    }
  })

  it("goes on when the first caller is cancelled", async () => {
    const desk = await deskUnderTest()
    const { memo, totalUnits } = await desk.quoted()
    const { hash: txHash } = desk.mine(transaction("paid", [transfer(buyer, totalUnits)]))
    const { release } = desk.hold()
    const gone = Effect.runPromiseExit(
      desk.buying.confirm({ ...nothing, txHash, memo }).pipe(Effect.timeout("1 millis")),
    )
    const stays = desk.confirm({ txHash, memo })
    expect(Exit.isFailure(await gone)).toBe(true)
    release()
    expect(await stays).toMatchObject({ _tag: "credited" })
    expect(desk.finds()).toBe(1)
  })

  it("credits nothing while the current key is not held, and later gives the tokens that an old key made", async () => {
    const desk = await deskUnderTest()
    const { memo, totalUnits } = await desk.quoted()
    const { hash: txHash } = desk.mine(transaction("paid", [transfer(buyer, totalUnits)]))
    const lost = desk.another(lostKeys)
    expect(await desk.confirm({ txHash, memo }, lost)).toMatchObject({ _tag: "token_key_missing", kid: "k1" })
    expect(desk.memory.records("ledger")).toHaveLength(1)
    const first = await desk.confirm({ txHash, memo })
    expect(await desk.confirm({ txHash, memo }, lost)).toMatchObject({ _tag: "token_key_missing", kid: "k1" })
    const rotated = desk.another({ current: "k2", keys: new Map([...tokenKeys.keys, ["k2", Buffer.from("another")]]) })
    expect(await desk.confirm({ txHash, memo }, rotated)).toEqual(first)
  })
})

describe("secrets", () => {
  it("are neither in the log nor in metrics", async () => {
    const desk = await deskUnderTest()
    const { memo, totalUnits } = await desk.quoted()
    const { hash: txHash } = desk.mine(transaction("paid", [transfer(buyer, totalUnits)]))
    const token = await desk.tokenOf({ txHash, memo })
    await Effect.runPromise(desk.buying.account(token))
    const log = desk.memory.records("ledger").map(({ value }) => Buffer.from(value ?? new Uint8Array()).toString())
    expect(log.length).toBe(3)
    for (const output of [...log, await register.metrics()])
      for (const secret of [memo, memo.slice(7), token, token.slice(9)]) expect(output).not.toContain(secret)
  })
})

describe("the prices in quotes", () => {
  it("are the ledger's", () => {
    expect(CREDITS_PER_USD).toBe(creditsOf(PAYMENT_UNITS_MIN))
    expect(buyingRules).toEqual({ provisionalUsdMax: 20, confirmationsMin: 5, quoteMinutes: 30 })
  })
})
