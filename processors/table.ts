import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type { Endpoint } from "../schemas/contract/endpoint-kinds.ts"
import type { TableColumn } from "../schemas/contract/provenance.ts"
import type { DataOf, Envelope, EventOf, EventType } from "../schemas/event.ts"
import { itemAppeared, itemChanged, itemGone } from "../schemas/events/deltas.ts"
import type { Feed, Parameters } from "../schemas/feed.ts"
import type { Row } from "../schemas/ports/history.ts"
import type { Topic } from "../schemas/topics.ts"
import { type Ddl, type Partitions, readDdl, TABLES } from "./ddl.ts"
import type { DerivedView } from "./derived-view.ts"
import { type HeldDeclaration, heldView } from "./held-view.ts"
import { type NowDeclaration, nowRowsOf, nowView } from "./now-view.ts"

/** The feeds and endpoints whose past a table holds. */
export interface Holdings {
  /** Names of the feeds whose items it holds. */
  readonly feeds: ReadonlyArray<string>
  /** Paths of the endpoints whose data it holds, where that is not the items of a feed. */
  readonly paths: ReadonlyArray<string>
}

/** An endpoint whose data a table holds. */
type HeldEndpoint = Pick<Endpoint, "path">

const holdingsOf = (endpoints: ReadonlyArray<HeldEndpoint> = []): Holdings => ({
  feeds: [],
  paths: endpoints.map(({ path }) => path),
})

/** A table of the history: the events that it takes and the rows made of them. Its DDL is beside it in `001.sql`, ... */
export interface Table {
  readonly _tag: "Table"
  /** Snake case, equal to the folder's name. */
  readonly name: string
  readonly topic: Topic
  readonly types: ReadonlyArray<EventType>
  readonly holds: Holdings
  readonly rows: (event: Envelope<string, unknown>) => ReadonlyArray<Row>
  /** The view of the rows that hold now; null for a table of facts, of which each row holds for ever. */
  readonly now: DerivedView | null
  /** The view of when each row was observed to hold; null where rows are no values that stand until the next one. */
  readonly held: DerivedView | null
  /** By the DDL. */
  readonly partitions: Partitions
  /**
   * An SQL condition over the rows of one partition: whether that partition and those after it can be read without the ones
   * before, which may then be dropped. Absent where every partition can.
   */
  readonly standsAlone?: string
}

/** A change of an item: the input of a table. `Name` is the name of its feed. */
interface ItemChange<Item, Name extends string = string> {
  readonly feed: Name
  readonly kind: "appeared" | "changed" | "gone"
  readonly parameters: Parameters
  readonly provider: string
  readonly key: string
  readonly item: Item
  readonly observedAt: string
}

/** The changes of the items of a feed; of several feeds, a union by `feed`. */
export type ChangeOf<Fed> = Fed extends { readonly name: infer Name extends string; key(item: infer Item): string }
  ? ItemChange<Item, Name>
  : never

const kinds = { [itemAppeared.type]: "appeared", [itemChanged.type]: "changed", [itemGone.type]: "gone" } as const
const isKind = (type: string): type is keyof typeof kinds => type in kinds

/** What the columns of a table are made of: the members of an item, the change itself, and what the table declares. */
interface ItemTable<Fed> {
  /** The columns that are no members of the item, or hold another value. */
  readonly columns?: (change: ChangeOf<Fed>) => OwnColumns
  /** The column that is true while the item is listed, and false in the row of one that is gone: `listed` unless given. */
  readonly listed?: string
  /** What the rows that hold now do not have by default: see `NowDeclaration`. */
  readonly now?: NowDeclaration
  /** Of a series, whose values stand until the next one: what its view of when they held does not have by default. */
  readonly held?: HeldDeclaration
}

/** Values of columns before their types are heeded: a text may be null, a day may be an instant. */
type OwnColumns = Readonly<Record<string, Row[string] | undefined>>

type Fed<One> = { readonly feed: One } | { readonly feeds: ReadonlyArray<One> }

/** The part of a feed that tables need. */
interface AnyFeed extends Pick<Feed, "_tag" | "name" | "judgedAs" | "instances"> {
  readonly list: { readonly item: Typed } | null
  readonly payload: Typed
}
type Typed = Pick<Schema.Top, "ast">

const feedsOf = <One>(definition: Fed<One>): ReadonlyArray<One> =>
  "feeds" in definition ? definition.feeds : [definition.feed]

const ddlBeside = (file: string): Ddl => readDdl(new URL("./", file))

/**
 * Declares a table of the item changes of one feed, or of several (`feeds`; `change.feed` is the discriminant): a row
 * when an item appears, changes or is gone, not one per poll. `file` is the address of the declaring module.
 */
