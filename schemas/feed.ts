import { isDeepStrictEqual } from "node:util"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"

/** The parameters of a feed's instance. Most feeds have one instance, without parameters. */
export type Parameters = Readonly<Record<string, string>>

/** Members of a list payload beside its items. Most lists have none. */
export type Facts = Readonly<Record<string, unknown>>

/** The payload of a list feed: the items in the declared order, and facts about the list as a whole. */
export interface ListPayload<Item, Members extends Facts = Facts, MayBeEmpty extends boolean = boolean> {
  readonly items: MayBeEmpty extends false ? readonly [Item, ...ReadonlyArray<Item>] : ReadonlyArray<Item>
  readonly facts: Members
}

/** By default, an answer with this share of unreadable rows, or more, is a failure. */
const UNREADABLE_SHARE = 0.5

/** What one instance logs in a day unless its feed declares more, in bytes: every poll, and what it brings. */
const LOG_BYTES_PER_DAY = 5_000_000

/** Rules of a list feed, which hold for every source that fills it. */
interface ListRules<Item = unknown, Members extends Facts = Facts> {
  readonly item: Schema.Codec<Item, unknown>
  readonly facts: Schema.Codec<Members, unknown>
  /** The most items of a payload. */
  readonly itemsMax: number
  /** Whether a longer list is cut to its first items, in the declared order. If false, it is refused. */
  readonly keepsFirst: boolean
  /** Whether an answer without items is valid. If false, it is a failure of the upstream. */
  readonly mayBeEmpty: boolean
  /** The share of unreadable rows at which an answer is refused; 0: a single one refuses it. */
  readonly unreadableShare: number
  /** The declared order; null: the order of the upstream. */
  readonly order: ((one: Item, other: Item) => number) | null
}

/**
 * A feed: one kind of data about the world, in our own canonical form (SI units, ISO times), whichever source fills it.
 * Payloads are plain JSON whose decoded and encoded forms are the same.
 *
 * Functions of definitions are declared as methods, whose parameters TypeScript compares bivariantly: so a feed of one
 * payload can stand in a list of feeds of any.
 */
export interface Feed<Payload = unknown, Item = unknown, Name extends string = string> {
  readonly _tag: "Feed"
  /** Kebab case, equal to the name of the file that declares it. */
  readonly name: Name
  readonly description: string
  readonly payload: Schema.Codec<Payload, unknown>
  /** The rules of a list; null for a feed that is one value. */
  readonly list: ListRules | null
  /** The items of a payload, whose changes are published. A value feed has one item. */
  items(payload: Payload): ReadonlyArray<Item>
  /** The identity of an item across payloads. Unique within a payload. */
  key(item: Item): string
  /** Whether an item differs from the one that had its key before. */
  isRevised(before: Item, after: Item): boolean
  /** When the event that the item reports happened (ISO); never in the future. Null if the item has no such time. */
  happenedAt(item: Item): string | null
  /** Whether the feed declares when its items happened; else `happenedAt` is null for each of them. */
  readonly hasEventTime: boolean
  /** How old the newest content of an instance may be before it counts as stale; null where the content has no time. */
  contentAgeMaxMs(parameters: Parameters): number | null
  /** The instances that are polled on schedule, by all sources together; inputs of views read these by default. */
  readonly instances: ReadonlyArray<Parameters>
  /** `one`: in reliability all instances are one row, as good as the weakest of them. `each`: each is a row of its own. */
  readonly judgedAs: JudgedAs
  /**
   * Whether the item changes of an instance are published in `deltas` (and so written to tables). Of feeds whose
   * instances overlap, one instance publishes them.
   */
  publishesChanges(parameters: Parameters): boolean
  /**
   * Whether an item that leaves the list is published as gone. False of a list that is a window, by time or by length:
   * items leave it by themselves, and no table makes a row of that.
   */
  readonly publishesGone: boolean
  /**
   * Whether fetches on request leave no trace: neither the parameters nor the answer reach the log, its archive, the
   * quarantine, a checkpoint, a metric or a log line; only the API keeps the reply, in memory, for a day at most. The
   * instances that are polled on schedule are logged as those of any feed.
   */
  readonly unlogged: boolean
  /** What one instance usually logs in a day, in bytes. Its budget is ten times as much: see ingestors/poll/schedule.ts. */
  readonly logBytesPerDay: number
}

/** Whether reliability judges each instance of a feed by itself, or all as one. */
type JudgedAs = "each" | "one"

/** The common members of a feed's declaration. */
interface Declaration<Item, Name extends string> {
  readonly name: Name
  readonly description: string
  /** Differs when, and only when, the item has changed. By default all of the item counts. */
  readonly revision?: (item: Item) => string | number
  readonly happenedAt?: (item: Item) => string | null
  /** A function if it differs by instance. Null for one that this release does not have, as an older log may. */
  readonly contentAgeMax?: Duration.Input | ((parameters: Parameters) => Duration.Input | null)
  /** One without parameters by default. */
  readonly instances?: ReadonlyArray<Parameters>
  /** `each` by default. */
  readonly judgedAs?: JudgedAs
  readonly publishesChanges?: (parameters: Parameters) => boolean
  /** True by default. */
  readonly publishesGone?: boolean
  /** False by default. */
  readonly unlogged?: boolean
  /** 5 MB by default. */
  readonly logBytesPerDay?: number
}

