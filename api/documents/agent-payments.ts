import * as Result from "effect/Result"
import { isPremium } from "../../schemas/contract/endpoint-kinds.ts"
import { agentPaymentsEndpoint } from "../../schemas/endpoints/agent-payments.ts"
import { document } from "../document.ts"
import { pageOf, TITLE } from "../pages/agent-payments.ts"
import { htmlOf, markdownOf, STYLE_SOURCE } from "../pages/page.ts"

/** The page about buying credits, to which refusals link. */
export default document({
  endpoint: agentPaymentsEndpoint,
  styleSource: STYLE_SOURCE,
  make:
    ({ options, terms }) =>
    ({ address, mediaType }) => {
      const payment = options.billing?.buying.facts ?? null
      const endpoints = options.endpoints.filter(isPremium)
      const pieces = pageOf({ payment, baseUrl: address || null, pricing: terms.pricing, endpoints })
      return Result.succeed(mediaType === "text/markdown" ? markdownOf(TITLE, pieces) : htmlOf(TITLE, pieces))
    },
})
