import type { BillingUnavailable, Refusal } from "../../ledger/client.ts"
import type { AlreadyCredited } from "../../schemas/contract/payment.ts"
import {
  type BuyingTerms,
  type PremiumPaymentRequired,
  type RefusalError,
  TOKENS_PER_DAY,
} from "../../schemas/contract/refusal.ts"
import { internalError, type ProblemReply, problem } from "./problems.ts"

/** A refusal with the terms of buying credits. Its body is problem details as well. */
interface RefusalReply extends ProblemReply {
  readonly body: PremiumPaymentRequired
}

/** Options of a refusal. */
export interface RefusalOptions {
  readonly terms: BuyingTerms
  /** Status where the token is missing or wrong: 402 on premium endpoints, 401 on payment endpoints. */
  readonly tokenStatus: 401 | 402
}

const UNITS_PER_USD = 1_000_000
const DEBIT_RETRY_SECONDS = 1
/** `Retry-After` where an operator has to configure the service first. */
const UNSOLD_RETRY_SECONDS = 3_600
const UNREACHED_RETRY_SECONDS = 30
const manyQuotes = {
  client: "The limit of quotes for one client is reached.",
  network: "The limit of quotes for your network is reached.",
  all: "The limit of open quotes is reached.",
} as const

/** Builds the refusal of a call that needs a token, credits or a payment. */
export const refused = (
  terms: BuyingTerms,
  status: 401 | 402 | 503,
  error: RefusalError,
  message: string,
  rest: { readonly reason?: string; readonly retryAfterSeconds?: number } = {},
): RefusalReply => {
  const { reason, retryAfterSeconds } = rest
  const { body, headers } = problem(status, error, message, {}, [
    "X-Service-Pricing",
    terms.signup,
    ...(retryAfterSeconds === undefined ? [] : ["Retry-After", String(retryAfterSeconds)]),
    ...(status === 401
      ? ["WWW-Authenticate", error === "missing_token" ? "Bearer" : 'Bearer error="invalid_token"']
      : []),
  ])
  return {
    status,
    headers,
    body: {
      ...body,
      error,
      ...(reason === undefined ? {} : { reason }),
      ...(retryAfterSeconds === undefined ? {} : { retry_after_seconds: retryAfterSeconds }),
      ...terms,
    },
  }
}

/** 503: the ledger, or a part that it needs, is unavailable. Nothing was charged. */
export const billingUnavailable = (
  terms: BuyingTerms,
  retryAfterSeconds: number,
  message = "Billing cannot be reached at the moment. Nothing was charged; retry after Retry-After.",
  reason?: string,
): RefusalReply =>
  refused(terms, 503, "billing_unavailable", message, {
    retryAfterSeconds,
    ...(reason === undefined ? {} : { reason }),
  })

type OpenerSeen = Extract<Refusal, { readonly _tag: "already_credited" }>["opener"]

/** The step by which the owner of an account gets its token, by the proof that opened it. */
const wayBack = ({ by, shown }: OpenerSeen): readonly [AlreadyCredited["next_step"], string] => {
  switch (by) {
    case "memo":
      return shown === null
        ? [
            "show_memo",
            "Show the memo that opened the account: confirm the payment that it was first shown for, with it as nonce.",
          ]
        : ["show_memo", `Show the memo of hash ${shown} as nonce.`]
    case "payer":
      return shown === null
        ? [
            "sign",
            "Sign again as the payer who opened the account: confirm the transaction of that time with that signature and the same claim key.",
          ]
        : [
            "sign",
            `Sign again as payer ${shown}: confirm with the same claim key and without nonce and signature for the text to sign.`,
          ]
    case "operator":
      return ["ask_operator", "Ask the operator of this service."]
  }
}

/** 409: the payment was credited to another claimant before, with the proof that opened the account and the next step. */
const alreadyCredited = (opener: OpenerSeen): ProblemReply & { readonly body: AlreadyCredited } => {
  const [back, words] = wayBack(opener)
  const { status, body, headers } = problem(
    409,
    "already_credited",
    opener.bearer
      ? `This payment was added to an account by its bearer token: send that token as Authorization: Bearer. Without it: ${words}`
      : `This payment was credited before, and stays where it is. ${words}`,
  )
  const next_step = opener.bearer ? "send_token" : back
  return {
    status,
    headers,
    body: { ...body, error: "already_credited", opened_by: opener.by, next_step, shown: opener.shown },
  }
}

const usd = (units: number): string => (units / UNITS_PER_USD).toFixed(6)

/**
 * Maps a refusal of the ledger to its HTTP reply, which `Answers.problem` sends as `no-store`. Refusals that only a fault of
 * the service causes are internal errors.
 */
