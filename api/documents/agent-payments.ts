import * as Result from "effect/Result"
import { agentPaymentsEndpoint } from "../../schemas/endpoints/agent-payments.ts"
import { document } from "../document.ts"
import { htmlOf, markdownOf, pageOf, STYLE_SOURCE } from "../pages/agent-payments.ts"

/** The page about buying credits, to which refusals link. */
export default document({
  endpoint: agentPaymentsEndpoint,
  styleSource: STYLE_SOURCE,
  make:
    ({ options, terms }) =>
    ({ address, mediaType }) => {
      const payment = options.billing?.buying.facts ?? null
      const pieces = pageOf({ payment, baseUrl: address || null, pricing: terms.pricing })
      return Result.succeed(mediaType === "text/markdown" ? markdownOf(pieces) : htmlOf(pieces))
    },
})
