import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { openBuying } from "../../ledger/buying/buying.ts"
import { makePayments } from "../../ledger/buying/payments.ts"
import { bearerFingerprintOf, claimKeyHashOf } from "../../ledger/buying/proof.ts"
import type { Transaction } from "../../ledger/chain.port.ts"
import { tokenHashOf } from "../../ledger/token.ts"
import { address, DAY_MS, transaction, transfer } from "../conformance/ledger/given.ts"
import { type DeskUnderTest, deskUnderTest, HOST, signed, tokenKeys, WALLET } from "../payment/desk.ts"

// A payer's signature stands in the context of an agent, in its logs, and in a proxy. Who reads it there, with the text that
// was signed and all that the chain shows, has nothing by it.

const payer = address("payer")
const keyOf = (name: string) => `tw_claim_${createHash("sha256").update(name).digest("hex")}`
const [own, strangers] = [keyOf("the claimant's"), keyOf("a stranger's")]
const round = () => transaction("round", [transfer(payer, 2_000_000)])

/** What the payer signs for a confirm, and the signature with the day that it names. */
const signedFor = async (desk: DeskUnderTest, claimed: Parameters<DeskUnderTest["confirm"]>[0], by = payer) => {
  const refused = await desk.confirm(claimed)
  if (!("toSign" in refused) || refused.toSign === null) throw new Error(JSON.stringify(refused))
  const { text, until } = refused.toSign
  return { text, signature: signed(by, text), signedUntil: until }
}
const bought = async (desk: DeskUnderTest, name: string) => {
  const { memo, totalUnits } = await desk.quoted()
  const { hash: txHash } = desk.mine(transaction(name, [transfer(address(name), totalUnits)]))
  return { memo, bearer: await desk.tokenOf({ txHash, memo }) }
}
/** All that a reader can show beside a signature: nothing, keys and memos of his own, his token, and the hash in the text. */
const readers = async (desk: DeskUnderTest) => {
  const his = await bought(desk, "reader")
  const another = await desk.quoted()
  return [
    { claimKey: null },
    { claimKey: strangers },
    { claimKey: null, claimKeyHash: claimKeyHashOf(own) },
    { claimKey: strangers, claimKeyHash: claimKeyHashOf(own) },
    { claimKey: null, bearer: his.bearer },
    { claimKey: strangers, memo: another.memo },
    { claimKey: null, memo: another.memo, bearer: his.bearer },
  ]
}

