import { LRUCache } from "lru-cache"
import { instant } from "../../schemas/event.ts"
import { type Parameters, parseInstanceKey } from "../../schemas/feed.ts"
import { VIEW_BODY_VERSION } from "../../schemas/view-record.ts"
import type { State, ViewChange } from "../processor.ts"
import {
  type BuildResult,
  buildData,
  type DataPeriod,
  dataPeriodOf,
  followsClock,
  freshnessOf,
  memoryKey,
  NO_DATA_PERIOD,
  type Readings,
  type ViewInstance,
  viewInstance,
} from "../view/build-view.ts"
import { isNamedByObservation } from "../view/demanded-view.ts"
import type { View } from "../view/view.ts"
import { type Draft, namesUnder, stateKeys, type ViewState } from "./state.ts"

/** The views of the fold, by what they read. */
export interface ViewIndex {
  /** Every prepared view at each of its parameter sets. */
  readonly prepared: ReadonlyArray<ViewInstance>
  readonly isPrepared: (viewKey: string) => boolean
  /** A view by its key, prepared or on demand; null where this release has none, or its `instances` throws. */
  readonly instanceOf: (viewKey: string) => ViewInstance | null
  /** The prepared views that read an instance of a feed. */
  readonly readersOf: (feedKey: string) => ReadonlyArray<ViewInstance>
  /** Every memory by its key, with the instances of a feed that it covers. */
  readonly memories: ReadonlyMap<string, ReadonlyArray<string>>
  readonly onDemand: ReadonlyArray<View>
  readonly isOnDemand: (path: string) => boolean
  /** A view on demand by its key; null where this release has none, or one that stands ready. Throws what its `instances` throws. */
  readonly demanded: (viewKey: string) => ViewInstance | null
  /** The views on demand that an observation of this instance identifies: those that read it alone, under its parameters. */
  readonly demandedBy: (feed: string, parameters: Parameters, feedKey: string) => ReadonlyArray<ViewInstance>
  /** The views on demand that were requested (`demanded/<view key>`) and read this instance. */
  readonly demandedReaders: (state: State, feed: string, feedKey: string) => ReadonlyArray<ViewInstance>
}

/** Size of the cache of view instances by key: they are needed at each observation. */
const INSTANCES_CACHED_MAX = 2_000

const reads = ({ parts }: ViewInstance, feedKey: string): boolean =>
  parts.some(({ instances }) => instances.some(({ key }) => key === feedKey))

/** Groups by each of the keys that an element has. */
const byEach = <Element>(
  elements: ReadonlyArray<Element>,
  keysOf: (element: Element) => ReadonlyArray<string>,
): ReadonlyMap<string, ReadonlyArray<Element>> => {
  const groups = new Map<string, Array<Element>>()
  for (const element of elements)
    for (const key of new Set(keysOf(element))) {
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [element])
      else group.push(element)
    }
  return groups
}

const memoriesOf = (prepared: ReadonlyArray<ViewInstance>): ViewIndex["memories"] =>
  new Map(
    prepared.flatMap(({ key, parts }) =>
      parts.flatMap(
        ({ name, input, instances }): ReadonlyArray<[string, ReadonlyArray<string>]> =>
          input.memory === null ? [] : [[memoryKey(key, name), instances.map((one) => one.key)]],
      ),
    ),
  )

/** Indexes a set of views. */
export const viewIndex = (views: ReadonlyArray<View>): ViewIndex => {
  const prepared = views.flatMap((view) => view.instances.map((parameters) => viewInstance(view, parameters)))
  const preparedKeys = new Set(prepared.map(({ key }) => key))
  const readers = byEach(prepared, ({ parts }) => parts.flatMap(({ instances }) => instances.map(({ key }) => key)))
  const onDemand = views.filter((view) => view.onDemand)
  const onDemandPaths = new Set(onDemand.map(({ endpoint }) => endpoint.path))
  const onDemandByFeed = byEach(onDemand, (view) => Object.values(view.reads).map(({ feed }) => feed.name))
  const remembered = new LRUCache<string, ViewInstance>({ max: INSTANCES_CACHED_MAX })
  const demanded = (viewKey: string): ViewInstance | null => {
    const known = remembered.get(viewKey)
    if (known !== undefined) return known
    const { name, parameters } = parseInstanceKey(viewKey)
    const view = onDemand.find(({ endpoint }) => endpoint.path === name)
    if (view === undefined) return null
    const instance = viewInstance(view, parameters)
    if (!instance.onDemand) return null
    remembered.set(viewKey, instance)
    return instance
  }
  return {
    prepared,
    isPrepared: (viewKey) => preparedKeys.has(viewKey),
    instanceOf: (viewKey) => {
      try {
        return prepared.find(({ key }) => key === viewKey) ?? demanded(viewKey)
      } catch {
        return null
      }
    },
    readersOf: (feedKey) => readers.get(feedKey) ?? [],
    memories: memoriesOf(prepared),
    onDemand,
    isOnDemand: (path) => onDemandPaths.has(path),
    demandedBy: (feed, parameters, feedKey) =>
      (onDemandByFeed.get(feed) ?? []).flatMap((view) => {
        const instance = viewInstance(view, parameters)
        return instance.onDemand && reads(instance, feedKey) && isNamedByObservation(instance) ? [instance] : []
      }),
    demanded,
    demandedReaders: (state, feed, feedKey) => {
      const paths = new Set((onDemandByFeed.get(feed) ?? []).map(({ endpoint }) => endpoint.path))
      if (paths.size === 0) return []
      return namesUnder(state, stateKeys.demanded("")).flatMap((viewKey) => {
        if (!paths.has(parseInstanceKey(viewKey).name)) return []
        const instance = demanded(viewKey)
        return instance !== null && reads(instance, feedKey) ? [instance] : []
      })
    },
  }
}

