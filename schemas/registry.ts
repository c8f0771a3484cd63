import type { Endpoint } from "./contract/endpoint-kinds.ts"
import { historiesOf } from "./contract/item-history.ts"
import { isTagged, loadDirectory } from "./directory.ts"
import { type EventType, makeEventReader } from "./event.ts"
import type { Feed } from "./feed.ts"

const [feedModules, endpointModules, eventModules] = await Promise.all([
  loadDirectory(new URL("feeds/", import.meta.url)),
  loadDirectory(new URL("endpoints/", import.meta.url)),
  loadDirectory(new URL("events/", import.meta.url)),
])

/** Every feed, by its name. */
export const feeds: ReadonlyMap<string, Feed> = new Map(
  feedModules.flatMap(({ exports }) => exports.filter(isTagged<Feed>("Feed"))).map((feed) => [feed.name, feed]),
)

/** Every endpoint, and the history of each that states changes, in the order of their paths. */
export const endpoints: ReadonlyArray<Endpoint> = [...feedModules, ...endpointModules]
  .flatMap(({ exports }) => exports.filter(isTagged<Endpoint>("Endpoint")))
  .flatMap((endpoint) => [endpoint, ...historiesOf(endpoint)])
  .sort((a, b) => (a.path < b.path ? -1 : 1))

/** Every type of event that the log may hold. */
export const eventTypes: ReadonlyArray<EventType> = eventModules.flatMap(({ exports }) =>
  exports.filter(isTagged<EventType>("EventType")),
)

/** Reads any event of the log. */
export const eventReader = makeEventReader(eventTypes)
