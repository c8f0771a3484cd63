import { isDeepStrictEqual } from "node:util"
import type { Source } from "../../../ingestors/source.ts"
import type { View } from "../../../processors/view/view.ts"
import { type Feed, instanceKey, type Parameters } from "../../../schemas/feed.ts"
import type { SimulatedUpstream } from "../../world/upstream.ts"
import { reading, shown } from "./shown.ts"
import { observed } from "./world.ts"

/** A payload of an instance of the feed. */
export interface InstancePayload {
  readonly parameters: Parameters
  readonly payload: unknown
}

/** The payload of each instance in the world at an instant. */
export const readingsAt = (
  source: Source,
  world: SimulatedUpstream,
  instances: ReadonlyArray<Parameters>,
  atMs: number,
): Promise<ReadonlyArray<InstancePayload>> =>
  Promise.all(
    instances.map(async (parameters) => ({
      parameters,
      payload: (await observed(source, world, atMs, parameters)).payload,
    })),
  )

/** The parameters for which a view of the feed has data: the prepared ones, and, where it is on demand, those of the instances. */
const shownFor = (view: View, feed: Feed, payloads: ReadonlyArray<InstancePayload>): ReadonlyArray<Parameters> => {
  const present = new Set(payloads.map(({ parameters }) => instanceKey(feed.name, parameters)))
  const own = Object.values(view.reads).filter((input) => input.feed.name === feed.name)
  const requested = view.onDemand ? payloads.map(({ parameters }) => parameters) : []
  return [...view.instances, ...requested].filter((parameters) =>
    own.some((input) => input.instances(parameters).some((one) => present.has(instanceKey(feed.name, one)))),
  )
}

/** The data of the views of one feed's payloads, each checked against its schema. Throws where a view is not a pure function. */
export const viewsShown = (
  views: ReadonlyArray<View>,
  feed: Feed,
  payloads: ReadonlyArray<InstancePayload>,
  nowMs: number,
): ReadonlyArray<unknown> => {
  const readings = payloads.map(({ parameters, payload }) => reading(payload, parameters, nowMs))
  return views.flatMap((view) =>
    shownFor(view, feed, payloads).map((parameters) => {
      const data = shown(view, readings, { nowMs, parameters, feed: feed.name })
      // Rows may be kept by item: equal items that are other objects must show the same.
      const again = shown(view, structuredClone(readings), { nowMs, parameters, feed: feed.name })
      if (!isDeepStrictEqual(again, data)) throw new Error(`${view.endpoint.path} shows equal payloads differently`)
      return data
    }),
  )
}
