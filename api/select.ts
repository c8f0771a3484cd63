import { Result, Schema } from "effect"
import type { Endpoint, FilteredEndpoint, Selection } from "../schemas/endpoint-kinds.ts"
import type { Parameters } from "../schemas/feed.ts"

/** Makes the decoder of parameters that were accepted, from their canonical texts. */
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
        // Texts that were accepted decode.
        return [name, text === undefined ? undefined : Result.getOrThrow(decode(text))]
      }),
    )
}

/** What a filtered endpoint selects of a view's data for accepted parameters. */
export type Select = (full: unknown, parameters: Parameters) => Selection

/** Makes the selection of a filtered endpoint. It throws what the endpoint's own function throws. */
export const makeSelect = (endpoint: FilteredEndpoint): Select => {
  const decode = makeDecoder(endpoint)
  return (full, parameters) => endpoint.select(full, decode(parameters))
}
