import { instanceKey, parseInstanceKey } from "../../schemas/feed.ts"
import type { State, Step } from "../processor.ts"
import { dropUnrequested } from "./on-demanded.ts"
import { refresh, removeView } from "./refresh.ts"
import { type Draft, draft, namesUnder, stateKeys, type ViewState } from "./state.ts"
import type { ViewIndex } from "./view-index.ts"

/** How long an instance that is not polled on schedule is kept after its last poll. */
const UNUSED_MS = 24 * 60 * 60_000
/** How often unused instances are looked for, in milliseconds of event time. */
const SWEEP_EVERY_MS = 10 * 60_000

/** Removes an instance that is neither polled on schedule nor read by a prepared view, a day after its last poll. */
const dropUnused = (index: ViewIndex, to: Draft, key: string, nowMs: number): void => {
  const last = to.readings.feed(key)?.attempts[0]
  if (index.readersOf(key).length > 0 || to.readings.declared(key) !== undefined) return
  if (last !== undefined && Date.parse(last.at) > nowMs - UNUSED_MS) return
  to.set(stateKeys.feed(key), null)
  if (to.readings.payload(key) !== undefined) to.set(stateKeys.payload(key), null)
  const { name, parameters } = parseInstanceKey(key)
  for (const { endpoint } of index.onDemand) {
    const viewKey = instanceKey(endpoint.path, parameters)
    if (
      to.get(stateKeys.view(viewKey)) !== undefined &&
      index.demandedBy(name, parameters, key).some((one) => one.key === viewKey)
    )
      removeView(to, viewKey)
  }
}

/** Folds a tick: builds the views whose data changes with time by now, and, once per sweep, removes what is unused. */
export const onTick = (index: ViewIndex, state: State, nowMs: number): Step => {
  const to = draft(state)
  for (const instance of index.prepared) {
    const changesAtMs = to.get<ViewState>(stateKeys.view(instance.key))?.changesAtMs ?? null
    if (changesAtMs !== null && changesAtMs <= nowMs)
      refresh(to, instance, { rebuild: true, publishFreshness: false, nowMs })
  }
  const sweep = Math.floor(nowMs / SWEEP_EVERY_MS)
  if (to.get<number>(stateKeys.swept) !== sweep) {
    to.set(stateKeys.swept, sweep)
    for (const key of namesUnder(state, stateKeys.feed(""))) dropUnused(index, to, key, nowMs)
    dropUnrequested(to, state, nowMs)
  }
  return to.done()
}
