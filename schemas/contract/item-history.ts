import * as Schema from "effect/Schema"
import { Change, cursorText } from "../change.ts"
import { instanceKey, type Parameters } from "../feed.ts"
import { mediaTypeOf } from "../formats/format.ts"
import { type Column, columnsOfRow, type Table, tableOf } from "../formats/table.ts"
import { historyOrders } from "../ports/item-history.ts"
import {
  type ChangesFacts,
  type Endpoint,
  type HistoryEndpoint,
  isView,
  showsShare,
  type ViewEndpoint,
} from "./endpoint-kinds.ts"
import { endpointName } from "./envelope.ts"
import { cursorOf, HISTORY_CURSOR } from "./history-cursor.ts"
import { choice, INSTANT_WITH_ZONE, instantText, type Parameter, wholeNumber } from "./parameters.ts"
import { hasPast } from "./past.ts"
import { problemResponse, type Responses, responsesOf } from "./responses.ts"

// Each endpoint that states changes has a history of them, by event time. Everything here follows from that endpoint.

/** The end of the path of a history, behind that of its endpoint. */
const HISTORY = "history"

/** Changes of one page, at most, and unless a caller says otherwise. */
const HISTORY_MAX = 1_000
const HISTORY_DEFAULT = 100

/** The change of an item in a history. */
const PastChange = Schema.Struct({
  ...Change.fields,
  at: Schema.NullOr(Schema.NonEmptyString).annotate({
    description:
      "Link to the first reply of the endpoint that was known with this change; null where the endpoint keeps no such replies",
  }),
}).annotate({ identifier: "PastChange" })

const History = Schema.Struct({
  feed: Schema.NonEmptyString.annotate({ description: "The feed whose changes these are" }),
  endpoint: Schema.NonEmptyString.annotate({ description: "The endpoint whose rows the items are" }),
  ordered_by: Schema.Literals(["happened_at", "known_at"]).annotate({
    description:
      "The time that `from`, `to` and the order are of. happened_at: event time, and known_at of items whose source says none; known_at: no item of the feed has an event time",
  }),
  changes: Schema.Array(PastChange),
  next: Schema.NullOr(Schema.NonEmptyString).annotate({
    description:
      "Link to the next page; null on the last one. A page may hold few changes or none, and have a next one",
  }),
}).annotate({ identifier: "ItemHistory" })
export type ItemHistoryReply = typeof History.Type

const instantParameter = (what: string, example: string): Parameter<string> & { readonly optional: true } => ({
  schema: instantText,
  text: { pattern: INSTANT_WITH_ZONE.source },
  optional: true,
  description: `${what}, an instant with its zone; a day alone is refused with the two instants that it may mean`,
  example,
})

const KNOWN_AT = "2026-08-17T20:35:00.000Z"
const EXAMPLE_CURSOR = { log: "k7f2qdxa", ordinal: 1042 }
const FROM = "2026-08-01T00:00:00.000Z"
const TO = "2026-09-01T00:00:00.000Z"

/** The parameters of every history but the cursor. */
const listParameters = {
  from: instantParameter("Changes from this time on", FROM),
  to: instantParameter("Changes before this time", TO),
  order: choice(historyOrders, {
    default: "desc",
    description: "desc: the latest first; asc: the earliest first",
  }),
  limit: {
    schema: wholeNumber({ minimum: 1, maximum: HISTORY_MAX }),
    description: `How many changes at most, 1 to ${HISTORY_MAX}`,
    default: String(HISTORY_DEFAULT),
    example: "10",
  },
} as const satisfies Readonly<Record<string, Parameter>>

/** The cursor of a history, with one of the other examples as its own. */
const cursorParameter = (path: string, parameters: Readonly<Record<string, Parameter>>): Parameter => {
  const examples = Object.entries(parameters).map(([name, { example }]) => [name, example])
  return {
    schema: Schema.String.check(Schema.isPattern(HISTORY_CURSOR)),
    text: { pattern: HISTORY_CURSOR.source },
    optional: true,
    errorCode: "invalid_cursor",
    description:
      "The place behind which the page begins, as `next` of an earlier reply with the same other parameters holds it",
    example: cursorOf(path, Object.fromEntries(examples), { timeMs: Date.parse(KNOWN_AT), ...EXAMPLE_CURSOR }),
  }
}

const feedParameter = (names: ReadonlyArray<string>): Readonly<Record<string, Parameter>> =>
  names.length === 1
    ? {}
    : { feed: { ...choice(names, { default: names[0] ?? "", description: "Which feed" }), errorCode: "unknown_feed" } }

const responses: Responses = {
  400: problemResponse(
    "A parameter is wrong or unknown (invalid_parameter, unknown_parameter; where a day stands for an instant, `allowed` holds the two that it may mean), the cursor is malformed or of other parameters (invalid_cursor), or the endpoint states no changes of the feed (unknown_feed)",
  ),
  404: problemResponse(
    "This installation keeps no history (not_configured), or nothing of the time that is asked for, as its history begins after it, at `first` (before_history)",
  ),
  503: problemResponse("The history cannot be read at the moment (history_unavailable): see Retry-After", [
    "Retry-After",
  ]),
}

/** The columns of the items of a feed: of its own row, else of the endpoint's lists, else of its whole data. */
const itemColumns = ({ data, table }: ViewEndpoint, { row, without = [] }: ChangesFacts): ReadonlyArray<Column> => {
  const columns =
    row === undefined && table !== null ? table.flatMap((form) => form.columns) : columnsOfRow(row ?? { ast: data.ast })
  return columns.filter(({ path: [member = ""] }) => !without.includes(member))
}

