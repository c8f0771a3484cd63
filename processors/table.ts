import type { Endpoint } from "../schemas/contract/endpoint-kinds.ts"
import type { DataOf, Envelope, EventOf, EventType } from "../schemas/event.ts"
import { itemAppeared, itemChanged, itemGone } from "../schemas/events/deltas.ts"
import type { Feed, Parameters } from "../schemas/feed.ts"
import type { Row } from "../schemas/ports/history.ts"
import type { Topic } from "../schemas/topics.ts"

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
  /** The ClickHouse partition of a row (the value of the DDL's PARTITION BY): one insert goes to one partition. */
  readonly partition: (row: Row) => string
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

/** The part of a feed that tables need. */
type AnyFeed = Pick<Feed, "_tag" | "name">

/** The changes of the items of a feed; of several feeds, a union by `feed`. */
export type ChangeOf<Fed> = Fed extends { readonly name: infer Name extends string; key(item: infer Item): string }
  ? ItemChange<Item, Name>
  : never

const kinds = { [itemAppeared.type]: "appeared", [itemChanged.type]: "changed", [itemGone.type]: "gone" } as const
const isKind = (type: string): type is keyof typeof kinds => type in kinds

type Digit = `${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`

/** The name of a member in snake case: `change24hPercent` becomes `change_24h_percent`. */
type SnakeCase<
  Member extends string,
  Before extends string = "",
  Last extends string = "",
> = Member extends `${infer Letter}${infer Rest}`
  ? SnakeCase<
      Rest,
      `${Before}${Letter extends Digit ? (Last extends Digit ? "" : "_") : Letter extends Lowercase<Letter> ? "" : "_"}${Lowercase<Letter>}`,
      Letter
    >
  : Before

const columnNames = new Map<string, string>()
/** The name in snake case, made once: the members of all items are some hundreds. */
const columnName = (member: string): string => {
  const known = columnNames.get(member)
  if (known !== undefined) return known
  const name = member.replace(/[A-Z]|(?<!\d)\d/g, (letter) => `_${letter.toLowerCase()}`)
  columnNames.set(member, name)
  return name
}

type MemberOf<Item> = keyof Item & string
/** The members of an item that are a text or null. */
type NullableText<Item> = {
  [Member in MemberOf<Item>]: null extends Item[Member] ? (Item[Member] extends string | null ? Member : never) : never
}[MemberOf<Item>]

/** Which members of an item are no columns as they stand. */
interface Differing<Without, Text> {
  /** Members that have no column, or one of another name. */
  readonly without?: ReadonlyArray<Without>
  /** Texts whose null is an empty text in their column, as columns of texts are not nullable. */
  readonly texts?: ReadonlyArray<Text>
}

/** The members of an item as columns: the same values under the same names in snake case. */
type ItemColumns<Item, Without, Text> = {
  readonly [Member in Exclude<MemberOf<Item>, Without> as SnakeCase<Member>]: Member extends Text
    ? Exclude<Item[Member], null>
    : Item[Member]
}

/** The members of an item as columns, without what differs. */
export const columnsOf = <
  Item extends object,
  const Without extends MemberOf<Item> = never,
  const Text extends NullableText<Item> = never,
>(
  item: Item,
  { without = [], texts = [] }: Differing<Without, Text> = {},
): ItemColumns<Item, Without, Text> => {
  const [left, emptied]: ReadonlyArray<ReadonlyArray<string>> = [without, texts]
  const columns: Record<string, unknown> = {}
  for (const [member, value] of Object.entries(item))
    if (!left?.includes(member)) columns[columnName(member)] = value === null && emptied?.includes(member) ? "" : value
  // Each member is a column by its name.
  return columns as ItemColumns<Item, Without, Text>
}

/**
 * Declares a table of the item changes of one feed, or of several (`feeds`; `change.feed` is the discriminant): a row
 * when an item appears, changes or is gone, not one per poll.
 */
export const table = <Fed extends AnyFeed, R extends Row>(
  definition: {
    readonly name: string
    readonly rows: (change: ChangeOf<Fed>) => ReadonlyArray<R>
    readonly partition: (row: R) => string
  } & ({ readonly feed: Fed } | { readonly feeds: ReadonlyArray<Fed> }),
): Table => {
  const feeds = new Set(("feeds" in definition ? definition.feeds : [definition.feed]).map(({ name }) => name))
  return {
    _tag: "Table",
    name: definition.name,
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
      return definition.rows(change as ChangeOf<Fed>)
    },
    partition: (row) => definition.partition(row as R),
  }
}

