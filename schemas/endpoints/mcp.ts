import { endpoint } from "../contract/endpoint.ts"
import { MCP_PATH, mcpEndpointFacts, toolsListExample } from "../contract/mcp.ts"

/** The small MCP server: a few tools that reach every dataset. */
export const mcpEndpoint = endpoint({
  ...mcpEndpointFacts,
  path: MCP_PATH,
  name: "mcp",
  summary: "Model Context Protocol: a few tools that reach every dataset",
  description:
    "Streamable HTTP without sessions, for the revisions 2026-07-28, 2025-11-25 and 2025-06-18. A call of a tool counts as the same call over HTTP. Premium tools spend the credits of the token in Authorization; without one, or refused, the result says so (isError), never the status. Give idempotency_key to repeat a paid call free of charge. No argument and no result holds a token or a memo.",
  example: toolsListExample,
})