const common = <Item, Name extends string>({
  name,
  description,
  revision,
  happenedAt,
  contentAgeMax,
  instances,
  judgedAs,
  publishesChanges,
  publishesGone,
  unlogged,
  logBytesPerDay,
}: Declaration<Item, Name>) => ({
  _tag: "Feed" as const,
  name,
  description,
  isRevised: (before: Item, after: Item): boolean =>
    revision === undefined ? !isDeepStrictEqual(before, after) : revision(before) !== revision(after),
  happenedAt: happenedAt ?? (() => null),
  hasEventTime: happenedAt !== undefined,
  contentAgeMaxMs: (parameters: Parameters): number | null => {
    const max = typeof contentAgeMax === "function" ? contentAgeMax(parameters) : (contentAgeMax ?? null)
    return max === null ? null : Duration.toMillis(max)
  },
  instances: instances ?? [{}],
  judgedAs: judgedAs ?? ("each" as const),
  publishesChanges: publishesChanges ?? (() => true),
  publishesGone: publishesGone ?? true,
  unlogged: unlogged ?? false,
  logBytesPerDay: logBytesPerDay ?? LOG_BYTES_PER_DAY,
})

/**
 * Declares a feed that is a list of items. Its payload is `{ items, facts }`; sources give rows, and the runner reads
 * them one by one, keeps the first of each key, sorts, and refuses or cuts what is too long, by the rules declared here.
 */
export const listFeed = <
  Item,
  Name extends string,
  Members extends Facts = Record<never, never>,
  MayBeEmpty extends boolean = true,
>(
  definition: Declaration<Item, Name> & {
    readonly item: Schema.Codec<Item, unknown>
    readonly facts?: Schema.Codec<Members, unknown>
    readonly key: (item: Item) => string
    readonly itemsMax: number
    /**
     * False by default. True of a feed that is by definition the largest, the strongest or the newest of a longer list: of
     * any other an item that is left out would seem to be over, or never to have been.
     */
    readonly keepsFirst?: boolean
    readonly order?: (one: Item, other: Item) => number
    /** True by default. */
    readonly mayBeEmpty?: MayBeEmpty
    /** Half by default. */
    readonly unreadableShare?: number
  },
): Feed<ListPayload<Item, Members, MayBeEmpty>, Item, Name> => {
  const { item, itemsMax, order = null, unreadableShare = UNREADABLE_SHARE } = definition
  const mayBeEmpty = definition.mayBeEmpty ?? true
  const keepsFirst = definition.keepsFirst ?? false
  // If no facts are declared, `Members` is the type of an empty object.
  const facts = definition.facts ?? (Schema.Struct({}) as unknown as Schema.Codec<Members, unknown>)
  const items = Schema.Array(item).check(Schema.isBetweenLength(mayBeEmpty ? 0 : 1, itemsMax))
  return {
    ...common(definition),
    payload: Schema.Struct({ items, facts }) as unknown as Schema.Codec<
      ListPayload<Item, Members, MayBeEmpty>,
      unknown
    >,
    list: { item, facts, itemsMax, keepsFirst, mayBeEmpty, unreadableShare, order } as unknown as ListRules,
    items: (payload) => payload.items,
    key: definition.key,
  }
}

/** Declares a feed that is one value at a time. */
export const valueFeed = <Value, Name extends string>(
  definition: Declaration<Value, Name> & {
    readonly value: Schema.Codec<Value, unknown>
    /** The key of the value in changes and tables. */
    readonly key: string
  },
): Feed<Value, Value, Name> => ({
  ...common(definition),
  payload: definition.value,
  list: null,
  items: (value) => [value],
  key: () => definition.key,
})

const PLAIN = /^[A-Za-z0-9._*-]*$/
const isPlain = (text: string): boolean => PLAIN.test(text)

/**
 * The name of one instance of something that takes parameters: `name`, or `name?a=1&b=2` with sorted parameters.
 * Log keys, view keys and state keys are all spelled by this.
 */
export const instanceKey = (name: string, parameters: Parameters): string => {
  const names = Object.keys(parameters).sort()
  if (names.length === 0) return name
  const values = names.map((one) => parameters[one] ?? "")
  // The fast path: most parameters need no escaping, and every poll calls this function.
  if (names.every(isPlain) && values.every(isPlain))
    return `${name}?${names.map((one, index) => `${one}=${values[index]}`).join("&")}`
  const query = new URLSearchParams(names.map((one): [string, string] => [one, parameters[one] ?? ""]))
  return `${name}?${query}`
}

/** The inverse of `instanceKey`. */
export const parseInstanceKey = (key: string): { readonly name: string; readonly parameters: Parameters } => {
  const at = key.indexOf("?")
  if (at === -1) return { name: key, parameters: {} }
  return { name: key.slice(0, at), parameters: Object.fromEntries(new URLSearchParams(key.slice(at + 1))) }
}

/** The id of the row in which an instance of a feed is judged. */
export const reliabilityId = ({ name, judgedAs }: Feed, parameters: Parameters): string =>
  judgedAs === "one" ? name : instanceKey(name, parameters)

/** The ids of all rows in which a feed is judged. */
export const reliabilityIds = (feed: Feed): ReadonlyArray<string> => [
  ...new Set(feed.instances.map((parameters) => reliabilityId(feed, parameters))),
]

const compare = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1)

/** The order of the latest first, by an ISO day or instant (null comes last), and then of the highest key first. */
export const latestFirst =
  <Item>(timeOf: (item: Item) => string | null, keyOf: (item: Item) => string) =>
  (one: Item, other: Item): number =>
    compare(timeOf(other) ?? "", timeOf(one) ?? "") || compare(keyOf(other), keyOf(one))
