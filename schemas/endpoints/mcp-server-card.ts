import { endpoint } from "../contract/endpoint.ts"
import { SERVER_CARD_TYPE } from "../contract/mcp.ts"
import { ServerCard, serverCardOf } from "../printers/mcp-discovery.ts"

const facts = {
  kind: "document",
  tier: "service",
  // It holds the address under which it was requested.
  ttl: 0,
  mediaTypes: [SERVER_CARD_TYPE],
  parameters: {},
  data: ServerCard,
  example: serverCardOf({ address: "https://tidewire.example", version: "0.1.0", paths: ["/api/mcp"] }),
} as const

/** The server card, where the protocol recommends it. */
export const mcpServerCard = endpoint({
  ...facts,
  path: "/api/mcp/server-card",
  name: "mcp_server_card",
  summary: "Card of the MCP servers: where they are and which revisions they serve",
  description: "A server card of SEP-2127. The tools are listed by the servers themselves (tools/list).",
})

/** The same card, where scanners look for it. */
export const mcpWellKnownCard = endpoint({
  ...facts,
  path: "/.well-known/mcp/server-card.json",
  name: "mcp_well_known_card",
  summary: "Card of the MCP servers, at its well-known path",
  description: "The same as /api/mcp/server-card.",
})
