import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { claimAfter, startClaim } from "./claim.js"
import { type PurchaseEvent, type State, startOf, stateAfter, storedOf } from "./purchase.js"
import type { Quote } from "./quote.js"
import type { Reply } from "./service.js"

const hash = (digit: number): string => `0x${String(digit).repeat(64)}`
const TOKEN = `svc_live_${"a".repeat(64)}`
const EXPIRES_MS = 1_000

const quoteOf = (digit: number): Quote => ({
  memo: `tw_buy_${String(digit).repeat(32)}`,
  memoHash: hash(digit),
  units: 1_000_417n,
  credits: 50,
  wallet: `0x${"a".repeat(40)}`,
  contract: `0x${"b".repeat(40)}`,
  chainId: 8453,
  proof: "amount",
  expiresAtMs: EXPIRES_MS,
})

const reply = (
  status: number,
  body: Readonly<Record<string, unknown>> = {},
  retryAfterMs: number | null = null,
): Reply => ({
  tag: "reply",
  status,
  body,
  retryAfterMs,
  serverAtMs: null,
})
const credited = reply(200, { token: TOKEN, credits: 50, balance: 50, provisional: true })
const pending = reply(202, { confirmations: 1, required: 5 }, 8_000)

const run = (events: ReadonlyArray<PurchaseEvent>, from: State = startOf(null)): State =>
  events.reduce(stateAfter, from)
const paying = (): State => startOf({ quote: quoteOf(1), txHash: null, handedOver: false })
const claiming = (): State => run([{ tag: "paid", memoHash: hash(1), txHash: hash(7) }], paying())
const replied = (state: State, answer: Reply, nowMs = 0): State =>
  state.tag === "claiming"
    ? stateAfter(state, { tag: "claimReplied", attempt: state.claim.attempt, reply: answer, nowMs })
    : state

const attempt = fc.integer({ min: 0, max: 6 })
const nowMs = fc.integer({ min: 0, max: 2 * EXPIRES_MS })
const digit = fc.integer({ min: 1, max: 3 })
const event: fc.Arbitrary<PurchaseEvent> = fc.oneof(
  fc.constant<PurchaseEvent>({ tag: "quoteAsked" }),
  fc.record({ tag: fc.constant("quoted" as const), attempt, quote: digit.map(quoteOf) }),
  fc.record({ tag: fc.constant("quoteRefused" as const), attempt, problem: fc.constant("no") }),
  fc.record({ tag: fc.constant("walletAsked" as const), name: fc.constant("w"), nowMs }),
  fc.record({
    tag: fc.constant("walletReached" as const),
    attempt,
    phase: fc.constantFrom("switching" as const, "checking" as const, "sending" as const),
    nowMs,
  }),
  fc.record({ tag: fc.constant("walletFailed" as const), attempt, problem: fc.constant("no"), unsent: fc.boolean() }),
  fc.constant<PurchaseEvent>({ tag: "walletLeft" }),
  fc.record({
    tag: fc.constant("paid" as const),
    memoHash: digit.map(hash),
    txHash: digit.map((one) => hash(one + 4)),
  }),
  fc.record({ tag: fc.constant("transactionEntered" as const), txHash: digit.map((one) => hash(one + 4)) }),
  fc.constant<PurchaseEvent>({ tag: "claimLeft" }),
  fc.constant<PurchaseEvent>({ tag: "restarted" }),
  fc.record({
    tag: fc.constant("claimReplied" as const),
    attempt,
    reply: fc.constantFrom<Reply>(credited, pending, reply(402, { reason: "no_payment" }), reply(503), {
      tag: "failed",
    }),
    nowMs,
  }),
  fc.record({ tag: fc.constant("claimDue" as const), attempt }),
  fc.constant<PurchaseEvent>({ tag: "claimSigned", signature: "0x12", payer: null }),
)

describe("a purchase, whatever happens in whatever order", () => {
  it("overlooks no payment, keeps its memo until it is credited, and not for longer", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        let state = startOf(null)
        for (const one of events) {
          const before = state
          state = stateAfter(before, one)
          // What a wallet has sent is claimed, or said to be sent.
          if (one.tag === "paid") {
            const known = [
              state.tag === "claiming" ? state.claim.txHash : state.tag === "done" ? state.txHash : null,
              state.stray,
            ]
            expect(known).toContain(one.txHash)
          }
          // Only the buyer or a credited payment ends the life of a memo.
          const memoBefore = storedOf(before)?.quote.memo
          if (memoBefore !== undefined && storedOf(state)?.quote.memo !== memoBefore)
            expect([one.tag, state.tag]).toEqual(
              one.tag === "restarted" ? ["restarted", "amount"] : ["claimReplied", "done"],
            )
          if (state.tag === "done" || state.tag === "amount") {
            expect(storedOf(state)).toBeNull()
            expect(JSON.stringify(state)).not.toContain("tw_buy_")
          }
          // A wallet is never asked to send after the quote's end.
          if (one.tag === "walletReached" && one.nowMs >= EXPIRES_MS && state.tag === "paying")
            expect(state.wallet?.attempt).not.toBe(one.attempt)
        }
      }),
      { numRuns: 2_000 },
    )
  })
})

