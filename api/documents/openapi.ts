import * as Result from "effect/Result"
import { buildOpenApi } from "../../schemas/contract/openapi.ts"
import { openApiEndpoint } from "../../schemas/endpoints/openapi.ts"
import { document } from "../document.ts"

/** The OpenAPI document of this installation's contract. */
export default document({
  endpoint: openApiEndpoint,
  make:
    ({ options }) =>
    () =>
      Result.succeed(buildOpenApi(options)),
})
