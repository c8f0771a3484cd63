import type { Change, ChangeType } from "../../schemas/change.ts"
import { filtersOf, memberFilters } from "../../schemas/contract/changes.ts"
import { type ChangesFacts, type Endpoint, isView } from "../../schemas/contract/endpoint-kinds.ts"
import type { Parameters } from "../../schemas/feed.ts"
import type { NumberedChange } from "../../schemas/ports/changes.ts"
import type { RefusedParameter } from "../http/parameters.ts"

/** The members of an item that filters read; null where it has none. */
interface Members {
  readonly magnitude: number | null
  readonly latitude: number | null
  readonly longitude: number | null
  /** In capitals. */
  readonly symbol: string | null
}

/** A change as it is sent, made once for all readers. */
export interface ReadyChange {
  readonly ordinal: number
  readonly feed: string
  readonly type: ChangeType
  readonly members: Members
  /** Of the item as it was before; null of an item that has appeared or gone. */
  readonly membersBefore: Members | null
  /** The event of a stream. */
  readonly frame: Buffer
  /** The change as JSON, a part of the frame. */
  readonly json: Buffer
}

/** The feeds whose changes these endpoints state, by their names. */
export const changingFeeds = (endpoints: ReadonlyArray<Endpoint>): ReadonlyMap<string, ChangesFacts> =>
  new Map(
    endpoints.flatMap((endpoint) =>
      isView(endpoint) ? endpoint.changes.map((facts) => [facts.feed.name, facts] as const) : [],
    ),
  )

const NO_MEMBERS: Members = { magnitude: null, latitude: null, longitude: null, symbol: null }

const membersOf = (row: unknown, facts: ChangesFacts | undefined): Members => {
  if (facts === undefined || typeof row !== "object" || row === null) return NO_MEMBERS
  const memberOf = (name: string | undefined): unknown => (name === undefined ? null : Reflect.get(row, name))
  const numberOf = (name: string | undefined): number | null => {
    const value = memberOf(name)
    return typeof value === "number" ? value : null
  }
  const symbol = memberOf(facts.symbol)
  return {
    magnitude: numberOf(facts.magnitude),
    latitude: numberOf(facts.latitude),
    longitude: numberOf(facts.longitude),
    symbol: typeof symbol === "string" ? symbol.toUpperCase() : null,
  }
}

const FRAME_END = Buffer.from("\n\n")

const frameOf = (change: Change): Pick<ReadyChange, "frame" | "json"> => {
  const head = Buffer.from(`event: change\nid: ${change.cursor}\ndata: `)
  // JSON has no line break of its own.
  const frame = Buffer.concat([head, Buffer.from(JSON.stringify(change)), FRAME_END])
  return { frame, json: frame.subarray(head.length, -FRAME_END.length) }
}

/** Makes the function that prepares a change for all readers. */
export const makeReady =
  (feeds: ReadonlyMap<string, ChangesFacts>) =>
  ({ ordinal, change }: NumberedChange): ReadyChange => {
    const { feed, type, item, before } = change
    const facts = feeds.get(feed)
    return {
      ordinal,
      feed,
      type,
      members: membersOf(item, facts),
      membersBefore: before === undefined ? null : membersOf(before, facts),
      ...frameOf(change),
    }
  }

interface Box {
  readonly west: number
  readonly south: number
  readonly east: number
  readonly north: number
}

/** Which changes a reader gets. Null: any. */
export interface ChangeFilter {
  /** Equal for equal filters. */
  readonly key: string
  readonly feeds: ReadonlySet<string> | null
  readonly types: ReadonlySet<string> | null
  readonly magnitudeMin: number | null
  readonly box: Box | null
  readonly symbols: ReadonlySet<string> | null
}

const setOf = (text: string | undefined): ReadonlySet<string> | null =>
  text === undefined ? null : new Set(text.split(","))

const boxOf = (text: string | undefined): Box | null => {
  if (text === undefined) return null
  const [west = 0, south = 0, east = 0, north = 0] = text.split(",").map(Number)
  return { west, south, east, north }
}

const refused = (error: string, parameter: string, message: string, allowed: ReadonlyArray<string>) =>
  ({ _tag: "Refused", error, parameter, message, allowed }) satisfies RefusedParameter

/** The filter that accepted parameters choose, or why there is none: a feed without changes, or a member that no feed has. */
export const filterOf = (
  parameters: Parameters,
  feeds: ReadonlyMap<string, ChangesFacts>,
): ({ readonly _tag: "Filter" } & ChangeFilter) | RefusedParameter => {
  const { feeds: named, types, min_magnitude: magnitude, bbox, symbols } = parameters
  const chosen = setOf(named)
  if (chosen !== null && [...chosen].some((name) => !feeds.has(name)))
    return refused("unknown_feed", "feeds", "A feed that is named has no changes here.", [...feeds.keys()].sort())
  for (const filter of memberFilters) {
    if (parameters[filter] === undefined) continue
    const able = [...feeds].flatMap(([name, facts]) => (filtersOf(facts).includes(filter) ? [name] : []))
    if (!able.some((name) => chosen === null || chosen.has(name)))
      return refused("unknown_filter", filter, "No chosen feed has what this parameter filters by: see allowed.", able)
  }
  return {
    _tag: "Filter",
    key: JSON.stringify([named, types, magnitude, bbox, symbols]),
    feeds: chosen,
    types: setOf(types),
    magnitudeMin: magnitude === undefined ? null : Number(magnitude),
    box: boxOf(bbox),
    symbols: setOf(symbols),
  }
}

const isIn = ({ west, south, east, north }: Box, { latitude, longitude }: Members): boolean => {
  if (latitude === null || longitude === null || latitude < south || latitude > north) return false
  return west <= east ? longitude >= west && longitude <= east : longitude >= west || longitude <= east
}

const isChosen = ({ magnitudeMin, box, symbols }: ChangeFilter, members: Members): boolean =>
  (magnitudeMin === null || (members.magnitude !== null && members.magnitude >= magnitudeMin)) &&
  (box === null || isIn(box, members)) &&
  (symbols === null || (members.symbol !== null && symbols.has(members.symbol)))

/**
 * Whether a reader gets a change. One whose item before was chosen counts too: who keeps the chosen items learns that this
 * one is no longer among them.
 */
export const matches = (filter: ChangeFilter, { feed, type, members, membersBefore }: ReadyChange): boolean =>
  (filter.feeds === null || filter.feeds.has(feed)) &&
  (filter.types === null || filter.types.has(type)) &&
  (isChosen(filter, members) || (membersBefore !== null && isChosen(filter, membersBefore)))
