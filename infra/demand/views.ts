import * as Effect from "effect/Effect"
import { views } from "../../processors/registry.ts"
import { viewInstance } from "../../processors/view/build-view.ts"
import { buildDemanded, isNamedByObservation, readsOf } from "../../processors/view/demanded-view.ts"
import { type Demand, type DemandedView, DemandFailed } from "../../schemas/ports/demand.ts"
import type { Observe } from "./observe.ts"

const UNKNOWN_RETRY_SECONDS = 60

/**
 * Builds views on demand: the ingest role observes what a view reads, and this process builds the view of it as the fold
 * does. A view that stands ready is not observed.
 */
export const makeDemand = (observe: Observe): Demand => ({
  observe: Effect.fnUntraced(function* (path, parameters): Effect.fn.Return<DemandedView, DemandFailed> {
    const view = views.find(({ endpoint, onDemand }) => endpoint.path === path && onDemand)
    const instance = view === undefined ? null : viewInstance(view, parameters)
    const [first, ...others] = instance?.onDemand ? readsOf(instance) : []
    if (view === undefined || instance === null || first === undefined)
      return yield* new DemandFailed({ reason: "unavailable", retryAfterSeconds: UNKNOWN_RETRY_SECONDS })
    const observations = yield* observe(
      isNamedByObservation(instance) ? first : { path, parameters, reads: [first, ...others] },
    )
    return buildDemanded(view, parameters, observations)
  }),
})
