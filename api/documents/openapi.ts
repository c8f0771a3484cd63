import { Result } from "effect"
import { openApiEndpoint } from "../../schemas/endpoints/openapi.ts"
import { buildOpenApi } from "../../schemas/openapi.ts"
import { document } from "../document.ts"

/** The OpenAPI document of this installation's contract. */
export default document({
  endpoint: openApiEndpoint,
  make:
    ({ options }) =>
    () =>
      Result.succeed(buildOpenApi(options)),
})
