import { endpoint } from "../contract/endpoint.ts"
import { AI_CATALOG_TYPE } from "../contract/mcp.ts"
import { AiCatalog, aiCatalogOf } from "../printers/mcp-discovery.ts"
import { mcpServerCard } from "./mcp-server-card.ts"

/** The AI catalog, which links to the card of the MCP servers. */
export const aiCatalogEndpoint = endpoint({
  path: "/.well-known/ai-catalog.json",
  name: "ai_catalog",
  kind: "document",
  tier: "service",
  // It holds the address under which it was requested.
  ttl: 0,
  mediaTypes: [AI_CATALOG_TYPE],
  summary: "What AI clients can connect to: the MCP servers, by their card",
  description: "An AI catalog, version 1.0.",
  parameters: {},
  data: AiCatalog,
  example: aiCatalogOf({ address: "https://tidewire.example", cardPath: mcpServerCard.path }),
})
