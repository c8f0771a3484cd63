import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"

const text = {
  kind: "document",
  tier: "service",
  ttl: "1 hour",
  mediaTypes: ["text/plain"],
  parameters: {},
  data: Schema.String,
  example: "# Tidewire\n",
} as const

/** The service in one text for language models; see https://llmstxt.org. */
export const llmsEndpoint = endpoint({
  ...text,
  path: "/llms.txt",
  name: "llms",
  summary: "What language models need to use this service",
  description:
    "Markdown: the base address, the envelope of replies, every endpoint of data with its price and its source, how credits are bought, limits and errors.",
})

/** The same with every parameter and field. */
export const llmsFullEndpoint = endpoint({
  ...text,
  path: "/llms-full.txt",
  name: "llms_full",
  summary: "The same with every parameter, field, unit and example",
  description: "Markdown, longer than most contexts should hold: /llms.txt is the short form.",
})