describe("a reader of a payer's signature", () => {
  it("who confirms before the claimant has nothing, and the claimant has it all", async () => {
    const desk = await deskUnderTest()
    const { hash: txHash } = desk.mine(round())
    const { text: _, ...signature } = await signedFor(desk, {
      txHash,
      claimKey: null,
      claimKeyHash: claimKeyHashOf(own),
    })
    for (const shown of await readers(desk)) {
      const outcome = await desk.confirm({ txHash, ...signature, ...shown })
      expect(outcome, JSON.stringify(shown)).toMatchObject({ _tag: "payer_proof_required" })
    }
    expect(await desk.confirm({ txHash, ...signature, claimKey: own })).toMatchObject({
      _tag: "credited",
      credits: 100,
    })
  })

  it("has no token after a revoke either; the claimant has the next one", async () => {
    const desk = await deskUnderTest()
    const { hash: txHash } = desk.mine(round())
    const { text: _, ...signature } = await signedFor(desk, { txHash, claimKey: own })
    const first = await desk.tokenOf({ txHash, ...signature, claimKey: own })
    await Effect.runPromise(desk.buying.revoke(first, false))
    for (const shown of await readers(desk))
      expect(await desk.confirm({ txHash, ...signature, ...shown })).not.toHaveProperty("token")
    const next = await desk.tokenOf({ txHash, ...signature, claimKey: own })
    expect(next).not.toBe(first)
    expect(await Effect.runPromise(desk.buying.account(next))).toMatchObject({ balance: 100 })
  })

  it("cannot redirect a top-up: what names a bearer's account is void without that token", async () => {
    const desk = await deskUnderTest()
    const { bearer } = await bought(desk, "agent")
    const { hash: txHash } = desk.mine(round())
    const { text, ...signature } = await signedFor(desk, { txHash, claimKey: null, bearer })
    expect(text).toContain(bearerFingerprintOf(tokenHashOf(bearer)))
    for (const secret of [bearer, tokenHashOf(bearer)]) expect(text).not.toContain(secret)
    for (const shown of await readers(desk))
      expect(await desk.confirm({ txHash, ...signature, ...shown })).toMatchObject({ _tag: "payer_proof_required" })
    expect(await desk.confirm({ txHash, ...signature, claimKey: null, bearer })).toMatchObject({
      _tag: "credited",
      token: null,
      balance: 150,
    })
  })

  it("of a text with a memo needs that memo", async () => {
    const desk = await deskUnderTest()
    const { memo } = await desk.quoted()
    const { hash: txHash } = desk.mine(round())
    const { text, ...signature } = await signedFor(desk, { txHash, memo })
    expect(text).not.toContain(memo)
    for (const shown of await readers(desk))
      expect(await desk.confirm({ txHash, ...signature, ...shown })).toMatchObject({ _tag: "payer_proof_required" })
    expect(await desk.confirm({ txHash, memo, ...signature })).toMatchObject({ _tag: "credited", credits: 100 })
  })

  it("has nothing by it at another installation, for another wallet, on another chain, or for another transaction", async () => {
    const desk = await deskUnderTest()
    const { hash: txHash } = desk.mine(round())
    const { text, ...signature } = await signedFor(desk, { txHash, claimKey: own })
    for (const named of [HOST, "chain 8453", WALLET, txHash, "no memo", claimKeyHashOf(own), signature.signedUntil])
      expect(text).toContain(named)
    const { facts } = desk.chain
    const deskWith = (service: string, changed: Partial<typeof facts>) =>
      openBuying({
        ledger: desk.ledger,
        payments: makePayments({
          ledger: desk.ledger,
          chain: { ...desk.chain, facts: { ...facts, ...changed } },
          wallMs: () => Date.parse("2026-08-17T12:00:00.000Z"),
        }),
        tokenKeys,
        service,
        random: (count) => new Uint8Array(count),
        newId: () => "id",
        clientKey: new Uint8Array(32),
      })
    for (const elsewhere of [
      deskWith("other.example", {}),
      deskWith(HOST, { wallet: address("another wallet") }),
      deskWith(HOST, { chainId: 84_532 }),
    ])
      expect(await desk.confirm({ txHash, ...signature, claimKey: own }, elsewhere)).toMatchObject({
        _tag: "payer_proof_required",
        reason: "signature_refused",
      })
    const other = desk.mine(transaction("other", [transfer(payer, 2_000_000)]))
    expect(await desk.confirm({ txHash: other.hash, ...signature, claimKey: own })).toMatchObject({
      reason: "signature_refused",
    })
    expect(await desk.confirm({ txHash, ...signature, claimKey: own }, deskWith(HOST, {}))).toMatchObject({
      credits: 100,
    })
  })
})

