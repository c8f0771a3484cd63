import { isPremium } from "../../schemas/contract/endpoint-kinds.ts"
import { agentPaymentsEndpoint, agentPaymentsMarkdown } from "../../schemas/endpoints/agent-payments.ts"
import { BUYING_MODULE, pageOf, TITLE } from "../pages/agent-payments.ts"
import { pageDocuments } from "../pages/shell.ts"

/** The page about buying credits, to which refusals link. */
export const [page, twin] = pageDocuments({
  page: agentPaymentsEndpoint,
  twin: agentPaymentsMarkdown,
  title: TITLE,
  description: "How credits are bought with USDC on Base and spent by the call, step by step.",
  modules: [BUYING_MODULE],
  pieces:
    ({ options, terms }) =>
    ({ address }) => {
      const { withheld = new Map() } = options
      const payment = options.billing?.buying.facts ?? null
      const endpoints = options.endpoints.filter(isPremium)
      return pageOf({ payment, baseUrl: address || null, pricing: terms.pricing, endpoints, withheld })
    },
})
