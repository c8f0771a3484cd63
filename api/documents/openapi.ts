import * as Result from "effect/Result"
import { openApiEndpoint } from "../../schemas/endpoints/openapi.ts"
import { codeSamples } from "../../schemas/printers/code-samples.ts"
import { buildOpenApi } from "../../schemas/printers/openapi.ts"
import { isData } from "../../schemas/printers/tools.ts"
import { LOCAL_ADDRESS } from "../pages/agent-payments.ts"
import { document } from "../routes/document.ts"

/** The OpenAPI document of this installation's contract, with calls to copy for every endpoint of data. */
export default document({
  endpoint: openApiEndpoint,
  make:
    ({ options }) =>
    () => {
      const address = options.baseUrl ?? LOCAL_ADDRESS
      return Result.succeed(
        buildOpenApi({
          endpoints: options.endpoints,
          baseUrl: options.baseUrl,
          keepsHistory: options.keepsHistory ?? true,
          samplesOf: (endpoint) =>
            isData(endpoint) ? codeSamples(endpoint, address).map((sample) => ({ ...sample })) : [],
        }),
      )
    },
})
