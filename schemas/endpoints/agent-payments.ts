import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { markdownTwin } from "../contract/pages.ts"
import { SIGNUP_PATH } from "../contract/refusal.ts"

/** The page about buying credits, to which refusals link. */
export const agentPaymentsEndpoint = endpoint({
  path: SIGNUP_PATH,
  name: "agent_payments",
  kind: "document",
  tier: "payment",
  ttl: 0,
  mediaTypes: ["text/html", "text/markdown"],
  summary: "Buying credits, step by step",
  description: "How credits are bought and spent, with commands to copy. HTML, or Markdown where a client prefers it.",
  parameters: {},
  data: Schema.String,
  example: "# Buying credits\n",
})

/** The same page as Markdown, whatever a client prefers. */
export const agentPaymentsMarkdown = markdownTwin(agentPaymentsEndpoint)
