import type { Endpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { briefingEndpoint } from "../../schemas/endpoints/briefing.ts"
import { mcpEndpoint } from "../../schemas/endpoints/mcp.ts"
import { mcpAllEndpoint } from "../../schemas/endpoints/mcp-all.ts"
import { proAgentContextEndpoint } from "../../schemas/endpoints/pro-agent-context.ts"
import { proWorldDeltasEndpoint } from "../../schemas/endpoints/pro-world-deltas.ts"
import { bitcoinPriceEndpoint } from "../../schemas/feeds/btc-price.ts"
import { earthquakeEndpoint } from "../../schemas/feeds/earthquakes.ts"
import { weatherEndpoint } from "../../schemas/feeds/weather.ts"
import { toolsOf } from "../../schemas/printers/tools.ts"
import type { ApiOptions, ApiTools } from "../routes/route.ts"
import { accountTools } from "./account-tools.ts"
import { changesTools } from "./changes-tool.ts"
import { type Dataset, dataTool } from "./data-tool.ts"
import { datasetTools } from "./dataset-tools.ts"
import { historyTools } from "./history-tool.ts"
import { type McpServer, makeMcpServer, resourcesOf } from "./server.ts"
import type { McpTool } from "./tool.ts"

/** The datasets that have a tool of their own in the small server, by its name, in the order of the list. */
const chosen: ReadonlyArray<readonly [string, Pick<Endpoint, "path">]> = [
  ["briefing", briefingEndpoint],
  ["agent_context", proAgentContextEndpoint],
  ["world_deltas", proWorldDeltasEndpoint],
  ["earthquake", earthquakeEndpoint],
  ["weather", weatherEndpoint],
  ["btc_price", bitcoinPriceEndpoint],
]

/** The datasets of a contract: its endpoints of data. */
const datasetsOf = ({
  endpoints,
  modelsClosed,
}: Pick<ApiOptions, "endpoints" | "modelsClosed">): ReadonlyArray<Dataset> => {
  const byPath = new Map(toolsOf(endpoints).map((tool) => [tool.path, tool]))
  return endpoints.flatMap((endpoint) => {
    const tool = byPath.get(endpoint.path)
    return tool === undefined ? [] : [{ endpoint, tool, closed: modelsClosed?.get(endpoint.path) ?? new Set() }]
  })
}

/** The tools of the small server: chosen datasets, the search over all of them, what is new and what was, and the account. */
const fewTools = (datasets: ReadonlyArray<Dataset>, options: ApiOptions): ReadonlyArray<McpTool> => [
  ...chosen.flatMap(([name, { path }]) =>
    datasets.filter(({ tool }) => tool.path === path).map((dataset) => dataTool(dataset, name)),
  ),
  ...datasetTools(datasets, options),
  ...changesTools(options),
  ...historyTools(options),
  ...accountTools(options.endpoints),
]

/** The tools of the large server: one for each dataset, what is new and what was, and the account. */
const allTools = (datasets: ReadonlyArray<Dataset>, options: ApiOptions): ReadonlyArray<McpTool> => [
  ...datasets.map((dataset) => dataTool(dataset, dataset.endpoint.name)),
  ...changesTools(options),
  ...historyTools(options),
  ...accountTools(options.endpoints),
]

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
