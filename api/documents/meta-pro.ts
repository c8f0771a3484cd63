import * as Result from "effect/Result"
import { isPremium } from "../../schemas/contract/endpoint-kinds.ts"
import { ASKED_USD_MAX, ASKED_USD_MIN } from "../../schemas/contract/payment.ts"
import { CREDITS_PER_USD, FREE_ENDS_PER_DAY, TOKENS_PER_DAY } from "../../schemas/contract/refusal.ts"
import { PREMIUM_SOURCE } from "../../schemas/contract/reply.ts"
import { metaProEndpoint } from "../../schemas/endpoints/meta-pro.ts"
import { CONTRACT_VERSION } from "../../schemas/printers/catalog.ts"
import { reasonTexts } from "../pages/no-charge.ts"
import { document } from "../routes/document.ts"

/** The premium part of this installation's contract. */
export default document({
  endpoint: metaProEndpoint,
  make:
    ({ options, limits, terms }) =>
    () => {
      const premium = options.endpoints.filter(isPremium)
      return Result.succeed({
        source: PREMIUM_SOURCE,
        contract_version: CONTRACT_VERSION,
        credits_per_usd: CREDITS_PER_USD,
        purchase_usd_min: ASKED_USD_MIN,
        purchase_usd_max: ASKED_USD_MAX,
        sold_here: (options.billing?.buying.facts ?? null) !== null,
        token_requests_per_minute: limits.tokenRequestsPerMinute,
        free_ends_per_day: FREE_ENDS_PER_DAY,
        tokens_per_day: TOKENS_PER_DAY,
        signup: terms.signup,
        payment_endpoints: options.endpoints
          .filter(({ tier }) => tier === "payment")
          .map(({ method, path, summary }) => ({ method, path, summary })),
        no_charge: Object.fromEntries(reasonTexts(premium)),
        endpoints: premium.map(({ path, name, summary, credits, parameters, noCharge }) => ({
          path,
          name,
          summary,
          credits,
          price_usd: credits / CREDITS_PER_USD,
          parameters: Object.keys(parameters),
          no_charge: [...new Set(noCharge.map(({ reason }) => reason))],
          withheld_feeds: options.withheld?.get(path)?.feeds ?? [],
        })),
      })
    },
})
