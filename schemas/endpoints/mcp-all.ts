import { endpoint } from "../contract/endpoint.ts"
import { mcpEndpointFacts, toolsListExample } from "../contract/mcp.ts"

/** The large MCP server: a tool for each endpoint of data. */
export const mcpAllEndpoint = endpoint({
  ...mcpEndpointFacts,
  path: "/api/mcp/all",
  name: "mcp_all",
  summary: "Model Context Protocol: one tool for each endpoint of data",
  description:
    "As /api/mcp, with a tool for each endpoint of data instead of the search. Most clients work better with the small server, as many tools fill the context of a model.",
  example: toolsListExample,
})
