import type { OnDemandEndpoint, ViewEndpoint, ViewFacts } from "../../schemas/contract/endpoint-kinds.ts"
import type { ParameterSet } from "../../schemas/contract/parameters.ts"
import type { RestReason } from "../../schemas/events/observations.ts"
import type { Feed, Parameters } from "../../schemas/feed.ts"
import {
  type Memory,
  type RecentChange,
  type RecentWindow,
  type Remembered,
  recentMemory,
  type SeriesPoint,
  type SeriesWindow,
  seriesMemory,
} from "./memory.ts"

/** The latest good observation of a feed's instance: an input of a view. */
export interface Reading<Payload> {
  readonly parameters: Parameters
  readonly payload: Payload
  /** When a poll last confirmed the payload. */
  readonly observedAt: string
  /** Since when polls have succeeded without a gap: an item that came and went before may have been missed. */
  readonly watchedSince: string
  /** From this instant on the reading is stale. A poll that only confirms the payload moves it, and builds no view. */
  readonly freshUntil: string
  /** The upstream's own time of its newest content. */
  readonly contentAt: string | null
}

/** An instance that a view reads; `reading` is null where there is none yet. */
export interface InstanceReading<Payload> {
  readonly parameters: Parameters
  readonly reading: Reading<Payload> | null
  /** Why its sources are not polled here; null where one is. */
  readonly rests: RestReason | null
}

/** One input of a view: instances of a feed, which may depend on the view's parameters. */
export interface Input<Value = unknown> {
  readonly _tag: "Input"
  readonly feed: Feed
  instances(parameters: Parameters): ReadonlyArray<Parameters>
  /** Without a reading of every required input a view has no body (it is warming). */
  readonly required: boolean
  /** The memory of this input; null where it needs the latest reading only. */
  readonly memory: Memory | null
  /** The value passed to `build`, from the readings in the order of the instances and the content of the memory. */
  value(read: ReadonlyArray<InstanceReading<unknown>>, remembered?: Remembered): Value
}

/** An instance of a feed, or the function of the view's parameters that gives it. */
type InstanceChoice = Parameters | ((parameters: Parameters) => Parameters)

/** Instances of a feed, or the function of the view's parameters that gives them. */
type InstancesChoice = ReadonlyArray<Parameters> | ((parameters: Parameters) => ReadonlyArray<Parameters>)

/** The instances that an input reads: by default those of the feed. */
const instancesOf = (
  feed: { readonly instances: ReadonlyArray<Parameters> },
  given?: InstancesChoice,
): Input["instances"] => {
  const instances = given ?? feed.instances
  return typeof instances === "function" ? instances : () => instances
}

/** The single instance that an input reads: by default that of the feed. Throws where the feed has several. */
const oneInstanceOf = (feed: Pick<Feed, "name" | "instances">, given?: InstanceChoice): Input["instances"] => {
  if (typeof given === "function") return (parameters) => [given(parameters)]
  if (given === undefined && feed.instances.length !== 1)
    throw new TypeError(`${feed.name} has ${feed.instances.length} instances: an input of one must name it`)
  return instancesOf(feed, given === undefined ? undefined : [given])
}

/** One instance of a feed, without which the view has no body. */
export const from = <Payload>(feed: Feed<Payload>, instance?: InstanceChoice): Input<Reading<Payload>> => ({
  _tag: "Input",
  feed,
  instances: oneInstanceOf(feed, instance),
  required: true,
  memory: null,
  // Payloads of this feed were decoded when they were logged.
  value: ([one]) => one?.reading as Reading<Payload>,
})

/** One instance of a feed; the view has a body without it. */
export const optionally = <Payload>(
  feed: Feed<Payload>,
  instance?: InstanceChoice,
): Input<Reading<Payload> | null> => ({
  ...from(feed, instance),
  required: false,
  value: ([one]) => (one?.reading ?? null) as Reading<Payload> | null,
})

/**
 * Several instances of a feed, in order: all of the feed's by default, or those that follow from the view's parameters. The
 * view has a body once one of them was read.
 */
export const fromEvery = <Payload>(
  feed: Feed<Payload>,
  instances?: InstancesChoice,
): Input<ReadonlyArray<InstanceReading<Payload>>> => ({
  _tag: "Input",
  feed,
  instances: instancesOf(feed, instances),
  required: true,
  memory: null,
  value: (read) => read as ReadonlyArray<InstanceReading<Payload>>,
})