/** The item of the changes of a feed. */
type ItemIn<Fed> = Fed extends { key(item: infer Item extends object): string } ? Item : never

/** A row of `itemTable`. `Own`: the columns that are no members of the item. */
type ItemRow<Item, Without, Text, Own, Listed extends string> = Omit<ItemColumns<Item, Without, Text>, keyof Own> &
  Own & { readonly observed_at: string } & { readonly [Name in Listed]: boolean }

/**
 * Declares a table of which each row is an item of a feed: a member is the column of the same name in snake case, and
 * `observed_at` follows. Only what differs is declared. The test of the feed compares rows and columns with `001.sql`.
 */
export const itemTable = <
  Fed extends AnyFeed,
  const Without extends MemberOf<ItemIn<Fed>> = never,
  const Text extends NullableText<ItemIn<Fed>> = never,
  Own extends Row = Record<never, never>,
  const Listed extends string = never,
>({
  without = [],
  texts = [],
  columns,
  listed,
  partition = (row) => monthOf(row.observed_at),
  ...definition
}: {
  readonly name: string
  /** The columns that are no members of the item, or hold another value. */
  readonly columns?: (change: ChangeOf<Fed>) => Own
  /** A column that is true while the item is listed, and false in the row of one that is gone. Without it a gone item makes no row. */
  readonly listed?: Listed
  /** By the month of `observed_at`, unless given. */
  readonly partition?: (row: ItemRow<ItemIn<Fed>, Without, Text, Own, Listed>) => string
} & Differing<Without, Text> &
  ({ readonly feed: Fed } | { readonly feeds: ReadonlyArray<Fed> })): Table => {
  type R = Row & ItemRow<ItemIn<Fed>, Without, Text, Own, Listed>
  return table<Fed, R>({
    ...definition,
    rows: (change) => {
      const { kind, item, observedAt } = change as ItemChange<ItemIn<Fed>>
      if (kind === "gone" && listed === undefined) return []
      const row = {
        ...columnsOf(item, { without, texts }),
        ...columns?.(change),
        ...(listed === undefined ? {} : { [listed]: kind !== "gone" }),
        observed_at: observedAt,
      }
      return [row as unknown as R]
    },
    partition,
  })
}

/** Declares a table of any other derived event. */
export const eventTable = <Type extends string, Data, R extends Row>(definition: {
  readonly name: string
  readonly type: EventType<Type, Data>
  /** The endpoints whose data it holds; none unless given. */
  readonly endpoints?: ReadonlyArray<HeldEndpoint>
  readonly rows: (event: Envelope<Type, Data>) => ReadonlyArray<R>
  readonly partition: (row: R) => string
}): Table => ({
  _tag: "Table",
  name: definition.name,
  topic: definition.type.topic,
  types: [definition.type as unknown as EventType],
  holds: holdingsOf(definition.endpoints),
  rows: (event) => (event.type === definition.type.type ? definition.rows(event as Envelope<Type, Data>) : []),
  partition: (row) => definition.partition(row as R),
})

/** Declares a table of several types of events, all of one topic. Throws when they are of several. */
export const eventsTable = <
  const Types extends ReadonlyArray<{ readonly _tag: "EventType"; readonly type: string; readonly topic: Topic }>,
  R extends Row,
>(definition: {
  readonly name: string
  readonly types: Types
  readonly rows: (event: EventOf<Types[number]>) => ReadonlyArray<R>
  readonly partition: (row: R) => string
}): Table => {
  const [topic, ...others] = [...new Set(definition.types.map((type) => type.topic))]
  if (topic === undefined || others.length > 0)
    throw new TypeError(`the events of the table ${definition.name} are not of one topic`)
  const types = new Set(definition.types.map(({ type }) => type))
  return {
    _tag: "Table",
    name: definition.name,
    topic,
    types: definition.types as unknown as ReadonlyArray<EventType>,
    holds: holdingsOf(),
    // An event of one of these types has the data of that type: it was encoded by it.
    rows: (event) => (types.has(event.type) ? definition.rows(event as EventOf<Types[number]>) : []),
    partition: (row) => definition.partition(row as R),
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
export const tableView = (definition: {
  readonly name: string
  readonly over: Table
  /** The endpoints whose data it holds; none unless given. */
  readonly endpoints?: ReadonlyArray<HeldEndpoint>
}): TableView => ({
  _tag: "TableView",
  name: definition.name,
  over: definition.over,
  holds: holdingsOf(definition.endpoints),
})

/** Monthly partition of an ISO instant, as `toYYYYMM` has it. */
export const monthOf = (isoInstant: string): string => isoInstant.slice(0, 4) + isoInstant.slice(5, 7)