export const table = <One extends AnyFeed>(
  file: string,
  definition: {
    readonly rows: (change: ChangeOf<One>) => ReadonlyArray<Row>
    readonly now?: NowDeclaration
  } & Fed<One>,
): Table =>
  changesTable(ddlBeside(file), feedsOf(definition), definition.rows, { ...definition.now, isRowOfEvent: false })

const changesTable = <One extends AnyFeed>(
  ddl: Ddl,
  of: ReadonlyArray<One>,
  rows: (change: ChangeOf<One>) => ReadonlyArray<Row>,
  {
    listed = "listed",
    isRowOfEvent,
    held,
    ...now
  }: NowDeclaration & {
    readonly listed?: string
    readonly isRowOfEvent: boolean
    readonly held?: HeldDeclaration | undefined
  },
): Table => {
  const { name, partitions } = ddl
  const holdingNow = nowRowsOf(ddl, now, { listed, isRowOfEvent })
  const feeds = new Set(of.map((feed) => feed.name))
  return {
    _tag: "Table",
    name,
    topic: "deltas",
    types: [itemAppeared, itemChanged, itemGone],
    holds: { feeds: [...feeds], paths: [] },
    rows: (event) => {
      if (!isKind(event.type)) return []
      const { feed, parameters, provider, key, item, observedAt } = event.data as DataOf<typeof itemAppeared>
      if (!feeds.has(feed)) return []
      const change: ItemChange<unknown> = {
        feed,
        kind: kinds[event.type],
        parameters,
        provider,
        key,
        item,
        observedAt,
      }
      // A change of one of these feeds holds an item of that feed: it was decoded when it was observed.
      return rows(change as ChangeOf<One>)
    },
    partitions,
    now: nowView(ddl, holdingNow),
    held: held === undefined ? null : heldView(ddl, of, { ...held, ...holdingNow }),
  }
}

/** Columns that the history adds to each row. */
const ADDED_COLUMNS: ReadonlySet<string> = new Set(["event_id", "log_offset"])

/**
 * Declares a table of which each row is an item of a feed. A column of the DDL holds the member of the item that its name
 * spells, else what is known of the observation (`observed_at`, `provider`, the requested place, a parameter of the
 * instance by its name), unless `columns` gives it. An item that is gone makes a row where a column says whether it is
 * listed. Throws where a column has no value.
 */
export const itemTable = <One extends AnyFeed>(file: string, definition: ItemTable<One> & Fed<One>): Table =>
  tableOfItems(ddlBeside(file), feedsOf(definition), definition)

/** The table of a feed whose folder has the feed's name, in snake case, and no file but the DDL: each row is an item. */
export const tableOfFeed = (feed: AnyFeed): Table =>
  tableOfItems(readDdl(new URL(`${feed.name.replaceAll("-", "_")}/`, TABLES)), [feed], {})

const tableOfItems = <One extends AnyFeed>(
  ddl: Ddl,
  feeds: ReadonlyArray<One>,
  { columns: own, listed = "listed", now, held }: ItemTable<One>,
): Table => {
  const filled = ddl.columns.filter(({ name }) => !ADDED_COLUMNS.has(name) && !ddl.aliases.has(name))
  const isListed = filled.some(({ name }) => name === listed)
  const makers = new Map(feeds.map((feed) => [feed.name, filled.map((column) => columnOf(column, feed, listed))]))
  const rowsOf = (given: ChangeOf<One>): ReadonlyArray<Row> => {
    const change: ItemChange<unknown> = given
    if (change.kind === "gone" && !isListed) return []
    const owned = own?.(given) ?? {}
    const row: Record<string, Row[string]> = {}
    let left = Object.keys(owned).length
    for (const { name, read, typed } of makers.get(change.feed) ?? []) {
      const isOwned = name in owned
      if (isOwned) left -= 1
      const value = isOwned ? owned[name] : read(change)
      if (value === undefined) throw new TypeError(`${ddl.name}.${name} has no value in an item of ${change.feed}`)
      row[name] = typed(value as Row[string])
    }
    if (left > 0) throw new TypeError(`${ddl.name} declares values of columns that its DDL does not have`)
    return [row]
  }
  return changesTable(ddl, feeds, rowsOf, { ...now, listed, held, isRowOfEvent: true })
}

/** A column: where its value is found, and how it becomes one of its type. */
interface Column {
  readonly name: string
  readonly read: (change: ItemChange<unknown>) => unknown
  readonly typed: (value: Row[string]) => Row[string]
}

const columnOf = ({ name, type }: TableColumn, feed: AnyFeed, listed: string): Column => ({
  name,
  read: findValue(name, memberOf(feed, name), listed),
  typed: typedAs(type),
})

