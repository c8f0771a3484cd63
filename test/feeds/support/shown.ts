import * as Schema from "effect/Schema"
import type { Remembered } from "../../../processors/view/memory.ts"
import type { Reading, View } from "../../../processors/view/view.ts"
import type { FilteredEndpoint } from "../../../schemas/contract/endpoint-kinds.ts"
import { instanceKey, type Parameters } from "../../../schemas/feed.ts"

/** How long a reading is fresh: longer than any test lasts. */
const FRESH_FOR_MS = 365 * 86_400_000

/** A payload as a view reads it, fresh for a year. */
export const reading = <Payload>(payload: Payload, parameters: Parameters = {}, atMs = 0): Reading<Payload> => ({
  parameters,
  payload,
  observedAt: new Date(atMs).toISOString(),
  watchedSince: new Date(atMs).toISOString(),
  freshUntil: new Date(atMs + FRESH_FOR_MS).toISOString(),
  contentAt: null,
})

/** The inputs of a view. `readingOf` gives the reading of a feed's instance, if any. */
export const inputsOf = (
  view: View,
  parameters: Parameters,
  readingOf: (feed: string, instance: Parameters) => Reading<unknown> | undefined,
  remembered: Readonly<Record<string, Remembered>> = {},
) =>
  Object.fromEntries(
    Object.entries(view.reads).map(([name, input]) => [
      name,
      input.value(
        input.instances(parameters).map((instance) => ({
          parameters: instance,
          reading: readingOf(input.feed.name, instance) ?? null,
          rests: null,
        })),
        remembered[name],
      ),
    ]),
  )

/** The decoded parameters of a query, by their own schemas. Throws where a value is refused. */
export const parameterValues = (
  { parameters }: Pick<FilteredEndpoint, "parameters">,
  query: Readonly<Record<string, string>> = {},
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => {
      const text = query[name] ?? parameter.default
      return [name, text === undefined ? undefined : Schema.decodeUnknownSync(parameter.schema)(text)]
    }),
  )

/**
 * The data that a view builds from readings, checked against its endpoint's schema; of a filtered endpoint, what it selects
 * without parameters.
 */
export const shown = (
  view: View,
  readings: ReadonlyArray<Reading<unknown>>,
  context: {
    readonly nowMs: number
    readonly parameters?: Parameters
    /** The name of the feed that the readings are of, where the view reads others too, which then have none. */
    readonly feed?: string
    /** The content of inputs with a memory, by their names. */
    readonly remembered?: Readonly<Record<string, Remembered>>
  },
): unknown => {
  const parameters = context.parameters ?? {}
  const byInstance = new Map(readings.map((one) => [instanceKey("", one.parameters), one]))
  const inputs = inputsOf(
    view,
    parameters,
    (feed, instance) =>
      context.feed === undefined || context.feed === feed ? byInstance.get(instanceKey("", instance)) : undefined,
    context.remembered,
  )
  const { data: built } = view.build(inputs, { parameters, nowMs: context.nowMs })
  const { endpoint } = view
  const data = endpoint.kind === "filtered" ? endpoint.select(built, parameterValues(endpoint), new Set()).data : built
  return Schema.decodeUnknownSync(endpoint.data, { onExcessProperty: "error" })(data)
}
