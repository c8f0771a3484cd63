import { endpoint } from "../contract/endpoint.ts"
import { RegistryServer, registryServerOf } from "../printers/mcp-discovery.ts"

/** What an MCP registry is given of the servers. */
export const mcpServerJson = endpoint({
  path: "/server.json",
  name: "mcp_server_json",
  kind: "document",
  tier: "service",
  // It holds the address under which it was requested.
  ttl: 0,
  parameters: {},
  summary: "The MCP servers as an entry of an MCP registry",
  description:
    "A server.json of the registry's schema, to be published as it is. Its name is the host of this service, reversed.",
  data: RegistryServer,
  example: registryServerOf({ address: "https://tidewire.example", version: "0.1.0", paths: ["/api/mcp"] }),
})
