import * as Result from "effect/Result"
import { dcatEndpoint } from "../../schemas/endpoints/dcat.ts"
import { openApiEndpoint } from "../../schemas/endpoints/openapi.ts"
import { dcatCatalogue } from "../../schemas/printers/datasets.ts"
import { isData } from "../../schemas/printers/tools.ts"
import { document } from "../routes/document.ts"

/** The DCAT catalogue of this installation, made at its first request, as few callers read it. */
export default document({
  endpoint: dcatEndpoint,
  atStart: false,
  make:
    ({ options }) =>
    () =>
      Result.succeed(
        dcatCatalogue({
          endpoints: options.endpoints.filter(isData),
          address: options.baseUrl ?? "",
          paths: { self: dcatEndpoint.path, openApi: openApiEndpoint.path },
          upstreamsOf: (path) => options.provenance?.(path).upstreams ?? [],
        }),
      ),
})
