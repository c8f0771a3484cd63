import { type Envelope, instant } from "../../schemas/event.ts"
import { instanceKey, type Parameters } from "../../schemas/feed.ts"
import type { Json } from "../../schemas/json.ts"
import type { DemandedView } from "../../schemas/ports/demand.ts"
import { afterPoll, type FeedState, payloadOf, pollDataOf } from "../feed-state.ts"
import {
  buildData,
  dataPeriodOf,
  freshnessOf,
  NO_DATA_PERIOD,
  type Readings,
  type ViewInstance,
  viewInstance,
} from "./build-view.ts"
import type { View } from "./view.ts"

/** An instance of a feed that a view reads. */
export interface InstanceRead {
  readonly feed: string
  readonly parameters: Parameters
}

/** The instances that a view reads, each once. */
export const readsOf = ({ parts }: ViewInstance): ReadonlyArray<InstanceRead> => [
  ...new Map(
    parts.flatMap(({ input, instances }) =>
      instances.map(({ key, parameters }): [string, InstanceRead] => [key, { feed: input.feed.name, parameters }]),
    ),
  ).values(),
]

/**
 * Whether an observation identifies the view: the view reads one instance, under the view's own parameters. The request of
 * any other view is logged as `view.demanded`.
 */
export const isNamedByObservation = (instance: ViewInstance): boolean => {
  const [first, ...others] = readsOf(instance)
  return (
    first !== undefined &&
    others.length === 0 &&
    instanceKey("", first.parameters) === instanceKey("", instance.parameters)
  )
}

/**
 * Builds a view from observations that are not in the log yet, at most one of each instance. It uses the code of the fold,
 * so the bytes equal those that the fold will commit for instances that it has not seen before.
 */
export const buildDemanded = (
  view: View,
  parameters: Parameters,
  observations: ReadonlyArray<Envelope<string, unknown>>,
): DemandedView => {
  const states = new Map<string, FeedState>()
  const payloads = new Map<string, Json>()
  for (const event of observations) {
    const data = pollDataOf(event)
    if (data === null) continue
    const key = instanceKey(data.feed, data.parameters)
    const after = payloadOf(event)
    states.set(key, afterPoll(undefined, data, event.time))
    if (after._tag === "Brought") payloads.set(key, after.payload)
  }
  const readings: Readings = {
    feed: (key) => states.get(key),
    payload: (key) => payloads.get(key),
    declared: () => undefined,
    remembered: () => undefined,
  }
  const instance = viewInstance(view, parameters)
  const built = buildData(instance, readings, Math.max(0, ...observations.map(({ time }) => Date.parse(time))))
  const period = built._tag === "Built" ? dataPeriodOf(instance, readings) : NO_DATA_PERIOD
  return {
    body: built._tag === "Built" ? { v: 2, changedAt: instant(built.newestMs), data: built.data } : null,
    freshness: freshnessOf(instance, readings, period, built._tag === "Failed"),
  }
}
