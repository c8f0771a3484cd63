import type { Parameters } from "../../schemas/feed.ts"
import { memoryKey, type ViewInstance, viewInstance } from "../build-view.ts"
import type { View } from "../view.ts"

/** The views of the fold, by what they read. */
export interface ViewIndex {
  /** Every prepared view at each of its parameter sets. */
  readonly prepared: ReadonlyArray<ViewInstance>
  readonly isPrepared: (viewKey: string) => boolean
  /** The prepared views that read an instance of a feed. */
  readonly readersOf: (feedKey: string) => ReadonlyArray<ViewInstance>
  /** Every memory that is kept, with the instances of a feed that it is over. */
  readonly memories: ReadonlyMap<string, ReadonlyArray<string>>
  readonly onDemand: ReadonlyArray<View>
  readonly isOnDemand: (path: string) => boolean
  /** The views on demand at the very parameters of an observation that read the instance observed. */
  readonly demandedBy: (feed: string, parameters: Parameters, feedKey: string) => ReadonlyArray<ViewInstance>
}

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
  const prepared = views.flatMap((view) => (view.instances ?? []).map((parameters) => viewInstance(view, parameters)))
  const preparedKeys = new Set(prepared.map(({ key }) => key))
  const readers = byEach(prepared, ({ parts }) => parts.flatMap(({ instances }) => instances.map(({ key }) => key)))
  const onDemand = views.filter(({ instances }) => instances === null)
  const onDemandPaths = new Set(onDemand.map(({ endpoint }) => endpoint.path))
  const onDemandByFeed = byEach(onDemand, (view) => Object.values(view.reads).map(({ feed }) => feed.name))
  return {
    prepared,
    isPrepared: (viewKey) => preparedKeys.has(viewKey),
    readersOf: (feedKey) => readers.get(feedKey) ?? [],
    memories: memoriesOf(prepared),
    onDemand,
    isOnDemand: (path) => onDemandPaths.has(path),
    demandedBy: (feed, parameters, feedKey) =>
      (onDemandByFeed.get(feed) ?? []).flatMap((view) => {
        const instance = viewInstance(view, parameters)
        return reads(instance, feedKey) ? [instance] : []
      }),
  }
}
