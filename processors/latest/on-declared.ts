import type { DataOf, Envelope } from "../../schemas/event.ts"
import type { feedsDeclared } from "../../schemas/events/observations.ts"
import { instanceKey, parseInstanceKey } from "../../schemas/feed.ts"
import type { State, Step } from "../processor.ts"
import { isForbidden } from "../view/build-view.ts"
import { dropMemory } from "./memories.ts"
import { refresh, removeView } from "./refresh.ts"
import { draft, namesUnder, stateKeys } from "./state.ts"
import type { ViewIndex } from "./view-index.ts"

/**
 * Folds `feeds.declared`, which the ingest role logs at its start, perhaps in a new release: every prepared view is built,
 * and views and memories that this release does not have are removed. What
 * was read of an instance whose terms forbid it by now leaves the views.
 */
export const onDeclared = (index: ViewIndex, state: State, event: Envelope<string, unknown>, nowMs: number): Step => {
  const to = draft(state)
  const { feeds } = event.data as DataOf<typeof feedsDeclared>
  to.set(
    stateKeys.declared,
    Object.fromEntries(
      feeds.map(({ feed, parameters, provider, rests }) => [instanceKey(feed, parameters), { provider, rests }]),
    ),
  )
  for (const memory of namesUnder(state, stateKeys.memory(""))) if (!index.memories.has(memory)) dropMemory(to, memory)
  for (const instance of index.prepared) {
    const forgets = instance.parts.some(({ instances }) =>
      instances.some(({ key }) => isForbidden(to.readings.declared(key))),
    )
    refresh(to, instance, { rebuild: true, publishFreshness: true, forgets, nowMs })
  }
  for (const viewKey of namesUnder(state, stateKeys.demanded("")))
    if (!index.isOnDemand(parseInstanceKey(viewKey).name)) to.set(stateKeys.demanded(viewKey), null)
  for (const viewKey of namesUnder(state, stateKeys.view("")))
    if (!index.isPrepared(viewKey) && !index.isOnDemand(parseInstanceKey(viewKey).name)) removeView(to, viewKey)
  return to.done()
}
