import { Cause, Effect, Result, Schedule } from "effect"
import { v7 as uuid } from "uuid"
import type { BillingUnavailable, LedgerClient, Refusal } from "../../ledger/client.ts"
import type { PremiumEndpoint } from "../../schemas/endpoint-kinds.ts"
import type { Parameters } from "../../schemas/feed.ts"
import { CLIENT_GONE, EMPTY_RANGE, INTERNAL_ERROR } from "../../schemas/no-charge.ts"
import type { ApiLimits } from "../limits.ts"
import { ContentUnavailable, type MakeOffer, type Offer, type QueryRefusal } from "./content.ts"
import type { KeptReply, ReplyStore } from "./replies.ts"
import type { CallPrice, FailureKind, PremiumReply, ReplyWriter } from "./reply.ts"

const SETTLE_AGAIN_MS = 250

/** One premium call whose token and parameters were read. */
export interface PremiumCall {
  /** SHA-256 of the token. */
  readonly token: string
  readonly parameters: Parameters
  /** SHA-256 over method, path and sorted query. */
  readonly request: string
  /** SHA-256 of the Idempotency-Key; null where none was sent. */
  readonly key: string | null
  /** Whether its client has gone away meanwhile. */
  readonly gone: () => boolean
}

/** How a call ends. */
export type PremiumOutcome =
  | { readonly _tag: "Served"; readonly reply: PremiumReply }
  /** By our own fault, free of charge, with a receipt that says so. `cause` is for our log. */
  | { readonly _tag: "Failed"; readonly reply: PremiumReply; readonly cause: string }
  | { readonly _tag: "Replayed"; readonly reply: KeptReply; readonly remaining: number }
  /** The key was answered before, and its reply was too large to be kept, or is not there any more. */
  | { readonly _tag: "NotKept"; readonly why: "tooLarge" | "unknown" }
  /** The parameters cannot be asked for together. */
  | { readonly _tag: "Wrong"; readonly refused: QueryRefusal }
  | { readonly _tag: "Refused"; readonly refusal: Refusal | BillingUnavailable }
  /** There is no answer in time, or none that may be given. What was taken and not settled is given back. */
  | { readonly _tag: "Late"; readonly cause: string }
  /** The client has gone. It was not charged, within the allowance of its account. */
  | { readonly _tag: "Gone" }

/** What a gate works with. */
export interface GateOptions {
  readonly endpoint: PremiumEndpoint
  readonly offering: MakeOffer
  readonly writer: ReplyWriter
  readonly ledger: LedgerClient
  readonly replies: ReplyStore
  readonly nowMs: () => number
  readonly limits: Pick<ApiLimits, "premiumContentMs" | "premiumSettleMs" | "premiumAnswerMs">
}

/** A reply that was made, or the failure that is sent instead of it. */
type FinishedCall = Extract<PremiumOutcome, { _tag: "Served" | "Failed" }>

const late = (cause: string): PremiumOutcome => ({ _tag: "Late", cause })
const failureOf = (error: unknown): FailureKind => (error instanceof ContentUnavailable ? "unavailable" : "broken")

/**
 * Makes the gate of a premium endpoint. Where the call is free by what stands ready, nothing is debited. Else: debit
 * (durable), data, body and receipt, the reply kept where there is a key, settle (durable), answer. The effect does not
 * fail: however a call ends is an outcome; only a mistake in an endpoint's own condition is a defect, before any debit.
 * Prepared data is selected before the debit as well: by the part that was asked for it is known what is free.
 *
 * - A debit that is not settled is given back by the ledger after 5 minutes.
 * - A settle that is answered with `billing_unavailable` is repeated, which changes nothing where it was written, until it
 *   is answered or the time is over. In the latter case no data is sent, though it may have been written: only then a
 *   call may be charged without an answer, and one with a key can be repeated free of charge.
 * - A failure of ours is settled free of charge. Under a key the debit is given back instead: repeating it is a new attempt.
 * - For a client that has gone before the debit there is none. One that goes before the settle is not charged, within the
 *   allowance of its account's day, unless it sent a key: its reply then waits for it.
 */
