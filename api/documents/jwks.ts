import * as Result from "effect/Result"
import { jwksEndpoint } from "../../schemas/endpoints/jwks.ts"
import { keysUnavailable } from "../http/refusals.ts"
import { document } from "../routes/document.ts"

/** The public keys of receipts. Needs no connection to the ledger. */
export default document({
  endpoint: jwksEndpoint,
  make:
    ({ options, terms }) =>
    () =>
      options.billing === null ? Result.fail(keysUnavailable(terms)) : Result.succeed(options.billing.receipts.jwks),
})
