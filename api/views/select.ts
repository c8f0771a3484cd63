import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Endpoint, FilteredEndpoint, Selection } from "../../schemas/contract/endpoint-kinds.ts"
import type { Parameters } from "../../schemas/feed.ts"

/** Makes the decoder of accepted parameters from their canonical texts. */
export const makeDecoder = ({
  parameters,
}: Pick<Endpoint, "parameters">): ((texts: Parameters) => Readonly<Record<string, unknown>>) => {
  const decoders = Object.entries(parameters).map(
    ([name, { schema }]) => [name, Schema.decodeUnknownResult(schema)] as const,
  )
  return (texts) =>
    Object.fromEntries(
      decoders.map(([name, decode]) => {
        const text = texts[name]
        // Accepted texts always decode.
        return [name, text === undefined ? undefined : Result.getOrThrow(decode(text))]
      }),
    )
}

/** Selects from a view's data by accepted parameters. */
export type Select = (full: unknown, parameters: Parameters) => Selection

/** No input is withheld. */
export const NOTHING: ReadonlySet<string> = new Set()

/**
 * Makes the selection of a filtered endpoint, without the inputs whose data may not be resold. It throws what the endpoint's
 * `select` throws.
 */
export const makeSelect = (endpoint: FilteredEndpoint, withheld: ReadonlySet<string> = NOTHING): Select => {
  const decode = makeDecoder(endpoint)
  return (full, parameters) => endpoint.select(full, decode(parameters), withheld)
}
