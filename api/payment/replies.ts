import type * as Effect from "effect/Effect"
import {
  type Buying,
  buyingRules,
  type ConfirmOutcome,
  type IssuedQuote,
  type LedgerAnswers,
  type PurchaseSummary,
} from "../../ledger/client.ts"
import { type Endpoint, isPremium } from "../../schemas/contract/endpoint-kinds.ts"
import {
  ASKED_USD_MAX,
  ASKED_USD_MIN,
  type PayerProofRequired,
  type PaymentPending,
  type PurchaseRecord,
  usdOf,
} from "../../schemas/contract/payment.ts"
import { type BuyingTerms, CREDITS_PER_USD } from "../../schemas/contract/refusal.ts"
import type { paymentBalance } from "../../schemas/endpoints/payment-balance.ts"
import type { paymentBuyCredits } from "../../schemas/endpoints/payment-buy-credits.ts"
import type { paymentConfirm } from "../../schemas/endpoints/payment-confirm.ts"
import { HISTORY_PURCHASES_MAX, type paymentHistory } from "../../schemas/endpoints/payment-history.ts"
import type { paymentInfo } from "../../schemas/endpoints/payment-info.ts"
import type { paymentRevoke } from "../../schemas/endpoints/payment-revoke.ts"
import { instant } from "../../schemas/event.ts"
import { type ProblemReply, problem } from "../http/problems.ts"
import { billingUnavailable, refusalReply, refused, salesNotConfigured, tokenUnavailable } from "../http/refusals.ts"

// Maps results of the ledger to the bodies of payment replies.

/** The chain, token and wallet of payments. */
export type PaymentFacts = NonNullable<Buying["facts"]>

/** Why a request to buy, or about an account, gets no answer. */
export type BuyingFailure = Effect.Error<ReturnType<Buying["confirm"]>>

/** A purchase as replies show it. */
const recordOf = ({
  payment,
  units,
  credits,
  blockNumber,
  creditedAtMs,
  provisional,
  status,
}: PurchaseSummary): PurchaseRecord => ({
  // A payment's id is `<chain>/<transaction>/<rank among the transfers to the wallet>`.
  tx_hash: payment.split("/")[1] ?? "",
  amount_usd: usdOf(units),
  credits_added: credits,
  block_number: blockNumber,
  confirmed_at: instant(creditedAtMs),
  status: status !== "credited" ? status : provisional ? "provisional" : "confirmed",
})

/** The body of a quote. */
export const quoteBody = (quoted: IssuedQuote, facts: PaymentFacts): typeof paymentBuyCredits.data.Type => ({
  wallet: facts.wallet,
  memo: quoted.memo,
  quote: {
    amount_usd: usdOf(quoted.totalUnits),
    amount_units: String(quoted.totalUnits),
    credits: quoted.credits,
    chain: facts.name,
    chain_id: facts.chainId,
    token_contract: facts.contract,
    memo_hash: quoted.memoHash,
    proof: quoted.proof,
  },
  expires_at: instant(quoted.expiresAtMs),
})

/** The body of a confirm whose transaction is credited to this token, now or earlier. */
export const creditedBody = (
  { credits, balance, provisional, purchases }: Extract<ConfirmOutcome, { readonly _tag: "credited" }>,
  token: string,
): typeof paymentConfirm.data.Type => ({ token, credits, balance, provisional, purchases: purchases.map(recordOf) })

/** The body of a confirm that has to be repeated later. */
export const pendingBody = ({
  confirmations,
  required,
  retryAfterSeconds,
}: Extract<ConfirmOutcome, { readonly _tag: "pending" }>): PaymentPending => ({
  status: "pending",
  confirmations,
  required,
  retry_after_seconds: retryAfterSeconds,
})

const SIGN_WORDS = "Have the paying wallet sign text_to_sign, and send signature and signature_until."
const proofWords = {
  proof_required: `Show the memo of the quote as nonce, or a signature of the payer. ${SIGN_WORDS}`,
  beneficiary_required:
    "Show the memo of the quote as nonce. Or say where the credits go, for the text that the payer signs: send your token as Authorization: Bearer, or as claim_key a new secret of yours, tw_claim_ and 64 random hex digits. Keep that key: it is needed at each confirm.",
  claim_key_required: "Send the claim key whose hash the signed text names, as claim_key.",
  signature_refused: `The signature is not one of the text of signature_until by a wallet that paid in this transaction, for the same token, nonce or claim_key; or several contracts accept it: then send your address as payer. ${SIGN_WORDS}`,
  signature_expired: `The signature may be used no more: the day that its text names is over. ${SIGN_WORDS}`,
} as const satisfies Record<PayerProofRequired["reason"], string>

