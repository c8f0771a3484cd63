import type { Endpoint, ParameterSet } from "../schemas/endpoint.ts"
import type { Feed, Parameters } from "../schemas/feed.ts"
import type { Json } from "../schemas/json.ts"
import type { Memory } from "./memory.ts"
import { checkRecent, type RecentChange, type RecentWindow, recentMemory } from "./recent.ts"
import { checkWindow, type SeriesPoint, type SeriesWindow, seriesMemory } from "./series.ts"
import { type Timed, until } from "./timed.ts"

/** The latest good observation of a feed's instance, as a view sees it. */
export interface Reading<Payload> {
  readonly parameters: Parameters
  readonly payload: Payload
  /** When a poll last confirmed the payload. */
  readonly observedAt: string
  /** Since when polls have succeeded without a gap: what came and went before that may have been missed. */
  readonly watchedSince: string
  /** The upstream's own time of its newest content. */
  readonly contentAt: string | null
}

/** An instance that a view reads; `reading` is null where there is none yet. */
export interface InstanceReading<Payload> {
  readonly parameters: Parameters
  readonly reading: Reading<Payload> | null
}

/** What a view reads: instances of a feed, chosen by the view's own parameters. */
export interface Input<Value = unknown> {
  readonly _tag: "Input"
  readonly feed: Feed
  instances(parameters: Parameters): ReadonlyArray<Parameters>
  /** Without a reading of every required input a view has no body (it is warming). */
  readonly required: boolean
  /** What the fold keeps of the instances' past for this input; null where the latest reading is all. */
  readonly memory: Memory | null
  /** The value given to `build`, from the instances in order, and, where there is a memory, what it holds. */
  value(read: ReadonlyArray<InstanceReading<unknown>>, remembered?: Json): Value
}

/** An instance of a feed, or the function of the view's parameters that gives it. */
type One = Parameters | ((parameters: Parameters) => Parameters)

/** Instances of a feed, or the function of the view's parameters that gives them. */
type Several = ReadonlyArray<Parameters> | ((parameters: Parameters) => ReadonlyArray<Parameters>)

/** The instances that an input reads: by default those of the feed. */
const several = (feed: { readonly instances: ReadonlyArray<Parameters> }, given?: Several): Input["instances"] => {
  const instances = given ?? feed.instances
  return typeof instances === "function" ? instances : () => instances
}

/** The one instance that an input reads: by default that of the feed. Throws where the feed has several. */
const only = (feed: Pick<Feed, "name" | "instances">, given?: One): Input["instances"] => {
  if (typeof given === "function") return (parameters) => [given(parameters)]
  if (given === undefined && feed.instances.length !== 1)
    throw new TypeError(`${feed.name} has ${feed.instances.length} instances: an input of one must say which`)
  return several(feed, given === undefined ? undefined : [given])
}

/** One instance of a feed, without which the view has no body. */
export const from = <Payload>(feed: Feed<Payload>, instance?: One): Input<Reading<Payload>> => ({
  _tag: "Input",
  feed,
  instances: only(feed, instance),
  required: true,
  memory: null,
  // The fold keeps payloads by feed, and they were decoded when they were written.
  value: ([one]) => one?.reading as Reading<Payload>,
})

/** One instance of a feed; the view has a body without it. */
export const optionally = <Payload>(feed: Feed<Payload>, instance?: One): Input<Reading<Payload> | null> => ({
  ...from(feed, instance),
  required: false,
  value: ([one]) => (one?.reading ?? null) as Reading<Payload> | null,
})

/**
 * Several instances of a feed, in order: all of it by default, or those that follow from the view's parameters. At least
 * one of them must have been read for the view to have a body.
 */
export const fromEvery = <Payload>(
  feed: Feed<Payload>,
  instances?: Several,
): Input<ReadonlyArray<InstanceReading<Payload>>> => ({
  _tag: "Input",
  feed,
  instances: several(feed, instances),
  required: true,
  memory: null,
  value: (read) => read as ReadonlyArray<InstanceReading<Payload>>,
})

/**
 * A window over one instance of a feed: one number of its payload in each `everyMs` of the last `windowMs`, oldest first,
 * at most `windowMs / everyMs + 1` of them. Good polls make points, at their own times, also those that only confirm the
 * payload; nothing is made up for a time without one. The points are state of the fold: a view that is new in a release
 * begins without any, and a rebuild makes those that the log and the archive still hold.
 */
