import { Result, Schema } from "effect"
import type { Reading, View } from "../../../processors/view.ts"
import type { Endpoint, ParameterSet } from "../../../schemas/endpoint.ts"
import { inputsOf } from "../feed-test.ts"

/**
 * What a filtered endpoint replies to a query over readings: parameters are decoded by their own schemas, and the data is
 * checked against the endpoint's. Throws where a value is refused.
 */
export const selected = <P extends ParameterSet, Data, Full>(
  endpoint: Endpoint<P, Data, Full>,
  view: View,
  readings: ReadonlyArray<Reading<unknown>>,
  query: Readonly<Record<string, string>>,
  nowMs: number,
): Data => {
  const values = Object.fromEntries(
    Object.entries(endpoint.parameters).map(([name, parameter]) => {
      const text = query[name] ?? parameter.default
      return [
        name,
        text === undefined ? undefined : Result.getOrThrow(Schema.decodeUnknownResult(parameter.schema)(text)),
      ]
    }),
  )
  const full = view.build(
    inputsOf(view, {}, () => readings[0]),
    { parameters: {}, nowMs },
  )
  if (endpoint.select === null) throw new Error(`${endpoint.path} selects nothing`)
  const { data } = endpoint.select(full as Full, values as never)
  return Schema.decodeUnknownSync(endpoint.data as Schema.Codec<Data, unknown>, { onExcessProperty: "error" })(data)
}
