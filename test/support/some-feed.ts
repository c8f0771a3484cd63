import { tables, views } from "../../processors/registry.ts"
import type { View } from "../../processors/view/view.ts"
import { isOfService, isView, type ViewEndpoint } from "../../schemas/contract/endpoint-kinds.ts"
import { itemAppeared } from "../../schemas/events/deltas.ts"
import { type Feed, instanceKey, type Parameters } from "../../schemas/feed.ts"
import { endpoints } from "../../schemas/registry.ts"

// What tests of the whole service read, chosen by its properties: no test names a feed, so that a new one edits none.

const firstOf = <Value>(what: string, values: ReadonlyArray<Value>): Value => {
  const [first] = values
  if (first === undefined) throw new Error(`no feed has ${what}`)
  return first
}

const isFree = ({ endpoint }: View): boolean => endpoint.tier === "free" && endpoint.envelope === "data"
const pathOf = ({ endpoint, instances }: View): string => instanceKey(endpoint.path, instances[0] ?? {})

/** The first instance of every free view that stands ready. */
export const preparedPaths: ReadonlyArray<string> = views
  .filter((view) => isFree(view) && view.instances.length > 0 && Object.keys(view.reads).length > 0)
  .map(pathOf)

/** `ENDPOINTS_OFF` for a service that offers only these endpoints of data, by paths with or without a query. */
export const allEndpointsBut = (offered: ReadonlyArray<string>): string => {
  const paths = new Set(offered.map((path) => path.split("?")[0]))
  return endpoints
    .filter((endpoint) => !isOfService(endpoint) && !paths.has(endpoint.path))
    .map(({ path }) => path)
    .join(",")
}

/** The views that premium calls are served from: the names of their endpoints, and the paths of their first instances. */
export const premiumViews: ReadonlyArray<{ readonly name: string; readonly path: string }> = views
  .filter(({ endpoint, instances }) => endpoint.tier === "premium" && instances.length > 0)
  .map((view) => ({ name: view.endpoint.name, path: pathOf(view) }))

/** A feed, a view that shows it alone, and the path of a reply. */
export interface FeedAtHand {
  readonly feed: Feed
  readonly view: View
  readonly path: string
}

/** Feeds that one view without parameters shows alone, with an instance that is polled on schedule. */
export const singleFeeds: ReadonlyArray<FeedAtHand> = views.flatMap((view) => {
  const [input, ...others] = Object.values(view.reads)
  const isAlone = input !== undefined && others.length === 0 && input.required && input.instances({}).length === 1
  return isFree(view) && view.instances.length === 1 && isAlone ? [{ feed: input.feed, view, path: pathOf(view) }] : []
})

/** A list feed: for tests that need some data, whatever it is. */
export const someFeed: FeedAtHand = firstOf(
  "a list",
  singleFeeds.filter(({ feed }) => feed.list !== null),
)

/** How old the content of the one instance that such a view shows may be, in milliseconds; 0 where it has no time. */
const contentAgeMaxMs = ({ feed, view }: FeedAtHand): number => {
  const [parameters = {}] = Object.values(view.reads)[0]?.instances({}) ?? []
  return feed.contentAgeMaxMs(parameters) ?? 0
}

/** The feed whose content changes most seldom: for tests that compare replies of several processes. */
export const slowFeed: FeedAtHand = firstOf(
  "content of a known age",
  singleFeeds.toSorted((one, other) => contentAgeMaxMs(other) - contentAgeMaxMs(one)),
)

const onDemand = firstOf(
  "a view on demand",
  views.filter((view) => isFree(view) && view.onDemand),
)

/** The path of a reply that is fetched on demand, for the examples of its parameters unless values are given. */
export const onDemandPath = (values: ReadonlyArray<string> = []): string => {
  const parameters: Parameters = Object.fromEntries(
    Object.entries(onDemand.endpoint.parameters).map(([name, { example }], at) => [name, values[at] ?? example]),
  )
  return instanceKey(onDemand.endpoint.path, parameters)
}

/** A free endpoint that is served without a body: of a view, at its defaults and the examples of what has none. */
export interface FreeReply {
  readonly endpoint: ViewEndpoint
  readonly path: string
  /** The feeds that it reads; none where it is a fold of something else. */
  readonly feeds: ReadonlyArray<Feed>
}

const parametersAtHand = ({ parameters }: ViewEndpoint): Parameters =>
  Object.fromEntries(
    Object.entries(parameters).flatMap(([name, { default: given, optional, example }]) =>
      given === undefined && optional !== true ? [[name, example]] : [],
    ),
  )

/** Every free endpoint of a view or a fold, with a path that it answers. */
export const freeReplies: ReadonlyArray<FreeReply> = endpoints
  .filter(isView)
  .filter(({ tier }) => tier === "free")
  .map((endpoint) => ({
    endpoint,
    path: instanceKey(endpoint.path, parametersAtHand(endpoint)),
    feeds: views
      .filter((view) => view.endpoint.path === endpoint.path)
      .flatMap(({ reads }) => Object.values(reads).map(({ feed }) => feed)),
  }))

/** The tables that hold changes of items of a feed. */
export const itemTables: ReadonlyArray<string> = tables
  .filter(({ types }) => types.some(({ type }) => type === itemAppeared.type))
  .map(({ name }) => name)
