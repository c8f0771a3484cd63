import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { CursorText, changeTypes } from "../change.ts"
import { type ChangesFacts, type Endpoint, isView } from "./endpoint-kinds.ts"
import { decimal, type Parameter, wordList } from "./parameters.ts"
import { Problem } from "./reply.ts"
import { problemResponse, type Responses } from "./responses.ts"

// What the doors to the changes of items have in common: a page of them, and the stream.

/** The longest wait of a page for the next change, in seconds: below the idle time after which proxies cut. */
export const WAIT_MAX_SECONDS = 25

/** Changes of one page, at most, and unless a caller says otherwise. */
export const CHANGES_MAX = 1_000
export const CHANGES_DEFAULT = 100

/** Feeds or symbols that one call may name. */
const NAMES_MAX = 50

/** A comma list of at most `NAMES_MAX` names, each written by `canonical`. */
const nameList = (name: RegExp, canonical: (name: string) => string, message: string) => {
  const parts = (text: string) => text.split(",").map((one) => one.trim())
  const isList = (text: string) => parts(text).length <= NAMES_MAX && parts(text).every((one) => name.test(one))
  return Schema.String.check(Schema.makeFilter((text) => (isList(text) ? undefined : message))).pipe(
    Schema.decodeTo(
      Schema.Array(Schema.String).check(Schema.isMinLength(1), Schema.isMaxLength(NAMES_MAX)).annotate({
        description: message,
      }),
      {
        decode: SchemaGetter.transform((text) => [...new Set(parts(text).map(canonical))]),
        encode: SchemaGetter.transform((list) => list.join(",")),
      },
    ),
  )
}

const FEED = /^[a-z0-9]+(-[a-z0-9]+)*$/
const SYMBOL = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,31}$/
const PLACE = /^(start|now|[a-z2-7]{8}\.\d{12})$/
const LONGITUDE = String.raw`-?((1[0-7]\d|\d{1,2})(\.\d{1,6})?|180(\.0{1,6})?)`
const LATITUDE = String.raw`-?([0-8]?\d(\.\d{1,6})?|90(\.0{1,6})?)`
const BOX = new RegExp(`^${LONGITUDE},${LATITUDE},${LONGITUDE},${LATITUDE}$`)
const MAGNITUDE = { minimum: -100, maximum: 1_000_000, decimals: 3 }

/** West, south, east, north: a box whose west is the greater one crosses the antimeridian. */
const isBox = (text: string): boolean => {
  const [, south = 0, , north = 0] = text.split(",").map(Number)
  return BOX.test(text) && south <= north
}

/** The parameters by which both doors choose changes. Feeds and filters are checked against the endpoints that are served. */
export const changesParameters = {
  after: {
    schema: Schema.String.check(Schema.isPattern(PLACE)),
    text: { pattern: PLACE.source },
    description: "Changes behind this cursor: one that a reply gave, `start` (the oldest that can be read) or `now`",
    errorCode: "invalid_cursor",
    optional: true,
    example: "start",
  },
  feeds: {
    schema: nameList(FEED, (name) => name, "must be a comma list of names of feeds"),
    text: { pattern: FEED.source },
    description: `Changes of these feeds, a comma list of at most ${NAMES_MAX}; of every feed unless given`,
    errorCode: "unknown_feed",
    optional: true,
    // Between them they know every filter below: the examples of all parameters are accepted together.
    example: "earthquakes,coins",
  },
  types: {
    schema: wordList(changeTypes),
    description: "Changes of these types, a comma list; of every type unless given",
    optional: true,
    example: "appeared,changed",
  },
  min_magnitude: {
    schema: decimal(MAGNITUDE),
    description: "Changes of items of at least this magnitude, of feeds whose items have one",
    optional: true,
    example: "4.5",
  },
  bbox: {
    schema: Schema.String.check(
      Schema.makeFilter((text) =>
        isBox(text) ? undefined : "must be west,south,east,north in degrees, the south at most the north",
      ),
    ),
    text: { pattern: BOX.source },
    description:
      "Changes of items within west,south,east,north in degrees, of feeds whose items have a place; a west above the east crosses the antimeridian",
    optional: true,
    example: "-125,32,-114,42",
  },
  symbols: {
    schema: nameList(SYMBOL, (name) => name.toUpperCase(), "must be a comma list of symbols"),
    text: { pattern: SYMBOL.source },
    description: `Changes of items with one of these symbols, a comma list of at most ${NAMES_MAX}, of feeds whose items have one`,
    optional: true,
    example: "BTC,ETH",
  },
} as const satisfies Readonly<Record<string, Parameter>>

/** The parameters that filter by a member of the item. */
export const memberFilters = ["min_magnitude", "bbox", "symbols"] as const
export type MemberFilter = (typeof memberFilters)[number]

/** The filters that changes of a feed know. */
export const filtersOf = ({ magnitude, latitude, longitude, symbol }: ChangesFacts): ReadonlyArray<MemberFilter> => {
  const known: Readonly<Record<MemberFilter, boolean>> = {
    min_magnitude: magnitude !== undefined,
    bbox: latitude !== undefined && longitude !== undefined,
    symbols: symbol !== undefined,
  }
  return memberFilters.filter((name) => known[name])
}

/** The changes of a feed, as the contract states them of the endpoint whose rows they are. */
export const StatedChanges = Schema.Struct({
  feed: Schema.NonEmptyString,
  filters: Schema.Array(Schema.Literals(memberFilters)).annotate({
    description: "The parameters of /api/changes that its changes can be filtered by, beside feeds and types",
  }),
  without: Schema.Array(Schema.NonEmptyString).annotate({
    description: "Members of rows that changes leave out, as they depend on the time or on other items",
  }),
})

/** The changes that are rows of an endpoint; none of what serves no feed item by item, and of premium data. */
export const statedChanges = (endpoint: Endpoint): ReadonlyArray<typeof StatedChanges.Type> =>
  isView(endpoint)
    ? endpoint.changes.map((facts) => ({
        feed: facts.feed.name,
        filters: filtersOf(facts),
        without: facts.without ?? [],
      }))
    : []

/** The body of `cursor_gone`: where to go on. */
export const CursorGone = Schema.Struct({
  ...Problem.fields,
  oldest: CursorText.annotate({ description: "After this one, everything that can still be read follows" }),
  now: CursorText.annotate({ description: "The place behind the last change" }),
}).annotate({ identifier: "CursorGone" })
export type CursorGone = typeof CursorGone.Type

/** The refusals of both doors beside those of every path. */
export const changesResponses: Responses = {
  400: problemResponse(
    "A parameter is wrong or unknown (invalid_parameter, unknown_parameter), the cursor is malformed (invalid_cursor), of another log (other_log) or ahead of this one (future_cursor), no such feed has changes here (unknown_feed), or no chosen feed has the member that is filtered by (unknown_filter)",
  ),
  410: problemResponse("What follows the cursor can no longer be read (cursor_gone)", [], CursorGone),
  429: problemResponse(
    "The client's share is used up (rate_limited), or it or its network holds too many streams or waiting calls (too_many_streams): see Retry-After",
    ["Retry-After"],
  ),
  503: problemResponse(
    "The changes cannot be read at the moment (changes_unavailable), or all streams of this process are taken (too_many_streams): see Retry-After",
    ["Retry-After"],
  ),
}
