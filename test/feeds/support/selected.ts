import * as Schema from "effect/Schema"
import type { Reading, View } from "../../../processors/view/view.ts"
import type { FilteredEndpoint } from "../../../schemas/contract/endpoint-kinds.ts"
import { inputsOf, parameterValues } from "./shown.ts"

/**
 * What a filtered endpoint replies to a query over a reading: parameters are decoded by their own schemas, and the data is
 * checked against the endpoint's. Throws where a value is refused.
 */
export const selected = <Data>(
  endpoint: FilteredEndpoint & { readonly data: Schema.Codec<Data, unknown> },
  view: View,
  reading: Reading<unknown>,
  query: Readonly<Record<string, string>>,
  nowMs: number,
): Data => {
  const { data: full } = view.build(
    inputsOf(view, {}, () => reading),
    { parameters: {}, nowMs },
  )
  const { data } = endpoint.select(full, parameterValues(endpoint, query), new Set())
  return Schema.decodeUnknownSync(endpoint.data, { onExcessProperty: "error" })(data)
}
