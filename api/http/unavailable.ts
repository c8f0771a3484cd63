import type { BuyingTerms } from "../../schemas/contract/refusal.ts"
import type { ProblemReply } from "./problems.ts"
import { billingUnavailable } from "./refusals.ts"

// 503 replies: the ledger is unreachable, or this installation does not sell credits.

/** `Retry-After` where an operator has to configure the service first. */
const UNSOLD_RETRY_SECONDS = 3_600
const UNREACHED_RETRY_SECONDS = 30

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