describe("a signature", () => {
  it("may be used until the end of its day, a week later, and is then refused by name with the next text", async () => {
    const desk = await deskUnderTest()
    const { hash: txHash } = desk.mine(round())
    const { text, ...signature } = await signedFor(desk, { txHash, claimKey: own })
    expect(signature.signedUntil).toBe("2026-08-24")
    desk.pass(7.5 * DAY_MS - 1)
    expect(await desk.confirm({ txHash, ...signature, claimKey: own })).toMatchObject({ credits: 100 })
    desk.pass(1)
    const expired = await desk.confirm({ txHash, ...signature, claimKey: own })
    expect(expired).toMatchObject({ _tag: "payer_proof_required", reason: "signature_expired" })
    expect(expired).toMatchObject({ toSign: { until: "2026-09-01" } })
    // Signed again, for the same key: the same account and token.
    const { text: next, ...again } = await signedFor(desk, { txHash, claimKey: own })
    expect(next).not.toBe(text)
    expect(await desk.confirm({ txHash, ...again, claimKey: own })).toMatchObject({ _tag: "credited", credits: 100 })
  })

  it("of a text with another day than it is sent with, or one beyond a week, proves nothing", async () => {
    const desk = await deskUnderTest()
    const { hash: txHash } = desk.mine(round())
    const { text, ...signature } = await signedFor(desk, { txHash, claimKey: own })
    const far = { signature: signed(payer, text.replace("2026-08-24", "2026-08-25")), signedUntil: "2026-08-25" }
    for (const shown of [{ ...signature, signedUntil: "2026-08-23" }, { ...signature, signedUntil: null }, far])
      expect(await desk.confirm({ txHash, ...shown, claimKey: own })).toMatchObject({ reason: "signature_refused" })
    desk.pass(DAY_MS)
    expect(await desk.confirm({ txHash, ...far, claimKey: own })).toMatchObject({ credits: 100 })
  })

  it("that has expired does not harm a memo that needs none", async () => {
    const desk = await deskUnderTest()
    const { memo, totalUnits } = await desk.quoted()
    const { hash: txHash } = desk.mine(transaction("paid", [transfer(payer, totalUnits)]))
    const { text: _, ...signature } = await signedFor(desk, { txHash, claimKey: own })
    desk.pass(9 * DAY_MS)
    expect(await desk.confirm({ txHash, memo, ...signature })).toMatchObject({ _tag: "credited", credits: 50 })
  })
})

describe("the true payer", () => {
  it("with another claim key is refused once the first claim stands: the key is what opened the account", async () => {
    const desk = await deskUnderTest()
    const paid: Transaction = desk.mine(round())
    const shown = async (claimKey: string) => {
      const { text: _, ...signature } = await signedFor(desk, { txHash: paid.hash, claimKey })
      return { txHash: paid.hash, ...signature, claimKey }
    }
    const first = await desk.tokenOf(await shown(own))
    expect(await desk.confirm(await shown(strangers))).toEqual({
      _tag: "already_credited",
      opener: { by: "payer", shown: payer, bearer: false },
    })
    expect(await desk.tokenOf(await shown(own))).toBe(first)
    // After an operator's reissue the key yields nothing any more, as a leaked memo does not.
    const account = desk.memory
      .events("ledger")
      .map(accountOf)
      .find((id) => id !== undefined)
    const reissue = { _tag: "reissue" as const, account: String(account), operator: "jane", reason: "lost" }
    const wanted = { claimant: `reissue/${account}`, origin: String(account), generation: 2 }
    const token = { ...wanted, kid: "k1", hash: "a".repeat(64) }
    await Effect.runPromise(desk.ledger.submit({ ...reissue, token }))
    expect(await desk.confirm(await shown(own))).toMatchObject({
      _tag: "already_credited",
      opener: { by: "operator" },
    })
  })

  it("is asked to say where the credits go, and the text is made for it alone", async () => {
    const desk = await deskUnderTest()
    const { hash: txHash } = desk.mine(round())
    expect(await desk.confirm({ txHash, claimKey: null })).toEqual({
      _tag: "payer_proof_required",
      reason: "beneficiary_required",
      toSign: null,
    })
    const { text, signature, signedUntil } = await signedFor(desk, { txHash, claimKey: own })
    expect((await signedFor(desk, { txHash, claimKey: null, claimKeyHash: claimKeyHashOf(own) })).text).toBe(text)
    const hidden = { txHash, signature, signedUntil, claimKey: null, claimKeyHash: claimKeyHashOf(own) }
    expect(await desk.confirm(hidden)).toMatchObject({ reason: "claim_key_required", toSign: { text } })
  })
})

const accountOf = ({ data }: { readonly data: unknown }): string | undefined =>
  typeof data === "object" && data !== null && "account" in data ? String(data.account) : undefined
