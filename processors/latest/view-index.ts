import { LRUCache } from "lru-cache"
import { type Parameters, parseInstanceKey } from "../../schemas/feed.ts"
import type { State } from "../processor.ts"
import { memoryKey, type ViewInstance, viewInstance } from "../view/build-view.ts"
import { isNamedByObservation } from "../view/demanded-view.ts"
import type { View } from "../view/view.ts"
import { namesUnder, stateKeys } from "./state.ts"

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
