import * as Schema from "effect/Schema"
import type { Reading, View } from "../../../processors/view/view.ts"
import { instanceKey, type Parameters } from "../../../schemas/feed.ts"
import type { Json } from "../../../schemas/json.ts"

/** A payload as a view reads it. */
export const reading = <Payload>(payload: Payload, parameters: Parameters = {}, atMs = 0): Reading<Payload> => ({
  parameters,
  payload,
  observedAt: new Date(atMs).toISOString(),
  watchedSince: new Date(atMs).toISOString(),
  contentAt: null,
})

/** The inputs of a view. `readingOf` gives the reading of a feed's instance, if any. */
export const inputsOf = (
  view: View,
  parameters: Parameters,
  readingOf: (feed: string, instance: Parameters) => Reading<unknown> | undefined,
  remembered: Readonly<Record<string, Json>> = {},
) =>
  Object.fromEntries(
    Object.entries(view.reads).map(([name, input]) => [
      name,
      input.value(
        input
          .instances(parameters)
          .map((instance) => ({ parameters: instance, reading: readingOf(input.feed.name, instance) ?? null })),
        remembered[name],
      ),
    ]),
  )

/** The data that a view builds from readings, checked against its endpoint's schema. */
export const shown = (
  view: View,
  readings: ReadonlyArray<Reading<unknown>>,
  context: {
    readonly nowMs: number
    readonly parameters?: Parameters
    /** The name of the feed that the readings are of, where the view reads others too, which then have none. */
    readonly feed?: string
    /** The content of inputs with a memory, by their names. */
    readonly remembered?: Readonly<Record<string, Json>>
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
  const { data } = view.build(inputs, { parameters, nowMs: context.nowMs })
  return Schema.decodeUnknownSync(view.endpoint.data, { onExcessProperty: "error" })(data)
}