/** Reply to a confirm that cannot succeed in this form. */
export const unconfirmed = (
  confirmed: Exclude<ConfirmOutcome, { readonly _tag: "credited" | "pending" }>,
  terms: BuyingTerms,
): ProblemReply => {
  switch (confirmed._tag) {
    case "payer_proof_required": {
      const { _tag: error, reason, toSign } = confirmed
      const reply = refusalReply({ _tag: error }, { terms, tokenStatus: 401 })
      const body: PayerProofRequired = {
        ...reply.body,
        error,
        reason,
        message: proofWords[reason],
        text_to_sign: toSign?.text ?? null,
        signature_until: toSign?.until ?? null,
      }
      return { ...reply, body }
    }
    case "unknown_transaction":
      return problem(
        404,
        confirmed._tag,
        "This transaction was in no block for 30 minutes. Check its hash; confirm again when it is mined.",
      )
    case "failed_transaction":
      return refused(
        terms,
        402,
        "payment_required",
        "This transaction failed on the chain and paid nothing. Pay again.",
        { reason: confirmed._tag },
      )
  }
}

type Account = LedgerAnswers["readAccount"]

/** The body of a balance. */
export const balanceBody = ({ balance, issuedAtMs, shortfall }: Account): typeof paymentBalance.data.Type => ({
  credits: balance,
  issued_at: instant(issuedAtMs ?? 0),
  shortfall,
})

/** The body of a history. */
export const historyBody = (account: Account): typeof paymentHistory.data.Type => ({
  purchases: account.purchases
    .toSorted((a, b) => b.creditedAtMs - a.creditedAtMs)
    .slice(0, HISTORY_PURCHASES_MAX)
    .map(recordOf),
  current_balance: account.balance,
  totals: {
    total_purchased_usd: usdOf(account.purchasedUnits),
    total_credits_added: account.added,
    total_credits_spent: account.spent,
    purchase_count: account.purchaseCount,
  },
})

const wayBackWords = ({ by, transaction, shown }: LedgerAnswers["revoke"]["wayBack"]): string => {
  switch (by) {
    case "memo":
      return transaction === null
        ? `Confirm a transaction that pays with the memo of hash ${shown}, with that memo as nonce.`
        : `Confirm transaction ${transaction} with the memo of hash ${shown} as nonce.`
    case "payer":
      return `Confirm transaction ${transaction} with a signature of payer ${shown} and the claim key that opened the account.`
    case "operator":
      return "Ask the operator of this service for a new token."
  }
}

/** The body of a revoke: the remaining credits, and the proof that issues a new token for them. */
export const revokedBody = ({ balance, wayBack }: LedgerAnswers["revoke"]): typeof paymentRevoke.data.Type => ({
  revoked: true,
  credits: balance,
  way_back: { by: wayBack.by, tx_hash: wayBack.transaction, shown: wayBack.shown, message: wayBackWords(wayBack) },
})

/** The reply to a request to buy that was refused, or has no answer now. */
export const failureReply = (failure: BuyingFailure, terms: BuyingTerms): ProblemReply => {
  switch (failure._tag) {
    case "nothing_sold":
      return salesNotConfigured(terms)
    case "ChainUnavailable":
      return billingUnavailable(
        terms,
        failure.retryAfterSeconds,
        failure.of === "receipt"
          ? "The receipt of this transaction is large, or was cut off, and is still being read. Your payment is not lost: confirm again after Retry-After."
          : "The chain cannot be reached at the moment. Your payment is not lost: confirm again after Retry-After.",
        failure.of === "receipt" ? "receipt_unread" : undefined,
      )
    case "token_key_missing":
      return tokenUnavailable(terms)
    default:
      return refusalReply(failure, { terms, tokenStatus: 401 })
  }
}

const trustWords = (trust: PaymentFacts["trust"]): string => {
  if (trust === null)
    return "Payments are verified by another process of this service; how many providers must agree is not known here."
  const { providers, agreement } = trust
  if (agreement > 1) return `A payment is accepted when ${agreement} of ${providers} providers of the chain agree.`
  return providers === 1
    ? "One provider of the chain is trusted alone: a payment is accepted on its answer."
    : `Any one of ${providers} providers of the chain is trusted alone: a payment is accepted on its answer.`
}

/** The body of `/api/payment/info`. */
export const infoBody = (
  facts: PaymentFacts,
  endpoints: ReadonlyArray<Endpoint>,
  signup: string,
): typeof paymentInfo.data.Type => ({
  wallet: facts.wallet,
  chain: { name: facts.name, chain_id: facts.chainId },
  token: { symbol: "USDC", contract: facts.contract, decimals: 6 },
  prices: {
    credits_per_usd: CREDITS_PER_USD,
    minimum_usd: ASKED_USD_MIN,
    maximum_quote_usd: ASKED_USD_MAX,
    credits_by_endpoint: Object.fromEntries(endpoints.filter(isPremium).map(({ path, credits }) => [path, credits])),
  },
  confirmation: {
    up_to_usd: buyingRules.provisionalUsdMax,
    blocks: buyingRules.confirmationsMin,
    above: "safe",
    final: "finalized",
  },
  verification: {
    providers: facts.trust?.providers ?? null,
    agreement: facts.trust?.agreement ?? null,
    trusted: trustWords(facts.trust),
  },
  quote_minutes: buyingRules.quoteMinutes,
  signup,
})
