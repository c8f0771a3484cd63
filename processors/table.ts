import type { Endpoint } from "../schemas/contract/endpoint-kinds.ts"
import type { DataOf, Envelope, EventOf, EventType } from "../schemas/event.ts"
import { itemAppeared, itemChanged, itemGone } from "../schemas/events/deltas.ts"
import type { Feed, Parameters } from "../schemas/feed.ts"
import type { Row } from "../schemas/ports/history.ts"
import type { Topic } from "../schemas/topics.ts"

/** Whose past a table holds, for readers who come from an endpoint. */
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
