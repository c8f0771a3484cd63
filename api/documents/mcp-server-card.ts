import * as Result from "effect/Result"
import { mcpEndpoint } from "../../schemas/endpoints/mcp.ts"
import { mcpAllEndpoint } from "../../schemas/endpoints/mcp-all.ts"
import { mcpServerCard, mcpWellKnownCard } from "../../schemas/endpoints/mcp-server-card.ts"
import { mcpServerJson } from "../../schemas/endpoints/mcp-server-json.ts"
import { registryServerOf, type ServerCard, serverCardOf } from "../../schemas/printers/mcp-discovery.ts"
import { document, type MakeDocument } from "../routes/document.ts"
import type { ApiTools } from "../routes/route.ts"

const PATHS = [mcpEndpoint.path, mcpAllEndpoint.path]

const make =
  ({ options: { version } }: ApiTools): MakeDocument<ServerCard> =>
  ({ address }) =>
    Result.succeed(serverCardOf({ address, version, paths: PATHS }))

/** The card of the MCP servers, at its recommended path. */
export const card = document({ endpoint: mcpServerCard, make })

/** The same card, at its well-known path. */
export const wellKnownCard = document({ endpoint: mcpWellKnownCard, make })

/** The same servers as an entry of an MCP registry. */
export const registryEntry = document({
  endpoint: mcpServerJson,
  make:
    ({ options: { version } }) =>
    ({ address }) =>
      Result.succeed(registryServerOf({ address, version, paths: PATHS })),
})
