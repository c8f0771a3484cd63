import * as Result from "effect/Result"
import { closest } from "fastest-levenshtein"
import type { Source } from "../../ingestors/source.ts"
import { feedViews } from "../../processors/registry.ts"
import { partsOf } from "../../processors/view/build-view.ts"
import { type Endpoint, isOfService } from "../../schemas/contract/endpoint-kinds.ts"
import { proFeedReliabilityEndpoint } from "../../schemas/endpoints/pro-feed-reliability.ts"
import { instanceKey, parseInstanceKey } from "../../schemas/feed.ts"
import { endpoints as everyEndpoint } from "../../schemas/registry.ts"

type FeedView = (typeof feedViews)[number]

/** The part of the contract that this installation offers: all but the endpoints that `ENDPOINTS_OFF` names. */
export interface Offering {
  readonly endpoints: ReadonlyArray<Endpoint>
  readonly notOffered: ReadonlyArray<Endpoint>
  /** The views of feeds that the offered endpoints serve. */
  readonly views: ReadonlyArray<FeedView>
  /** Feeds that endpoints read which are off, and no offered one. They are not polled. */
  readonly idleFeeds: ReadonlySet<string>
  /** The same of single instances, by `instanceKey`. */
  readonly idleInstances: ReadonlySet<string>
}

const isNamed = (name: string) => (endpoint: Endpoint) => endpoint.path === name || endpoint.name === name

/**
 * What is wrong with a name, in a sentence; null where it is an endpoint of data. Those of the service itself refer to each
 * other, so that they are always served.
 */
const problemOf = (name: string): string | null => {
  const found = everyEndpoint.find(isNamed(name))
  if (found?.kind === "history") return `${name} goes with its endpoint: name ${found.of.path}`
  if (found !== undefined)
    return isOfService(found)
      ? `${name} belongs to the service itself, which always serves it: only endpoints of data can be off`
      : null
  const data = everyEndpoint.filter((endpoint) => !isOfService(endpoint))
  const nearest = closest(
    name,
    data.flatMap((endpoint) => [endpoint.path, endpoint.name]),
  )
  return `there is no endpoint ${name}; the nearest is ${nearest}`
}

const feedsOf = (views: ReadonlyArray<FeedView>): ReadonlySet<string> =>
  new Set(views.flatMap(({ reads }) => Object.values(reads).map(({ feed }) => feed.name)))

const instancesOf = (views: ReadonlyArray<FeedView>): ReadonlySet<string> =>
  new Set(
    views.flatMap((view) =>
      (view._tag === "View" ? view.instances : [{}]).flatMap((parameters) =>
        partsOf(view, parameters).flatMap(({ instances }) => instances.map(({ key }) => key)),
      ),
    ),
  )

const without = (all: ReadonlySet<string>, taken: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...all].filter((one) => !taken.has(one)))

const WHOLE: Offering = {
  endpoints: everyEndpoint,
  notOffered: [],
  views: feedViews,
  idleFeeds: new Set(),
  idleInstances: new Set(),
}

/** What is offered without the endpoints of these paths or names, or a sentence for each that is wrong. */
export const offeringWithout = (
  names: ReadonlyArray<string>,
): Result.Result<Offering, readonly [string, ...ReadonlyArray<string>]> => {
  const [problem, ...problems] = names.flatMap((name) => problemOf(name) ?? [])
  if (problem !== undefined) return Result.fail([problem, ...problems])
  if (names.length === 0) return Result.succeed(WHOLE)
  const isOff = (endpoint: Endpoint) =>
    names.some((name) => isNamed(name)(endpoint.kind === "history" ? endpoint.of : endpoint))
  const views = feedViews.filter(({ endpoint }) => !isOff(endpoint))
  const viewsOff = feedViews.filter(({ endpoint }) => isOff(endpoint))
  return Result.succeed({
    endpoints: everyEndpoint.filter((endpoint) => !isOff(endpoint)),
    notOffered: everyEndpoint.filter(isOff),
    views,
    idleFeeds: without(feedsOf(viewsOff), feedsOf(views)),
    idleInstances: without(instancesOf(viewsOff), instancesOf(views)),
  })
}

/** Whether an endpoint is made of the history alone, so that an installation without one cannot serve it. */
export const readsHistory = ({ kind }: Endpoint): boolean => kind === "queried" || kind === "history"

/** The endpoints whose views an API holds: the offered ones, and that of the monitor, which the status page shows in any case. */
export const heldEndpoints = (offered: ReadonlyArray<Endpoint>): ReadonlyArray<Endpoint> =>
  offered.includes(proFeedReliabilityEndpoint) ? offered : [...offered, proFeedReliabilityEndpoint]

/** What a process with these settings offers. The start has refused wrong names. */
export const offeringOf = ({ endpointsOff }: { readonly endpointsOff: ReadonlyArray<string> | null }): Offering =>
  Result.getOrThrow(offeringWithout(endpointsOff ?? []))

/** The sources with the instances that are polled for an offering. */
export const sourcesFor = (
  { idleFeeds, idleInstances }: Pick<Offering, "idleFeeds" | "idleInstances">,
  sources: ReadonlyArray<Source>,
): ReadonlyArray<Source> =>
  idleInstances.size === 0 && idleFeeds.size === 0
    ? sources
    : sources
        .filter(({ fills }) => !idleFeeds.has(fills.name))
        .map((source) => ({
          ...source,
          instances: source.instances.filter(
            (parameters) => !idleInstances.has(instanceKey(source.fills.name, parameters)),
          ),
        }))

/** The log line about what is off: the endpoints, the feeds that are not polled, and how many instances of other feeds. */
export const notOfferedText = ({ notOffered, idleFeeds, idleInstances }: Offering): string => {
  const ofOthers = [...idleInstances].map((key) => parseInstanceKey(key).name).filter((feed) => !idleFeeds.has(feed))
  const counts = [...Map.groupBy(ofOthers, (feed) => feed)].map(([feed, all]) => `${all.length} instances of ${feed}`)
  const idle = [...[...idleFeeds].sort(), ...counts]
  const paths = notOffered.flatMap(({ kind, path }) => (kind === "history" ? [] : [path])).join(", ")
  return `not_offered, as ENDPOINTS_OFF says: ${paths}; not polled for it: ${idle.length === 0 ? "nothing, as other endpoints read the same feeds" : idle.join(", ")}`
}