/** The table of a history: a row for each change, with the members of its item as columns. */
const historyTable = (of: ViewEndpoint): Table => {
  const [form] = tableOf(History) ?? []
  if (form === undefined) throw new TypeError("a history has no list")
  const items = new Map(of.changes.flatMap((facts) => itemColumns(of, facts).map((column) => [column.name, column])))
  const columns = form.columns.flatMap((column) =>
    column.name === "item"
      ? [...items.values()].map((one) => ({ ...one, name: `item.${one.name}`, path: ["item", ...one.path] }))
      : [column],
  )
  return [{ ...form, columns }]
}

/**
 * The link to the reply of an endpoint as it was known behind a change, or to the page at another `path` that shows it; null where
 * it keeps no such replies. It names the change and no instant: the reply may have followed what was observed some time later.
 */
export const pastLink = (of: ViewEndpoint, parameters: Parameters, cursor: string, path = of.path): string | null => {
  if (!hasPast(of)) return null
  const own = Object.entries(parameters).filter(([name]) => name in of.parameters)
  return instanceKey(path, { ...Object.fromEntries(own), at: cursor })
}

const exampleOf = (of: ViewEndpoint, { feed }: ChangesFacts): ItemHistoryReply => ({
  feed: feed.name,
  endpoint: endpointName(of),
  ordered_by: feed.hasEventTime ? "happened_at" : "known_at",
  changes: [
    {
      cursor: cursorText(EXAMPLE_CURSOR),
      type: "appeared",
      feed: feed.name,
      endpoint: endpointName(of),
      parameters: {},
      key: "example",
      item: {},
      happened_at: feed.hasEventTime ? "2026-08-17T20:21:07.120Z" : null,
      known_at: KNOWN_AT,
      source: "Provider",
      at: pastLink(of, {}, cursorText(EXAMPLE_CURSOR)),
    },
  ],
  next: null,
})

/** The feeds of a history, the default first. */
const namesOf = (of: ViewEndpoint): ReadonlyArray<string> => of.changes.map(({ feed }) => feed.name)

const timeText = (of: ViewEndpoint): string => {
  const without = of.changes.flatMap(({ feed }) => (feed.hasEventTime ? [] : [feed.name]))
  if (without.length === 0)
    return "Ordered by event time (happened_at), and by known_at of an item whose source says none."
  return without.length === of.changes.length
    ? "Ordered by known_at, as this feed says no event time: happened_at is null."
    : `Ordered by event time (happened_at); by known_at of ${without.join(", ")}, which says none.`
}

/** The formats of a history: Atom needs a title for each entry, which a single value does not have. */
const formatsOf = (of: ViewEndpoint): HistoryEndpoint["formats"] =>
  of.changes.every(({ feed }) => feed.list !== null) ? ["json", "csv", "atom"] : ["json", "csv"]

const historyEndpoint = (of: ViewEndpoint, first: ChangesFacts): HistoryEndpoint => {
  const path = `${of.path}/${HISTORY}`
  const parameters = { ...feedParameter(namesOf(of)), ...listParameters }
  const formats = formatsOf(of)
  return {
    _tag: "Endpoint",
    path,
    name: `${of.name}_${HISTORY}`,
    kind: "history",
    tier: "service",
    method: "GET",
    of,
    summary: `The past of ${of.path}: what changed of its items, and when`,
    description: `What appeared, changed and went, as rows of ${of.path}, each with when it happened, when it was known, and a link to the reply as it was known then. ${timeText(of)} Licences are those of today. With format=csv the next page is in the header Link.`,
    subject: null,
    bearer: "none",
    parameters: { ...parameters, cursor: cursorParameter(path, parameters) },
    deprecated: of.deprecated.filter(({ field }) => field === undefined),
    counted: "changes",
    responses: responsesOf({
      description: "The changes, in the order of their time",
      mediaTypes: formats.map((format) => mediaTypeOf[format]),
      method: "GET",
      isPremium: false,
      hasMeta: false,
      isFile: true,
      hasLinks: true,
      isCached: true,
      showsShare: showsShare("changes"),
      isDeprecated: of.deprecated.some(({ field }) => field === undefined),
      own: responses,
    }),
    data: History,
    example: exampleOf(of, first),
    formats,
    table: historyTable(of),
    paging: null,
    fields: [],
  }
}

/** The history of an endpoint; none where it states no changes. */
export const historiesOf = (endpoint: Endpoint): ReadonlyArray<HistoryEndpoint> => {
  const [first] = isView(endpoint) ? endpoint.changes : []
  return first === undefined || !isView(endpoint) ? [] : [historyEndpoint(endpoint, first)]
}

/** The history of an endpoint, if it is among the offered ones; else null. */
export const historyOf = (endpoint: Endpoint, offered: ReadonlyArray<Endpoint>): HistoryEndpoint | null =>
  offered.filter((one) => one.kind === "history").find(({ of }) => of.path === endpoint.path) ?? null

/** Whether `from`, `to` and the order of a feed are of event time. */
export const isByEventTime = ({ of }: HistoryEndpoint, feed: string): boolean =>
  of.changes.some((facts) => facts.feed.name === feed && facts.feed.hasEventTime)

/** The address of a history as a feed for readers; null where its items have no names. */
export const atomPathOf = ({ path, formats }: HistoryEndpoint): string | null =>
  formats.includes("atom") ? instanceKey(path, { format: "atom" }) : null