/**
 * A window over one instance of a feed: one number of its payload in each `everyMs` of the last `windowMs`, oldest first,
 * at most `windowMs / everyMs + 1` of them. Successful polls make points, at their own times, also those that only confirm
 * the payload; an interval without one has no point. The points are state of the fold: a view that is new in a release
 * begins without any, and a rebuild fills it from log and archive.
 */
export const series = <Payload>(
  feed: Feed<Payload>,
  window: SeriesWindow<Payload> & { readonly instance?: InstanceChoice },
): Input<ReadonlyArray<SeriesPoint>> => ({
  _tag: "Input",
  feed,
  instances: oneInstanceOf(feed, window.instance),
  required: false,
  // The fold passes payloads of this feed only.
  memory: seriesMemory(window as SeriesWindow),
  value: (_, points = []) => points as ReadonlyArray<SeriesPoint>,
})

/**
 * The recent changes of a feed's items, oldest first: those of the last `windowMs` and of these kinds, at most the newest
 * `max`. Items of the first payload are marked `initial`: they are a backlog, not news. The changes of several instances
 * (by default all of the feed) are one list. The list is state of the fold, as the points of a `series` are.
 */
export const recent = <Payload, Item>(
  feed: Feed<Payload, Item>,
  window: RecentWindow & { readonly instances?: InstancesChoice },
): Input<ReadonlyArray<RecentChange<Item>>> => ({
  _tag: "Input",
  feed: feed as Feed,
  instances: instancesOf(feed, window.instances),
  required: false,
  memory: recentMemory(window),
  // The fold passes changes of this feed's items only.
  value: (_, changes = []) => changes as unknown as ReadonlyArray<RecentChange<Item>>,
})

/** Data, and the instant at which it next changes without a new observation. */
interface Timed<Data> {
  readonly data: Data
  /** In milliseconds since the epoch; null where only a new observation changes it. */
  readonly changesAtMs: number | null
}

/**
 * The data of a view that follows the clock, valid until `changesAtMs`: the view is built again at the first tick at or
 * after that instant, and at no tick before it. Too early an instant costs a build; too late a one serves old data.
 */
export const until = <Data>(data: Data, changesAtMs: number | null): Timed<Data> => ({ data, changesAtMs })

/** The earliest of some instants that is still ahead of `nowMs`; null where none is. */
export const nextAfter = (nowMs: number, instants: Iterable<number>): number | null => {
  let next: number | null = null
  for (const instant of instants) if (instant > nowMs && (next === null || instant < next)) next = instant
  return next
}

type Values<Reads> = { readonly [Name in keyof Reads]: Reads[Name] extends Input<infer Value> ? Value : never }

/** How the items of a feed are stated in its changes: as rows of the view's endpoint. */
export interface ChangeRows {
  readonly feed: Feed
  /**
   * The item as a row, at `nowMs`, when the change was observed; null for an item that the endpoint never lists, whose changes
   * are not shown. Throws where the item cannot be stated.
   */
  row(item: unknown, context: ClockContext): unknown
}

/** States the changes of a feed as rows of the view's endpoint. `row` is the function that makes its lists. */
export const changesOf = <Payload, Item>(
  feed: Feed<Payload, Item>,
  row: (item: Item, context: ClockContext) => unknown,
): ChangeRows => ({
  feed: feed as Feed,
  // Changes of this feed hold its items, decoded when they were observed.
  row: (item, context) => row(item as Item, context),
})

/** The data of an endpoint: the feeds that it reads, and the pure function that builds it from them. */
export interface View {
  readonly _tag: "View"
  readonly endpoint: ViewEndpoint
  /** The parameter sets that are prepared, as canonical texts. */
  readonly instances: ReadonlyArray<Parameters>
  /** Whether it is built for other parameters than those of its instances too, when they are requested. */
  readonly onDemand: boolean
  readonly reads: Readonly<Record<string, Input>>
  /** Whether the data depends on the time. */
  readonly clock: boolean
  /** Of each feed whose changes the endpoint states. */
  readonly changes: ReadonlyArray<ChangeRows>
  build(inputs: Readonly<Record<string, unknown>>, context: ClockContext): Timed<unknown>
}

/** The context of a build, beside the inputs. */
export interface ViewContext {
  readonly parameters: Parameters
}

/** The context of a view that follows the clock. */
export interface ClockContext extends ViewContext {
  /** Event time, in milliseconds since the epoch. */
  readonly nowMs: number
}

