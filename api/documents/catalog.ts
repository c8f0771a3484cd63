import * as Result from "effect/Result"
import { catalogEndpoint } from "../../schemas/endpoints/catalog.ts"
import { buildCatalog } from "../../schemas/printers/catalog.ts"
import { document } from "../document.ts"
import { serviceLinks } from "../http/problems.ts"

/** The catalog of this installation's contract. */
export default document({
  endpoint: catalogEndpoint,
  links: serviceLinks,
  make:
    ({ options }) =>
    () =>
      Result.succeed(buildCatalog(options)),
})
