import { mcpEndpoint } from "../../schemas/endpoints/mcp.ts"
import { mcpAllEndpoint } from "../../schemas/endpoints/mcp-all.ts"
import type { ApiTools } from "../route.ts"
import { resourcesOf } from "./resources.ts"
import { type McpServer, makeMcpServer } from "./server.ts"
import { allTools, datasetsOf, fewTools } from "./toolsets.ts"

/** Makes the MCP servers, by their paths. Their lists are made once. */
export const serversOf = (tools: ApiTools): ReadonlyMap<string, McpServer> => {
  const { options } = tools
  const datasets = datasetsOf(options)
  const resources = resourcesOf(datasets)
  return new Map([
    [mcpEndpoint.path, makeMcpServer({ tools: fewTools(datasets, options), resources }, tools)],
    [mcpAllEndpoint.path, makeMcpServer({ tools: allTools(datasets, options), resources }, tools)],
  ])
}