export const makeGate = (options: GateOptions): ((call: PremiumCall) => Effect.Effect<PremiumOutcome>) => {
  const { endpoint, offering, writer, ledger, replies, nowMs, limits } = options
  const { path, credits, noCharge } = endpoint
  const mayEndFree = noCharge.some(
    ({ decided, reason }) => decided === "after" && reason !== INTERNAL_ERROR && reason !== CLIENT_GONE,
  )

  /** The reply to a call; `priceOf` knows whether nothing was found, and what a failure costs. */
  const make = (
    call: PremiumCall,
    offer: Offer,
    priceOf: (found: "something" | "nothing" | "failure") => CallPrice,
  ): Effect.Effect<FinishedCall> =>
    offer.content.pipe(
      Effect.timeoutOrElse({
        duration: limits.premiumContentMs,
        orElse: () => Effect.fail(new ContentUnavailable({ problem: "the data did not come in time" })),
      }),
      Effect.flatMap((content) =>
        writer.served(call.request, content, priceOf(content.empty ? "nothing" : "something")),
      ),
      Effect.map((reply): FinishedCall => ({ _tag: "Served", reply })),
      Effect.catchCause((cause) =>
        writer
          .failed(call.request, failureOf(Cause.squash(cause)), priceOf("failure"))
          .pipe(Effect.map((reply): FinishedCall => ({ _tag: "Failed", reply, cause: Cause.pretty(cause) }))),
      ),
    )

  const replay = (debit: string, remaining: number): Effect.Effect<PremiumOutcome> =>
    replies.get(debit).pipe(
      Effect.map(
        (found): PremiumOutcome =>
          typeof found === "string" ? { _tag: "NotKept", why: found } : { _tag: "Replayed", reply: found, remaining },
      ),
      Effect.catch((error) => Effect.succeed(late(error.message))),
    )

  const give = (call: PremiumCall, offer: Offer, reason: string) =>
    Effect.gen(function* () {
      const { key, request, token } = call
      const asked =
        key === null
          ? ledger.submit({ _tag: "readAccount", by: { token } })
          : ledger.submit({ _tag: "readAttempt", token, idempotency: { key, request } })
      const { answer } = yield* asked
      // What was paid for under this key is due, whatever is to be had free of charge now.
      if ("replay" in answer && answer.replay !== null) return yield* replay(answer.replay, answer.balance)
      const free: CallPrice = { charged: 0, remaining: answer.balance, reason, entry: null }
      return yield* make(call, offer, (found) => (found === "failure" ? { ...free, reason: INTERNAL_ERROR } : free))
    })

  /** Gives a debit back at once; where that cannot be, its time does. */
  const release = (debit: string) => Effect.ignore(ledger.submit({ _tag: "refund", debit, operator: null }))

  /** Ends the debit of a client that has gone. Where that cannot be, its time does. */
  const abandon = (debit: string): Effect.Effect<PremiumOutcome> =>
    Effect.as(Effect.ignore(ledger.submit({ _tag: "settle", debit, noChargeReason: CLIENT_GONE })), {
      _tag: "Gone",
    })

  const settle = (debit: string, served: FinishedCall, begunMs: number): Effect.Effect<PremiumOutcome> =>
    ledger
      .submit({
        _tag: "settle",
        debit,
        noChargeReason: served.reply.price.reason === EMPTY_RANGE ? "empty_range" : null,
      })
      .pipe(
        Effect.retry({
          schedule: Schedule.spaced(SETTLE_AGAIN_MS),
          while: ({ _tag }) => _tag === "billing_unavailable" && performance.now() - begunMs < limits.premiumSettleMs,
        }),
        Effect.as(served),
        Effect.catch((refusal) =>
          Effect.succeed<PremiumOutcome>(
            refusal._tag === "billing_unavailable" ? late(refusal.message) : { _tag: "Refused", refusal },
          ),
        ),
      )

  const charge = (call: PremiumCall, offer: Offer, begunMs: number) =>
    Effect.gen(function* () {
      const { key, request, token } = call
      const idempotency = key === null ? null : { key, request }
      const { answer, entries } = yield* ledger.submit({
        _tag: "debit",
        token,
        credits,
        purpose: path,
        debit: uuid(),
        mayEndFree,
        idempotency,
      })
      const { debit, balance } = answer
      if (answer.replayed) return yield* replay(debit, balance)
      if (key === null && call.gone()) return yield* abandon(debit)

      const free = { charged: 0, remaining: balance + credits, entry: null }
      const made = yield* make(call, offer, (found) => {
        if (found === "failure") return { ...free, reason: INTERNAL_ERROR }
        if (found === "nothing") return { ...free, reason: EMPTY_RANGE }
        return { charged: credits, remaining: balance, reason: null, entry: entries[0] ?? null }
      })
      const { status, body, receiptId } = made.reply
      if (made._tag === "Failed" || receiptId === null) {
        yield* key === null
          ? Effect.ignore(ledger.submit({ _tag: "settle", debit, noChargeReason: "internal_error" }))
          : release(debit)
        return made
      }
      if (key !== null) {
        const kept = yield* Effect.result(replies.append(debit, { status, body, receiptId }))
        if (Result.isFailure(kept)) {
          yield* release(debit)
          return late(kept.failure.message)
        }
      } else if (call.gone()) return yield* abandon(debit)
      return yield* settle(debit, made, begunMs)
    })

  return (call) =>
    Effect.suspend((): Effect.Effect<PremiumOutcome, Refusal | BillingUnavailable> => {
      // Nothing is taken for a reply that cannot be delivered: calls that wait on a connection outlive it.
      if (call.gone()) return Effect.succeed({ _tag: "Gone" })
      const offer = offering(call.parameters, nowMs())
      if ("parameter" in offer) return Effect.succeed({ _tag: "Wrong", refused: offer })
      return offer.free === null ? charge(call, offer, performance.now()) : give(call, offer, offer.free)
    }).pipe(
      Effect.catch((refusal) => Effect.succeed<PremiumOutcome>({ _tag: "Refused", refusal })),
      Effect.timeoutOrElse({
        duration: limits.premiumAnswerMs,
        orElse: () => Effect.succeed(late("the ledger did not answer in time")),
      }),
    )
}
