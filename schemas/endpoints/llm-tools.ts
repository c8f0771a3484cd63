import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { choice } from "../contract/parameters.ts"
import { SERVICE_SOURCE } from "../contract/reply.ts"
import { Instant } from "../event.ts"
import { toolFormats } from "../printers/tools.ts"

const Call = Schema.Struct({
  method: Schema.Literals(["GET", "POST"]),
  path: Schema.NonEmptyString,
  tier: Schema.Literals(["free", "premium"]),
  credits: Schema.Natural.annotate({ description: "Credits a call costs" }),
  bearer: Schema.Literals(["none", "required"]).annotate({
    description: "Whether a token is sent (Authorization: Bearer). It is never an argument",
  }),
})

/** The tools of the contract in the form of a vendor. */
export const llmToolsEndpoint = endpoint({
  path: "/api/llm-tools",
  name: "llm_tools",
  kind: "document",
  tier: "service",
  ttl: "1 hour",
  summary: "Tool definitions for language models, one for each endpoint of data",
  description:
    "Free. openai: for Chat Completions; openai-responses: for the Responses API; anthropic: for the Messages API; raw: with path, price and tier beside each tool. Send a call's arguments as the query of its path in `calls`, a list as a comma list.",
  parameters: {
    format: choice(toolFormats, { description: "For which interface the tools are written", default: "raw" }),
  },
  data: Schema.Struct({
    source: Schema.Literal(SERVICE_SOURCE),
    generated_at: Instant,
    format: Schema.Literals(toolFormats),
    tools: Schema.Array(Schema.Json).annotate({ description: "In the exact form of that interface" }),
    calls: Schema.Record(Schema.String, Call).annotate({
      description: "How each tool is called, by its name. Arguments are the query",
    }),
  }),
  example: {
    source: SERVICE_SOURCE,
    generated_at: "2026-08-17T20:35:00.000Z",
    format: "anthropic",
    tools: [
      {
        name: "tidewire_forex",
        description: "Exchange rates of the US dollar. Free, without a key.",
        input_schema: { type: "object", properties: {}, required: [], additionalProperties: false },
      },
    ],
    calls: { tidewire_forex: { method: "GET", path: "/api/forex", tier: "free", credits: 0, bearer: "none" } },
  },
})
