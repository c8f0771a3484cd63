import * as Result from "effect/Result"
import { paymentInfo } from "../../schemas/endpoints/payment-info.ts"
import { ledgerUnavailable, salesNotConfigured } from "../http/refusals.ts"
import { infoBody } from "../payment/replies.ts"
import { document } from "../routes/document.ts"

/** Wallet, chain, prices and rules for buying credits. */
export default document({
  endpoint: paymentInfo,
  make:
    ({ options, terms }) =>
    ({ address }) => {
      if (options.billing === null) return Result.fail(ledgerUnavailable(terms))
      const { facts } = options.billing.buying
      if (facts === null) return Result.fail(salesNotConfigured(terms))
      const signup = options.baseUrl === null ? `${address}${terms.signup}` : terms.signup
      return Result.succeed(infoBody(facts, options.endpoints, signup))
    },
})