/** The kind of refresh that a change of a view's inputs needs. */
export interface Cause {
  /** The data may differ: the view is built. */
  readonly rebuild: boolean
  /** The freshness is published even if its text has not changed. */
  readonly publishFreshness: boolean
  /** What was built before may no longer be served. False unless given. */
  readonly forgets?: boolean
  readonly nowMs: number
}

const dataPeriodIn = (instance: ViewInstance, readings: Readings, state: ViewState | undefined): DataPeriod =>
  state?.failed ?? ((state?.data ?? null) === null ? NO_DATA_PERIOD : dataPeriodOf(instance, readings))

const freshnessIn = (instance: ViewInstance, readings: Readings, state: ViewState | undefined) =>
  freshnessOf(instance, readings, dataPeriodIn(instance, readings, state), (state?.failed ?? null) !== null)

/** A view on demand is dated by its own observations, so that its bytes do not depend on other events. */
const changedAtOf = (
  { onDemand }: ViewInstance,
  { newestMs }: Extract<BuildResult, { readonly _tag: "Built" }>,
  nowMs: number,
): string => instant(onDemand ? newestMs : nowMs)

/** A view that follows the clock and whose function has failed is tried again at every tick. */
const EVERY_TICK = 0

/** The state of a view after a build; `built` is null where none was needed. */
const stateAfter = (
  { before: readingsBefore }: Draft,
  instance: ViewInstance,
  before: ViewState | undefined,
  built: BuildResult | null,
  nowMs: number,
): ViewState => {
  const kept = before ?? { data: null, changedAt: null, failed: null, changesAtMs: null }
  if (built?._tag === "Built") {
    const changedAt = kept.data === built.digest ? kept.changedAt : changedAtOf(instance, built, nowMs)
    return { data: built.digest, changedAt, failed: null, changesAtMs: built.changesAtMs }
  }
  if (built === null) return kept
  if (built._tag === "Missing") return { ...kept, changesAtMs: null }
  return {
    ...kept,
    failed: dataPeriodIn(instance, readingsBefore, before),
    changesAtMs: followsClock(instance.view) && !instance.onDemand ? EVERY_TICK : null,
  }
}

const bodyOf = (
  { changedAt }: ViewState,
  { data }: Extract<BuildResult, { readonly _tag: "Built" }>,
): Pick<ViewChange, "body"> => (changedAt === null ? {} : { body: { v: VIEW_BODY_VERSION, changedAt, data } })

/**
 * The records of a view as they were written last, made of the state. Without its body where that is not the data of now:
 * its function fails, or the view was built at an instant that has passed.
 */
export const restated = (to: Draft, instance: ViewInstance, nowMs: number): ViewChange | null => {
  const state = to.get<ViewState>(stateKeys.view(instance.key))
  if (state === undefined) return null
  const built = state.data === null ? null : buildData(instance, to.readings, nowMs)
  return {
    key: instance.key,
    ...(built?._tag === "Built" && built.digest === state.data ? bodyOf(state, built) : {}),
    freshness: freshnessIn(instance, to.readings, state),
  }
}

/** Brings a view up to date with its inputs. */
export const refresh = (
  to: Draft,
  instance: ViewInstance,
  { rebuild, publishFreshness, forgets = false, nowMs }: Cause,
): void => {
  const stateKey = stateKeys.view(instance.key)
  const before = forgets ? undefined : to.get<ViewState>(stateKey)
  const built = rebuild ? buildData(instance, to.readings, nowMs) : null
  const after = stateAfter(to, instance, before, built, nowMs)
  const hasFailed = after.failed !== null
  const hadFailed = (before?.failed ?? null) !== null
  if (built?._tag === "Failed" && !hadFailed) to.problems.push({ subject: instance.key, problem: built.problem })

  const isNewBody = built?._tag === "Built" && before?.data !== after.data
  const freshness = freshnessIn(instance, to.readings, after)
  const isNewFreshness =
    publishFreshness ||
    before === undefined ||
    JSON.stringify(freshness) !== JSON.stringify(freshnessIn(instance, to.before, before))
  if (before === undefined || isNewBody || hasFailed !== hadFailed || before.changesAtMs !== after.changesAtMs)
    to.set(stateKey, after)
  if (!isNewBody && !isNewFreshness) return
  to.views.push({
    key: instance.key,
    ...(isNewBody ? bodyOf(after, built) : forgets ? { body: null } : {}),
    ...(isNewFreshness ? { freshness } : {}),
  })
}

/** Removes a view with its state. */
export const removeView = (to: Draft, viewKey: string): void => {
  to.set(stateKeys.view(viewKey), null)
  to.views.push({ key: viewKey, body: null, freshness: null })
}