export const series = <Payload>(
  feed: Feed<Payload>,
  window: SeriesWindow<Payload> & { readonly instance?: One },
): Input<ReadonlyArray<SeriesPoint>> => {
  checkWindow(window as SeriesWindow)
  return {
    _tag: "Input",
    feed,
    instances: only(feed, window.instance),
    required: false,
    // The fold gives it payloads of this feed, and no others.
    memory: seriesMemory(window as SeriesWindow),
    value: (_, points = []) => points as ReadonlyArray<SeriesPoint>,
  }
}

/**
 * The recent changes of a feed's items, oldest first: those of the last `windowMs` and of these kinds, at most the newest
 * `max`. What stood in the first payload that was seen is marked `initial`, so that a backlog is no news. For several
 * instances (all of the feed by default) their changes are one list. The list is state of the fold, as the points of a
 * `series`.
 */
export const recent = <Payload, Item>(
  feed: Feed<Payload, Item>,
  window: RecentWindow & { readonly instances?: Several },
): Input<ReadonlyArray<RecentChange<Item>>> => {
  checkRecent(window)
  return {
    _tag: "Input",
    feed: feed as Feed,
    instances: several(feed, window.instances),
    required: false,
    memory: recentMemory(window),
    // The fold makes changes of items of this feed, and no others.
    value: (_, changes = []) => changes as unknown as ReadonlyArray<RecentChange<Item>>,
  }
}

type Values<Reads> = { readonly [Name in keyof Reads]: Reads[Name] extends Input<infer Value> ? Value : never }

/** What is served at an endpoint: which feeds it reads, and the pure function that makes its data of them. */
export interface View {
  readonly _tag: "View"
  readonly endpoint: Endpoint
  /** The parameter sets that stand ready, as canonical texts; null for an on-demand view, which has those asked for. */
  readonly instances: ReadonlyArray<Parameters> | null
  readonly reads: Readonly<Record<string, Input>>
  /** Whether the data depends on the time. */
  readonly clock: boolean
  build(inputs: Readonly<Record<string, unknown>>, context: ClockContext): Timed<unknown>
}

/** What a view is built for, beside its inputs. */
export interface ViewContext {
  readonly parameters: Parameters
}

/** The same for a view that follows the clock. */
export interface ClockContext extends ViewContext {
  /** Event time, in milliseconds since the epoch. */
  readonly nowMs: number
}

/**
 * Declares a view. A prepared view with parameters lists its `instances`; an on-demand view has none and is built for the
 * parameters that are requested. Only a view with `clock: true` is given the time; its `build` returns the data by `until`,
 * with the instant at which it would change without news. What leaves a `series` or `recent` by its age needs no clock.
 */
export const view = <
  P extends ParameterSet,
  Data,
  Full,
  const Reads extends Readonly<Record<string, Input>>,
  const Clock extends boolean = false,
>(definition: {
  readonly endpoint: Endpoint<P, Data, Full>
  readonly instances?: ReadonlyArray<Parameters>
  readonly reads: Reads
  readonly clock?: Clock
  /** What the endpoint serves, or, where it is `filtered`, what it selects from. */
  readonly build: (
    inputs: Values<Reads>,
    context: Clock extends true ? ClockContext : ViewContext,
  ) => Clock extends true ? Timed<NoInfer<Full>> : NoInfer<Full>
}): View => {
  const onDemand = definition.endpoint.kind === "onDemand"
  const clock = definition.clock ?? false
  // Instances on demand come and go with requests, and are built before the log knows of them.
  if (onDemand && Object.values(definition.reads).some(({ memory }) => memory !== null))
    throw new TypeError(`${definition.endpoint.path} is on demand: it can keep no memory`)
  // Its bytes depend on what was observed for it alone, so that those built by the ingest role and by the fold are equal.
  if (onDemand && clock) throw new TypeError(`${definition.endpoint.path} is on demand: it cannot follow the clock`)
  return {
    _tag: "View",
    endpoint: definition.endpoint as unknown as Endpoint,
    instances: onDemand ? null : (definition.instances ?? [{}]),
    reads: definition.reads,
    clock,
    build: (inputs, context) => {
      // A view without the clock takes nothing of the context but its parameters.
      const built: unknown = definition.build(inputs as Values<Reads>, context)
      return clock ? (built as Timed<unknown>) : until(built, null)
    },
  }
}
