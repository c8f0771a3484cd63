import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import {
  type BillingUnavailable,
  type Command,
  type LedgerClient,
  newId,
  onBehalfOf,
  type Refusal,
} from "../../ledger/client.ts"
import type { ParameterRefusal, PremiumEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { CLIENT_GONE, EMPTY_RANGE, INTERNAL_ERROR, PAID_TODAY } from "../../schemas/contract/no-charge.ts"
import type { Parameters } from "../../schemas/feed.ts"
import type { ApiLimits } from "../http/limits.ts"
import type { PastView } from "../past/reader.ts"
import { ContentUnavailable, type MakeOffer, type Offer, type PremiumContent } from "./offers.ts"
import type { Releases } from "./releases.ts"
import type { KeptReply, ReplyStore } from "./replies.ts"
import type { CallPrice, PremiumReply, ReplyWriter } from "./reply.ts"

const SETTLE_AGAIN_MS = 250
/** When a call asks again whether the same one has ended: at most as long as a call may take. */
const SAME_CALL_ENDS = Schedule.min([Schedule.exponential("10 millis"), Schedule.spaced("250 millis")]).pipe(
  Schedule.jittered,
)

/** Under what a call is paid once, however often it is made. */
export interface CallAttempt {
  /** SHA-256 of the Idempotency-Key, or of what stands in its place. */
  readonly key: string
  /** What a call under this key must ask for: SHA-256 over method, path and sorted query. */
  readonly request: string
  /** How a repeated call is answered: by the `stored` reply, or by one that is `remade`, as it can be at any time. */
  readonly repeat: "stored" | "remade"
}

/** A premium call with a well-formed token and accepted parameters. */
export interface PremiumCall {
  /** The id of its request, for the log. */
  readonly requestId: string
  /** SHA-256 of the token. */
  readonly token: string
  readonly parameters: Parameters
  /** The members of the data that the reply has; null for all. Neither its price nor what is free of charge depends on them. */
  readonly fields: ReadonlyArray<string> | null
  /** The view as it was known at the instant that the call asks for; absent where it asks for the present. */
  readonly past?: PastView
  /** What its receipt names: SHA-256 over method, path and sorted query; of a past reply with the instant as `at`. */
  readonly request: string
  /** Under what it is paid once; null where each call is. */
  readonly attempt: CallAttempt | null
  /** Whether the client has disconnected. */
  readonly gone: () => boolean
  /** Called with the account of the token, once the ledger has named it. */
  readonly named: (account: string) => void
}

/** The outcome of a premium call. */
export type PremiumOutcome =
  | { readonly _tag: "Served"; readonly reply: PremiumReply }
  /** A fault of the service: free of charge, with a receipt that states it. `cause` is for the log. */
  | { readonly _tag: "Failed"; readonly reply: PremiumReply; readonly cause: string }
  | { readonly _tag: "Replayed"; readonly reply: KeptReply; readonly remaining: number }
  /** The key was used before, and its reply was too large to be stored, or is no longer stored. */
  | { readonly _tag: "NotKept"; readonly why: "tooLarge" | "unknown" }
  /** The parameters are refused, together or now. */
  | { readonly _tag: "Wrong"; readonly refused: ParameterRefusal }
  | { readonly _tag: "Refused"; readonly refusal: Refusal | BillingUnavailable }
  /** No reply in time, or none that may be sent. A debit that was not settled is refunded. */
  | { readonly _tag: "Late"; readonly cause: string }
  /** The client has disconnected. It was not charged, within the daily allowance of its account. */
  | { readonly _tag: "Gone" }

/** The dependencies of a gate. */
export interface GateOptions {
  readonly endpoint: PremiumEndpoint
  readonly offering: MakeOffer
  readonly writer: ReplyWriter
  readonly ledger: LedgerClient
  readonly replies: ReplyStore
  readonly releases: Releases
  readonly nowMs: () => number
  readonly limits: Pick<ApiLimits, "premiumContentMs" | "premiumSettleMs" | "premiumAnswerMs">
}

type Settle = Extract<Command, { _tag: "settle" }>
type Refund = Extract<Command, { _tag: "refund" }>

/** A reply, or the failure that is sent instead of it. */
type FinishedCall = Extract<PremiumOutcome, { _tag: "Served" | "Failed" }>

const late = (cause: string): PremiumOutcome => ({ _tag: "Late", cause })
const refused = (refusal: Refusal | BillingUnavailable): PremiumOutcome => ({ _tag: "Refused", refusal })

/** Whether a call may turn out to be free of charge only once its data is there. */
const mayEndFree = ({ noCharge }: PremiumEndpoint): boolean =>
  noCharge.some(({ decided, reason }) => decided === "after" && reason !== INTERNAL_ERROR && reason !== CLIENT_GONE)

/** A content with these members of its data alone. Its text is not cached: each call may select other members. */
const withFields = (content: PremiumContent, fields: ReadonlyArray<string>): PremiumContent => ({
  ...content,
  data: Object.fromEntries(Object.entries(content.data).filter(([name]) => fields.includes(name))),
  isReused: false,
})

/** Makes the reply to a call; `priceOf` gives its price by what came of it. */
const makeReply = (
  { writer, limits }: GateOptions,
  { request, fields }: PremiumCall,
  { content }: Offer,
  priceOf: (found: "something" | "nothing" | "failure") => CallPrice,
): Effect.Effect<FinishedCall> => {
  const failed = async (error: unknown): Promise<FinishedCall> => {
    const kind = error instanceof ContentUnavailable ? "unavailable" : "broken"
    const reply = await writer.failed(request, kind, priceOf("failure"))
    return { _tag: "Failed", reply, cause: Cause.pretty(Cause.fail(error)) }
  }
  const served = async (content: PremiumContent): Promise<FinishedCall> => {
    try {
      const price = priceOf(content.empty ? "nothing" : "something")
      const shown = fields === null ? content : withFields(content, fields)
      return { _tag: "Served", reply: await writer.served(request, shown, price) }
    } catch (error) {
      return failed(error)
    }
  }
  if (!Effect.isEffect(content)) return Effect.promise(() => served(content))
  return content.pipe(
    Effect.timeoutOrElse({
      duration: limits.premiumContentMs,
      orElse: () => Effect.fail(new ContentUnavailable({ problem: "the data did not come in time" })),
    }),
    Effect.matchCauseEffect({
      onSuccess: (got) => Effect.promise(() => served(got)),
      onFailure: (cause) => Effect.promise(() => failed(Cause.squash(cause))),
    }),
  )
}

/** The reply that was paid for before, made again. */
const remake = (gate: GateOptions, call: PremiumCall, offer: Offer, remaining: number): Effect.Effect<FinishedCall> => {
  const free = { charged: 0, remaining, entry: null }
  return makeReply(gate, call, offer, (found) => ({
    ...free,
    reason: found === "failure" ? INTERNAL_ERROR : PAID_TODAY,
  }))
}

/** The reply that is stored under a debit. */
const replay = ({ replies }: GateOptions, debit: string, remaining: number): Effect.Effect<PremiumOutcome> =>
  replies.get(debit).pipe(
    Effect.map(
      (found): PremiumOutcome =>
        typeof found === "string" ? { _tag: "NotKept", why: found } : { _tag: "Replayed", reply: found, remaining },
    ),
    Effect.catch((error) => Effect.succeed(late(error.message))),
  )

const keyOf = ({ key, request }: CallAttempt): { readonly key: string; readonly request: string } => ({ key, request })

/** Carries out a call that is free of charge: there is no debit. */
const give = Effect.fnUntraced(function* (
  gate: GateOptions,
  call: PremiumCall,
  offer: Offer,
  reason: string,
): Effect.fn.Return<PremiumOutcome, Refusal | BillingUnavailable> {
  const { ledger } = gate
  const { attempt, token } = call
  const asked =
    attempt?.repeat !== "stored"
      ? ledger.submit({ _tag: "readAccount", by: { token }, purchases: false })
      : ledger.submit({ _tag: "readAttempt", token, idempotency: keyOf(attempt) })
  const { answer } = yield* asked
  call.named(answer.account)
  // A reply that was paid for under this key takes precedence over a free one.
  if ("replay" in answer && answer.replay !== null) return yield* replay(gate, answer.replay, answer.balance)
  const free: CallPrice = { charged: 0, remaining: answer.balance, reason, entry: null }
  return yield* makeReply(gate, call, offer, (found) =>
    found === "failure" ? { ...free, reason: INTERNAL_ERROR } : free,
  )
})

/** Ends a debit that is not charged, now or, if the ledger does not answer now, as soon as it does. */
const endFree = ({ ledger, releases }: GateOptions, command: Settle | Refund): Effect.Effect<void> =>
  ledger.submit(command).pipe(
    Effect.catchTag("billing_unavailable", () => Effect.sync(() => releases.add(command.debit))),
    Effect.ignore,
  )

/** Refunds a debit. */
const release = (gate: GateOptions, debit: string): Effect.Effect<void> =>
  endFree(gate, { _tag: "refund", debit, operator: null })

/** Settles the debit of a disconnected client free of charge. */
const abandon = (gate: GateOptions, debit: string): Effect.Effect<PremiumOutcome> =>
  Effect.as(endFree(gate, { _tag: "settle", debit, noChargeReason: CLIENT_GONE }), { _tag: "Gone" })

/** Settles a debit. The reply is the outcome only once the settle is durable. */
const settle = Effect.fnUntraced(function* (
  { ledger, limits, releases }: GateOptions,
  debit: string,
  served: FinishedCall,
  begunMs: number,
): Effect.fn.Return<PremiumOutcome> {
  const noChargeReason = served.reply.price.reason === EMPTY_RANGE ? "empty_range" : null
  for (;;) {
    const settled = yield* Effect.result(ledger.submit({ _tag: "settle", debit, noChargeReason }))
    if (Result.isSuccess(settled)) return served
    const { failure } = settled
    if (failure._tag !== "billing_unavailable") return refused(failure)
    if (performance.now() - begunMs >= limits.premiumSettleMs) {
      // No data is sent. If the settle was written, the debit stays settled.
      releases.add(debit)
      return late(failure.message)
    }
    yield* Effect.sleep(SETTLE_AGAIN_MS)
  }
})

/** Carries out a call that is charged, under the id of its debit. */
const charge = Effect.fnUntraced(function* (
  gate: GateOptions,
  call: PremiumCall,
  offer: Offer,
  id: string,
): Effect.fn.Return<PremiumOutcome, Refusal | BillingUnavailable> {
  const begunMs = performance.now()
  const { endpoint, ledger, replies } = gate
  const { path, credits } = endpoint
  const { attempt, token } = call
  const debiting = ledger.submit({
    _tag: "debit",
    token,
    credits,
    purpose: path,
    debit: id,
    mayEndFree: mayEndFree(endpoint),
    idempotency: attempt === null ? null : keyOf(attempt),
  })
  const { answer, entries } = yield* attempt?.repeat === "remade"
    ? Effect.retry(debiting, {
        schedule: SAME_CALL_ENDS,
        while: ({ _tag }) => _tag === "key_in_flight" && !call.gone(),
      })
    : debiting
  const { debit, balance } = answer
  call.named(answer.account)
  if (answer.replayed)
    return yield* attempt?.repeat === "remade" ? remake(gate, call, offer, balance) : replay(gate, debit, balance)
  if (attempt === null && call.gone()) return yield* abandon(gate, debit)

  const free = { charged: 0, remaining: balance + credits, entry: null }
  const made = yield* makeReply(gate, call, offer, (found) => {
    if (found === "failure") return { ...free, reason: INTERNAL_ERROR }
    if (found === "nothing") return { ...free, reason: EMPTY_RANGE }
    return { charged: credits, remaining: balance, reason: null, entry: entries[0] ?? null }
  })
  const { status, body, receiptId } = made.reply
  if (made._tag === "Failed" || receiptId === null) {
    yield* attempt === null
      ? endFree(gate, { _tag: "settle", debit, noChargeReason: "internal_error" })
      : release(gate, debit)
    return made
  }
  if (attempt?.repeat === "stored") {
    const kept = yield* Effect.result(replies.append(debit, { status, body, receiptId }))
    if (Result.isFailure(kept)) {
      yield* release(gate, debit)
      return late(kept.failure.message)
    }
  } else if (attempt === null && call.gone()) return yield* abandon(gate, debit)
  return yield* settle(gate, debit, made, begunMs)
})

/**
 * Makes the gate of a premium endpoint. A call that the prepared data makes free of charge is not debited. Any other: debit
 * (durable), data, body and receipt, the reply stored under its key if there is one, settle (durable), reply. Each end of a
 * call is an outcome, at the latest after `premiumAnswerMs`; only a fault in an endpoint's own condition rejects, before any
 * debit. Prepared data is selected before the debit too, as the selected part decides what is free of charge.
 *
 * - A debit whose call ends without a reply is released as soon as the ledger answers; where this process dies, the ledger
 *   refunds it after 40 s.
 * - A settle that fails with `billing_unavailable` is retried until it succeeds or the time is over; it is idempotent. In
 *   the latter case no data is sent, though the settle may be durable: only then can a call be charged without a reply,
 *   and one with a key can be repeated free of charge.
 * - A fault of the service is settled free of charge. Under a key the debit is refunded instead, and a repeat is a new
 *   attempt.
 * - A client that disconnects before the debit is not debited. One that disconnects before the settle is not charged,
 *   within the daily allowance of its account, unless it sent a key: its reply is then stored for a repeat.
 * - Of a past reply an account pays for the first call of a day. Calls at the same time wait for that one, as it may fail;
 *   the reply of later ones is made again, free of charge, as it is the same.
 */
export const makeGate =
  (gate: GateOptions): ((call: PremiumCall) => Promise<PremiumOutcome>) =>
  (call) =>
    new Promise((resolve, reject) => {
      // A pipelined call can outlive its connection; nothing is debited for a reply that cannot be delivered.
      if (call.gone()) return resolve({ _tag: "Gone" })
      const offer = gate.offering(call.parameters, gate.nowMs(), call.past)
      if ("parameter" in offer) return resolve({ _tag: "Wrong", refused: offer })
      const debit = newId()
      const carriedOut = offer.free === null ? charge(gate, call, offer, debit) : give(gate, call, offer, offer.free)
      const decided = Effect.catch(carriedOut, (refusal) => {
        // The answer to the debit may be lost, and the debit open.
        if (refusal._tag === "billing_unavailable" && refusal.reason === "unknown" && offer.free === null)
          gate.releases.add(debit)
        return Effect.succeed(refused(refusal))
      })
      const fiber = Effect.runFork(onBehalfOf(call.requestId)(decided))
      // A timer, as `Effect.timeout` takes a second fiber for each call.
      let isLate = false
      const timer = setTimeout(() => {
        isLate = true
        fiber.interruptUnsafe()
      }, gate.limits.premiumAnswerMs)
      fiber.addObserver((exit) => {
        clearTimeout(timer)
        if (Exit.isSuccess(exit)) return resolve(exit.value)
        if (offer.free === null) gate.releases.add(debit)
        if (isLate) resolve(late("the ledger did not answer in time"))
        else reject(Cause.squash(exit.cause))
      })
    })