describe("a purchase", () => {
  it("takes a payment though its quote has expired and its wallet was left", () => {
    const left = run(
      [
        { tag: "walletAsked", name: "w", nowMs: 0 },
        { tag: "walletReached", attempt: 1, phase: "sending", nowMs: 0 },
        { tag: "walletLeft" },
      ],
      paying(),
    )
    expect(left).toMatchObject({ tag: "paying", wallet: null, handedOver: true })
    expect(claiming()).toMatchObject({ tag: "claiming", claim: { txHash: hash(7), memo: quoteOf(1).memo } })
    expect(stateAfter(left, { tag: "paid", memoHash: hash(1), txHash: hash(7) })).toMatchObject({ tag: "claiming" })
    const forgotten = stateAfter(left, { tag: "restarted" })
    expect(stateAfter(forgotten, { tag: "paid", memoHash: hash(1), txHash: hash(7) })).toMatchObject({
      tag: "amount",
      stray: hash(7),
    })
  })

  it("keeps the warning of an earlier use of a wallet when a later one is rejected", () => {
    const first = startOf({ quote: quoteOf(1), txHash: null, handedOver: true })
    const rejected = run(
      [
        { tag: "walletAsked", name: "w", nowMs: 0 },
        { tag: "walletReached", attempt: 1, phase: "sending", nowMs: 0 },
        { tag: "walletFailed", attempt: 1, problem: "no", unsent: true },
      ],
      first,
    )
    expect(rejected).toMatchObject({ handedOver: true, problem: "no" })
  })

  it("waits as long as a reply says, and longer after each silence, but not for ever", () => {
    expect(replied(claiming(), pending, 100)).toMatchObject({
      claim: { step: { tag: "waiting", untilMs: 8_100 }, depth: { confirmations: 1, required: 5 } },
    })
    expect(replied(claiming(), reply(429, {}, 30_000), 100)).toMatchObject({ claim: { step: { untilMs: 30_100 } } })
    let state = claiming()
    const pauses: Array<number> = []
    while (state.tag === "claiming" && state.claim.step.tag === "asking") {
      state = replied(state, { tag: "failed" })
      if (state.tag === "claiming" && state.claim.step.tag === "waiting") {
        pauses.push(state.claim.step.untilMs)
        state = stateAfter(state, { tag: "claimDue", attempt: state.claim.attempt })
      }
    }
    expect(pauses.slice(0, 6)).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000])
    expect(pauses).toHaveLength(40)
    expect(state).toMatchObject({ tag: "claiming", claim: { step: { tag: "refused" } } })
    // The memo is still there: the payment can be claimed later.
    expect(storedOf(state)?.quote.memo).toBe(quoteOf(1).memo)
  })

  it("takes no token that is none, and no reply to a confirm that is over", () => {
    expect(replied(claiming(), reply(200, { token: "<b>", credits: 1, balance: 1 }))).toMatchObject({ tag: "claiming" })
    const state = claiming()
    expect(stateAfter(state, { tag: "claimReplied", attempt: 99, reply: credited, nowMs: 0 })).toBe(state)
  })

  it("needs neither memo nor signature once it is credited", () => {
    const claim = startClaim({ txHash: hash(7), memo: quoteOf(1).memo, attempt: 1 })
    const done = claimAfter(
      { ...claim, signature: "0x12" },
      { tag: "claimReplied", attempt: 1, reply: credited, nowMs: 0 },
    )
    expect(done).toMatchObject({ memo: null, signature: null, step: { tag: "credited" } })
  })

  it("has only the text of its own transaction signed", () => {
    const proof = (text: string) =>
      replied(
        claiming(),
        reply(409, { error: "payer_proof_required", text_to_sign: text, signature_until: "2026-08-24" }),
      )
    expect(proof(`I claim ${hash(7)} until 2026-08-24.`)).toMatchObject({ claim: { step: { tag: "proof" } } })
    expect(proof(`I claim ${hash(7)} until 2026-08-25.`)).toMatchObject({ claim: { step: { tag: "refused" } } })
    expect(proof(`I claim ${hash(8)} until 2026-08-24.`)).toMatchObject({ claim: { step: { tag: "refused" } } })
    expect(proof(`I claim ${hash(7)}\u202E until 2026-08-24.`)).toMatchObject({ claim: { step: { tag: "refused" } } })
  })

  it("says why a signature was refused, and asks for another one", () => {
    const proof = reply(409, {
      error: "payer_proof_required",
      text_to_sign: `I claim ${hash(7)} until 2026-08-24.`,
      signature_until: "2026-08-24",
      message: "Not the payer.",
    })
    const asked = replied(claiming(), proof)
    expect(asked).toMatchObject({ claim: { step: { tag: "proof", problem: null } } })
    const signed = stateAfter(asked, { tag: "claimSigned", signature: "0x12", payer: null })
    expect(signed).toMatchObject({ claim: { signature: "0x12", signedUntil: "2026-08-24", step: { tag: "asking" } } })
    expect(replied(signed, proof)).toMatchObject({ claim: { signature: null, step: { problem: "Not the payer." } } })
  })

  it("may be paid again after a transaction that paid nothing, without a warning", () => {
    const handedOver = startOf({ quote: quoteOf(1), txHash: hash(7), handedOver: true })
    const refused = replied(handedOver, reply(402, { reason: "failed_transaction", message: "It failed." }))
    expect(refused).toMatchObject({ claim: { step: { tag: "refused", message: "It failed." } } })
    expect(stateAfter(refused, { tag: "claimLeft" })).toMatchObject({ tag: "paying", handedOver: false })
    // A replaced one may still have paid.
    expect(stateAfter(handedOver, { tag: "claimLeft" })).toMatchObject({ tag: "paying", handedOver: true })
  })
})
