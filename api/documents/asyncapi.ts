import * as Result from "effect/Result"
import { asyncApiEndpoint } from "../../schemas/endpoints/asyncapi.ts"
import { buildAsyncApi } from "../../schemas/printers/asyncapi.ts"
import { document } from "../routes/document.ts"

/** The AsyncAPI document of this installation's changes. */
export default document({
  endpoint: asyncApiEndpoint,
  make:
    ({ options }) =>
    () =>
      Result.succeed(buildAsyncApi(options)),
})