/** Throws where a view on demand declares a memory, the clock, or other logging than its feeds. */
const checkOnDemand = (
  { path, prepared, unlogged }: OnDemandEndpoint,
  inputs: ReadonlyArray<Input>,
  clock: boolean,
): void => {
  // Instances on demand exist only while they are requested, and are built before their observation is in the log.
  if (inputs.some(({ memory }) => memory !== null)) throw new TypeError(`${path} is on demand: it can keep no memory`)
  // What is fetched depends on its own observations alone, so that the API and the fold build equal bytes.
  if (clock && prepared.length === 0)
    throw new TypeError(`${path} is on demand: it cannot follow the clock, unless some of its replies stand ready`)
  if (unlogged !== inputs.some(({ feed }) => feed.unlogged))
    throw new TypeError(`${path}: endpoint and feed must agree on whether requests are unlogged`)
}

/**
 * Declares a view. A prepared view with parameters lists its `instances`; an on-demand view is built for the parameters that
 * are requested, and its endpoint lists those that stand ready. Only a view with `clock: true` gets the time; its `build`
 * returns the data by `until`, with the instant at which it next changes without a new observation. The windows of `series`
 * and `recent` need no clock.
 */
export const view = <
  P extends ParameterSet,
  Data,
  Full,
  const Reads extends Readonly<Record<string, Input>>,
  const Clock extends boolean = false,
>(definition: {
  readonly endpoint: ViewEndpoint & ViewFacts<P, Data, Full>
  readonly instances?: ReadonlyArray<Parameters>
  readonly reads: Reads
  readonly clock?: Clock
  /** The rows of the feeds whose changes the endpoint declares; none unless given. */
  readonly changes?: ReadonlyArray<ChangeRows>
  /** What the endpoint serves, or, where it is `filtered`, what it selects from. */
  readonly build: (
    inputs: Values<Reads>,
    context: Clock extends true ? ClockContext : ViewContext,
  ) => Clock extends true ? Timed<NoInfer<Full>> : NoInfer<Full>
}): View => {
  const endpoint: ViewEndpoint = definition.endpoint
  const onDemand = endpoint.kind === "on-demand"
  const changes = definition.changes ?? []
  const named = (list: ReadonlyArray<{ readonly feed: Feed }>) => list.map(({ feed }) => feed.name).join(", ")
  if (named(changes) !== named(endpoint.changes))
    throw new TypeError(
      `${endpoint.path} declares changes of [${named(endpoint.changes)}], its view rows of [${named(changes)}]`,
    )
  const clock = definition.clock ?? false
  const inputs = Object.values(definition.reads)
  if (onDemand) checkOnDemand(endpoint, inputs, clock)
  return {
    _tag: "View",
    endpoint,
    instances: onDemand ? endpoint.prepared : (definition.instances ?? [{}]),
    onDemand,
    reads: definition.reads,
    clock,
    changes,
    build: (inputs, context) => {
      // A view without the clock uses only the parameters of the context.
      const built: unknown = definition.build(inputs as Values<Reads>, context)
      return clock ? (built as Timed<unknown>) : until(built, null)
    },
  }
}

/**
 * A view that a processor of its own builds, as its data needs more state than the inputs of a `view` keep. It declares the
 * feeds that it reads: attribution, freshness and the terms of resale follow from them.
 */
export interface FoldedView {
  readonly _tag: "FoldedView"
  readonly endpoint: ViewEndpoint
  /** The name of the processor, which publishes the view under the path of its endpoint. */
  readonly processor: string
  readonly reads: Readonly<Record<string, Input>>
}

/** Declares a view that the processor of this name builds. */
export const foldedView = <const Definition extends Omit<FoldedView, "_tag">>(
  definition: Definition,
): Definition & FoldedView => ({ _tag: "FoldedView", ...definition })

/**
 * Maps lists of items by the mapping of one, for all views that show such rows. Rows are not memoised: making one takes
 * less time than finding it in a map of thousands of items.
 */
export const rowsBy =
  <Item, Row>(toRow: (item: Item) => Row): ((items: ReadonlyArray<Item>) => ReadonlyArray<Row>) =>
  (items) =>
    items.map((item) => toRow(item))

/** Memoises a costly function of an item by item object: the fold keeps the objects of unchanged items across patches. */
export const onceByItem = <Item extends object, Value>(of: (item: Item) => Value): ((item: Item) => Value) => {
  const known = new WeakMap<Item, { readonly value: Value }>()
  return (item) => {
    const before = known.get(item)
    if (before !== undefined) return before.value
    const value = of(item)
    known.set(item, { value })
    return value
  }
}
