import type { DataOf, Envelope } from "../../schemas/event.ts"
import type { viewDemanded } from "../../schemas/events/observations.ts"
import { instanceKey, parseInstanceKey } from "../../schemas/feed.ts"
import { type State, type Step, unchanged } from "../processor.ts"
import { refresh, removeView } from "./refresh.ts"
import { type Draft, draft, namesUnder, stateKeys } from "./state.ts"
import type { ViewIndex } from "./view-index.ts"

/**
 * Views of one endpoint that are kept by request: each observation of an instance that all of them read builds all of them.
 * Beyond it the one that was requested longest ago is removed, until `view.demanded` is logged for it again.
 */
export const DEMANDED_VIEWS_MAX = 100
/** How long a view is kept after it was last requested. */
const KEPT_MS = 24 * 60 * 60_000

/** Removes a view that was kept by request. */
const drop = (to: Draft, viewKey: string): void => {
  to.set(stateKeys.demanded(viewKey), null)
  removeView(to, viewKey)
}

const makeRoom = (to: Draft, state: State, path: string): void => {
  const kept = namesUnder(state, stateKeys.demanded("")).filter((key) => parseInstanceKey(key).name === path)
  if (kept.length < DEMANDED_VIEWS_MAX) return
  const requestedMs = (key: string): number => to.get<number>(stateKeys.demanded(key)) ?? 0
  const oldest = kept.reduce((least, key) => (requestedMs(key) < requestedMs(least) ? key : least))
  drop(to, oldest)
}

/** Folds `view.demanded`: the view is kept from now on, and built from the observations so far. */
export const onDemanded = (index: ViewIndex, state: State, event: Envelope<string, unknown>, nowMs: number): Step => {
  const { path, parameters } = event.data as DataOf<typeof viewDemanded>
  const viewKey = instanceKey(path, parameters)
  const to = draft(state)
  try {
    const instance = index.demanded(viewKey)
    if (instance === null) return unchanged
    if (to.get(stateKeys.demanded(viewKey)) === undefined) makeRoom(to, state, path)
    to.set(stateKeys.demanded(viewKey), nowMs)
    refresh(to, instance, { rebuild: true, publishFreshness: true, nowMs })
  } catch (cause) {
    to.problems.push({ subject: viewKey, problem: `instances: ${String(cause)}` })
  }
  return to.done()
}

/** Removes the views that were last requested a day ago or longer. */
export const dropUnrequested = (to: Draft, state: State, nowMs: number): void => {
  for (const viewKey of namesUnder(state, stateKeys.demanded("")))
    if ((to.get<number>(stateKeys.demanded(viewKey)) ?? 0) <= nowMs - KEPT_MS) drop(to, viewKey)
}
