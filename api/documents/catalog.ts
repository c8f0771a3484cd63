import * as Result from "effect/Result"
import { buildCatalog } from "../../schemas/contract/catalog.ts"
import { catalogEndpoint } from "../../schemas/endpoints/catalog.ts"
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
