import * as Result from "effect/Result"
import { mcpEndpoint } from "../../schemas/endpoints/mcp.ts"
import { mcpAllEndpoint } from "../../schemas/endpoints/mcp-all.ts"
import { mcpServerCard, mcpWellKnownCard } from "../../schemas/endpoints/mcp-server-card.ts"
import { type ServerCard, serverCardOf } from "../../schemas/printers/mcp-discovery.ts"
import { document, type MakeDocument } from "../routes/document.ts"
import type { ApiTools } from "../routes/route.ts"

const make =
  ({ options: { version } }: ApiTools): MakeDocument<ServerCard> =>
  ({ address }) =>
    Result.succeed(serverCardOf({ address, version, paths: [mcpEndpoint.path, mcpAllEndpoint.path] }))

/** The card of the MCP servers, at its recommended path. */
export const card = document({ endpoint: mcpServerCard, make })

/** The same card, at its well-known path. */
export const wellKnownCard = document({ endpoint: mcpWellKnownCard, make })