export const refusalReply = (
  refusal: Refusal | BillingUnavailable,
  { terms, tokenStatus }: RefusalOptions,
): ProblemReply => {
  switch (refusal._tag) {
    case "billing_unavailable":
      return billingUnavailable(terms, refusal.retryAfterSeconds)
    case "missing_token":
      return refused(terms, tokenStatus, refusal._tag, "Send your token: Authorization: Bearer svc_live_...")
    case "invalid_token":
      return refused(terms, tokenStatus, refusal._tag, "This token is unknown.")
    case "expired":
      return refusal.of === "token"
        ? refused(
            terms,
            tokenStatus,
            refusal._tag,
            "This token was revoked. Confirm a purchase of it again for a new one.",
            { reason: "token_revoked" },
          )
        : refused(terms, 402, refusal._tag, "This quote has expired without a payment. Request another.", {
            reason: "quote_expired",
          })
    case "insufficient_credits":
      return refused(
        terms,
        402,
        refusal._tag,
        refusal.shortfall > 0
          ? `A payment was taken back by its chain: ${refusal.shortfall} credits are missing before calls are served again.`
          : `This call costs ${refusal.needed}; the balance is ${refusal.balance}.`,
        refusal.shortfall > 0 ? { reason: "shortfall" } : {},
      )
    case "no_payment":
      return refused(terms, 402, "payment_required", "This transaction pays nothing to the wallet.", {
        reason: "no_payment",
      })
    case "too_small":
      return refused(
        terms,
        402,
        "payment_required",
        `This transaction pays ${usd(refusal.units)} USD. Less than 1 USD in one transaction credits nothing.`,
        { reason: "too_small" },
      )
    case "already_credited":
      return alreadyCredited(refusal.opener)
    case "confirmation_required":
      return problem(
        409,
        "confirmation_required",
        'The account of this token was opened by the operator of this service: once it is revoked, only the operator can bring a token back. Send {"confirm": true} to revoke it anyway.',
      )
    case "payer_proof_required":
    case "signature_expired":
      return problem(409, "payer_proof_required", "Show the memo of the quote, or a signature of the payer.")
    case "invalid_amount":
      return problem(400, "invalid_parameter", "The amount is 1 to 10,000 USD with at most 2 decimals.", {
        parameter: "amount_usd",
      })
    case "too_many_quotes": {
      const seconds = Math.max(1, Math.ceil(refusal.retryAfterMs / 1000))
      return problem(
        429,
        "rate_limited",
        `${manyQuotes[refusal.of]} Retry after Retry-After.`,
        { retry_after_seconds: seconds },
        ["Retry-After", String(seconds)],
      )
    }
    case "free_allowance_spent": {
      const seconds = Math.max(1, Math.ceil(refusal.retryAfterMs / 1000))
      return problem(
        429,
        refusal._tag,
        "Too many calls of this account have ended free of charge today (empty ranges, connections closed early). Calls that may end so are served again from midnight UTC.",
        { retry_after_seconds: seconds },
        ["Retry-After", String(seconds)],
      )
    }
    case "token_allowance_spent": {
      const seconds = Math.max(1, Math.ceil(refusal.retryAfterMs / 1000))
      return problem(
        429,
        refusal._tag,
        `This account was issued ${TOKENS_PER_DAY} new tokens today. It gets the next one from midnight UTC; its credits stay.`,
        { retry_after_seconds: seconds },
        ["Retry-After", String(seconds)],
      )
    }
    case "key_in_flight": {
      // As long again as it has taken so far, and never beyond the end that the ledger sets.
      const seconds = Math.max(1, Math.ceil(Math.min(refusal.openMs, refusal.dueMs) / 1000))
      return problem(
        409,
        "idempotency_key_in_flight",
        `The first request under this Idempotency-Key is not answered yet. It ends within ${Math.max(1, Math.ceil(refusal.dueMs / 1000))} s at the latest: with its reply, or without a charge.`,
        { retry_after_seconds: seconds },
        ["Retry-After", String(seconds)],
      )
    }
    case "key_reused":
      return problem(422, "idempotency_key_reused", "This Idempotency-Key was sent with another request.")
    case "debit_refunded":
      return billingUnavailable(terms, DEBIT_RETRY_SECONDS, "The call took too long; its credits were refunded.")
    // `pending` is a reply of its own to a confirm; the others concern commands of operators, or faults of the service.
    case "pending":
    case "token_needed":
    case "invalid_command":
    case "memo_in_use":
    case "unknown_debit":
    case "debit_settled":
    case "duplicate_debit":
    case "unknown_account":
    case "account_in_use":
    case "final_purchase":
      return internalError()
  }
}

/** 503: this process has no connection to a ledger. */
export const ledgerUnavailable = (terms: BuyingTerms): ProblemReply =>
  billingUnavailable(terms, UNREACHED_RETRY_SECONDS)

/** 503: this installation has no wallet and sells no credits. */
export const salesNotConfigured = (terms: BuyingTerms): ProblemReply =>
  billingUnavailable(terms, UNSOLD_RETRY_SECONDS, "Credits are not sold here at the moment: no wallet is configured.")

/** 503: a token cannot be issued, as its key is not configured. */
export const tokenUnavailable = (terms: BuyingTerms): ProblemReply =>
  billingUnavailable(
    terms,
    UNREACHED_RETRY_SECONDS,
    "Your token cannot be issued at the moment. Your credits are not lost: confirm again after Retry-After.",
  )

/** 503: this process has no keys of receipts. */
export const keysUnavailable = (terms: BuyingTerms): ProblemReply =>
  billingUnavailable(
    terms,
    UNREACHED_RETRY_SECONDS,
    "The keys of receipts are not available here. Retry after Retry-After.",
  )
