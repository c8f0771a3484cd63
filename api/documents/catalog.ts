import * as Result from "effect/Result"
import { catalogEndpoint } from "../../schemas/endpoints/catalog.ts"
import { buildCatalog } from "../../schemas/printers/catalog.ts"
import { serviceLinks } from "../http/problems.ts"
import { document } from "../routes/document.ts"

/** The catalog of this installation's contract. */
export default document({
  endpoint: catalogEndpoint,
  links: serviceLinks,
  make:
    ({ options }) =>
    () =>
      Result.succeed(buildCatalog(options)),
})
