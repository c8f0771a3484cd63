import type { BuyingTerms } from "../schemas/refusal.ts"
import type { ProblemReply } from "./problems.ts"
import { billingUnavailable } from "./refusals.ts"

// Replies where this installation, or its ledger, is not there to answer.

/** When asking again makes sense where an operator has to set something up first. */
const UNSOLD_RETRY_SECONDS = 3_600
const UNREACHED_RETRY_SECONDS = 30

/** 503: no ledger is reached from here. */
export const ledgerUnavailable = (terms: BuyingTerms): ProblemReply =>
  billingUnavailable(terms, UNREACHED_RETRY_SECONDS)

/** 503: nothing is sold here. */
export const salesNotConfigured = (terms: BuyingTerms): ProblemReply =>
  billingUnavailable(terms, UNSOLD_RETRY_SECONDS, "Credits are not sold here at the moment: no wallet is configured.")

/** 503: a token cannot be made, as its key is not held here. */
export const tokenUnavailable = (terms: BuyingTerms): ProblemReply =>
  billingUnavailable(
    terms,
    UNREACHED_RETRY_SECONDS,
    "Your token cannot be made at the moment. Your credits are not lost: confirm again after Retry-After.",
  )

/** 503: the keys of receipts are not here. */
export const keysUnavailable = (terms: BuyingTerms): ProblemReply =>
  billingUnavailable(
    terms,
    UNREACHED_RETRY_SECONDS,
    "The keys of receipts are not at hand here. Ask again after Retry-After.",
  )
