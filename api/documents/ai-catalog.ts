import * as Result from "effect/Result"
import { aiCatalogEndpoint } from "../../schemas/endpoints/ai-catalog.ts"
import { mcpServerCard } from "../../schemas/endpoints/mcp-server-card.ts"
import { aiCatalogOf } from "../../schemas/printers/mcp-discovery.ts"
import { document } from "../routes/document.ts"

/** The AI catalog of this host. */
export default document({
  endpoint: aiCatalogEndpoint,
  make:
    () =>
    ({ address }) =>
      Result.succeed(aiCatalogOf({ address, cardPath: mcpServerCard.path })),
})
