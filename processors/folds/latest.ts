import type { DataOf, Envelope } from "../../schemas/event.ts"
import { clockTicked, feedsDeclared, viewDemanded } from "../../schemas/events/observations.ts"
import { type Feed, instanceKey, parseInstanceKey } from "../../schemas/feed.ts"
import { feeds as everyFeed } from "../../schemas/registry.ts"
import { onPoll } from "../latest/on-poll.ts"
import { type Draft, draft, dropMemory, namesUnder, stateKeys, type ViewState } from "../latest/state.ts"
import { refresh, removeView, restated, type ViewIndex, viewIndex } from "../latest/views.ts"
import { type Processor, processor, type State, type Step, unchanged } from "../processor.ts"
import { views as everyView } from "../registry.ts"
import { isForbidden } from "../view/build-view.ts"
import type { View } from "../view/view.ts"

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
const onDemanded = (index: ViewIndex, state: State, event: Envelope<string, unknown>, nowMs: number): Step => {
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
const dropUnrequested = (to: Draft, state: State, nowMs: number): void => {
  for (const viewKey of namesUnder(state, stateKeys.demanded("")))
    if ((to.get<number>(stateKeys.demanded(viewKey)) ?? 0) <= nowMs - KEPT_MS) drop(to, viewKey)
}

/**
 * Folds `feeds.declared`, which the ingest role logs at its start, perhaps in a new release: every prepared view is built,
 * and views and memories that this release does not have are removed. What
 * was read of an instance whose terms forbid it by now leaves the views.
 */
const onDeclared = (index: ViewIndex, state: State, event: Envelope<string, unknown>, nowMs: number): Step => {
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
const onTick = (index: ViewIndex, state: State, nowMs: number): Step => {
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

/** Messages about memories that begin empty although their feed was observed before: they are new in this release. */
const emptyMemories = ({ memories }: ViewIndex, state: State): ReadonlyArray<string> =>
  [...memories].flatMap(([memory, feedKeys]) =>
    feedKeys.every((key) => state.get(stateKeys.payload(key)) === undefined) ||
    state.get(stateKeys.memory(memory)) !== undefined
      ? []
      : [`the memory ${memory} begins empty`],
  )

/**
 * The fold that keeps the latest of everything: readings of feeds, the views over them, and the changes of items. A view
 * whose function throws keeps its last body, and its freshness says so; the fold itself never fails.
 */
export const makeLatest = (views: ReadonlyArray<View>, feeds: ReadonlyMap<string, Feed>): Processor => {
  const index = viewIndex(views)
  return processor({
    name: "latest",
    numbersChanges: true,
    publishes: views.map(({ endpoint }) => endpoint.path),
    step: (state, event, nowMs) => {
      if (event.type === clockTicked.type) return onTick(index, state, nowMs)
      if (event.type === feedsDeclared.type) return onDeclared(index, state, event, nowMs)
      if (event.type === viewDemanded.type) return onDemanded(index, state, event, nowMs)
      return onPoll(index, feeds, state, event, nowMs)
    },
    restate: (state, viewKey, nowMs) => {
      const instance = index.instanceOf(viewKey)
      return instance === null ? null : restated(draft(state), instance, nowMs)
    },
    missingState: (state) => emptyMemories(index, state),
  })
}

export default makeLatest(everyView, everyFeed)