const TEXT = /^(?:LowCardinality\()?String\b/
const DAY_CHARACTERS = 10

/** A column of texts is never nullable, so null is an empty one; one of days takes the day of an instant. */
const typedAs = (type: string): Column["typed"] => {
  if (TEXT.test(type)) return (value) => value ?? ""
  if (type === "Date") return (value) => (typeof value === "string" ? value.slice(0, DAY_CHARACTERS) : value)
  return (value) => value
}

/** What of an observation stands in a column that is no member of its item. */
const FACTS: Readonly<Record<string, Column["read"]>> = {
  feed: ({ feed }) => feed,
  observed_at: ({ observedAt }) => observedAt,
  provider: ({ provider }) => provider,
  asked_latitude: ({ parameters }) => Number(parameters.lat),
  asked_longitude: ({ parameters }) => Number(parameters.lon),
}

const findValue = (column: string, member: string | undefined, listed: string): Column["read"] => {
  if (column === listed) return ({ kind }) => kind !== "gone"
  if (member !== undefined) return ({ item }) => (item as Readonly<Record<string, unknown>>)[member] ?? null
  return FACTS[column] ?? (({ parameters }) => parameters[column])
}

/** A name without case and separators, and without "per": `wind_speed_m_s` is the column of `windSpeedMPerS`. */
const spelling = (name: string): string =>
  name
    .replace(/Per(?=[A-Z])|_per(?=_)/g, "")
    .replaceAll("_", "")
    .toLowerCase()

/** The member of a feed's items that a column spells. */
const memberOf = (feed: AnyFeed, column: string): string | undefined => {
  const { ast } = feed.list?.item ?? feed.payload
  const members = SchemaAST.isObjects(ast) ? ast.propertySignatures : []
  return members.map(({ name }) => String(name)).find((name) => spelling(name) === spelling(column))
}

/** Declares a table of any other derived event. */
export const eventTable = <Type extends string, Data>(
  file: string,
  definition: {
    readonly type: EventType<Type, Data>
    /** The endpoints whose data it holds; none unless given. */
    readonly endpoints?: ReadonlyArray<HeldEndpoint>
    readonly rows: (event: Envelope<Type, Data>) => ReadonlyArray<Row>
    /** The rows that hold now, where a later row may take the place of an earlier one. */
    readonly now?: NowDeclaration
  },
): Table => {
  const ddl = ddlBeside(file)
  const { name, partitions } = ddl
  return {
    _tag: "Table",
    name,
    topic: definition.type.topic,
    types: [definition.type as unknown as EventType],
    holds: holdingsOf(definition.endpoints),
    rows: (event) => (event.type === definition.type.type ? definition.rows(event as Envelope<Type, Data>) : []),
    partitions,
    now: definition.now === undefined ? null : nowView(ddl, nowRowsOf(ddl, definition.now, { isRowOfEvent: false })),
    held: null,
  }
}

/** Declares a table of several types of events, all of one topic. Throws when they are of several. */
export const eventsTable = <
  const Types extends ReadonlyArray<{ readonly _tag: "EventType"; readonly type: string; readonly topic: Topic }>,
>(
  file: string,
  definition: {
    readonly types: Types
    readonly standsAlone?: string
    readonly rows: (event: EventOf<Types[number]>) => ReadonlyArray<Row>
  },
): Table => {
  const { name, partitions } = ddlBeside(file)
  const [topic, ...others] = [...new Set(definition.types.map((type) => type.topic))]
  if (topic === undefined || others.length > 0)
    throw new TypeError(`the events of the table ${name} are not of one topic`)
  const types = new Set(definition.types.map(({ type }) => type))
  return {
    _tag: "Table",
    name,
    topic,
    types: definition.types as unknown as ReadonlyArray<EventType>,
    holds: holdingsOf(),
    // An event of one of these types has the data of that type: it was encoded by it.
    rows: (event) => (types.has(event.type) ? definition.rows(event as EventOf<Types[number]>) : []),
    partitions,
    ...(definition.standsAlone === undefined ? {} : { standsAlone: definition.standsAlone }),
    now: null,
    held: null,
  }
}

/**
 * A ClickHouse view over another table, which analysts query like a table. It has no rows of its own, so it is not written,
 * rebuilt or verified. Its SQL is beside it, as a table's is.
 */
export interface TableView {
  readonly _tag: "TableView"
  /** Snake case, equal to the folder's name. */
  readonly name: string
  readonly over: Table
  readonly holds: Holdings
}

/** Declares a view over a table. */
export const tableView = (
  file: string,
  definition: {
    readonly over: Table
    /** The endpoints whose data it holds; what the table holds unless given. */
    readonly endpoints?: ReadonlyArray<HeldEndpoint>
  },
): TableView => ({
  _tag: "TableView",
  name: ddlBeside(file).name,
  over: definition.over,
  holds: definition.endpoints === undefined ? definition.over.holds : holdingsOf(definition.endpoints),
})
