import type { Json } from "../../schemas/json.ts"
import type { FeedState } from "../feed-state.ts"
import type { DerivedEvent, Problem, State, StateChange, Step, ViewChange } from "../processor.ts"
import type { DataPeriod, DeclaredSource, Readings } from "../view/build-view.ts"

/** The state of a view: the digest that detects a change of its data, and the period of its last good build. */
export type ViewState = {
  /** Digest of the body's data; null while there is no body. */
  readonly data: string | null
  /** When the body's data last changed; null while there is no body. */
  readonly changedAt: string | null
  /** Set while the view's function fails: the period of the body that is served meanwhile. */
  readonly failed: DataPeriod | null
  /** From this instant on a tick builds it again, in milliseconds since the epoch; null: only a new observation does. */
  readonly changesAtMs: number | null
}

/** Keys that are remembered for each prefix: beyond them all are forgotten. */
const PREFIXED_MAX = 4_096

/**
 * Puts a prefix before names. Keys are remembered, as each event looks up the state of every source of its views: the engine
 * joins and hashes a new text each time, and an old one never again.
 */
const prefixing = (prefix: string): ((name: string) => string) => {
  const known = new Map<string, string>()
  return (name) => {
    const before = known.get(name)
    if (before !== undefined) return before
    if (known.size === PREFIXED_MAX) known.clear()
    const key = prefix + name
    known.set(name, key)
    return key
  }
}

/**
 * The state of the fold, by key:
 * - `feed/<instance>`: FeedState; `payload/<instance>`: a key of its own, as most polls only confirm it;
 * - `view/<view key>`: ViewState;
 * - `memory/<memory key>`: the span of the memory of a view's input; `entry/<memory key>/<number>`: one entry of it;
 * - `demanded/<view key>`: event time of the last `view.demanded` of a view on demand, in milliseconds since the epoch;
 * - `declared`: the latest `feeds.declared`; `swept`: the number of the last sweep.
 */
export const stateKeys = {
  feed: prefixing("feed/"),
  payload: prefixing("payload/"),
  view: prefixing("view/"),
  memory: (memory: string) => `memory/${memory}`,
  entry: (memory: string, number: number) => `entry/${memory}/${number}`,
  demanded: (view: string) => `demanded/${view}`,
  declared: "declared",
  swept: "swept",
} as const

/** The names behind a prefix of the state: of `feed/` the instances, of `view/` the view keys. */
export const namesUnder = (state: State, prefix: string): ReadonlyArray<string> =>
  state.keys(prefix).map((key) => key.slice(prefix.length))

type Get = <Value>(key: string) => Value | undefined

const readingsOf = (get: Get): Readings => ({
  feed: (key) => get<FeedState>(stateKeys.feed(key)),
  payload: (key) => get<Json>(stateKeys.payload(key)),
  declared: (key) => get<Readonly<Record<string, DeclaredSource>>>(stateKeys.declared)?.[key],
  remembered: (key) => entriesIn(get, key),
})

/** A step under construction: reads include what the step has already written. */
export interface Draft {
  readonly get: Get
  readonly set: (...change: StateChange) => void
  readonly readings: Readings
  /** The readings before the step. */
  readonly before: Readings
  readonly views: Array<ViewChange>
  readonly events: Array<DerivedEvent>
  readonly problems: Array<Problem>
  readonly done: () => Step
}

/** Starts a step over a state. */
export const draft = (state: State): Draft => {
  const writes = new Map<string, StateChange>()
  const views: Array<ViewChange> = []
  const events: Array<DerivedEvent> = []
  const problems: Array<Problem> = []
  const get: Get = <Value>(key: string): Value | undefined => {
    const written = writes.get(key)
    // Each kind of key has one type of value, written by this fold only.
    return (written === undefined ? state.get(key) : (written[1] ?? undefined)) as Value | undefined
  }
  return {
    get,
    set: (...change) => {
      writes.set(change[0], change)
    },
    readings: readingsOf(get),
    before: readingsOf(<Value>(key: string) => state.get(key) as Value | undefined),
    views,
    events,
    problems,
    done: () => ({ state: [...writes.values()], views, events, problems }),
  }
}

/** The numbers of a memory's entries: from `first` on and before `next`. */
type Span = { readonly first: number; readonly next: number }

/** The part of a step's draft that a memory is read from and written to. */
type MemoryDraft = Pick<Draft, "get" | "set">

/** The entries of each span that stands in a state, so that they are not looked up one by one at each build. */
const entriesBySpan = new WeakMap<Span, ReadonlyArray<Json>>()

/** The entries of a memory, oldest first; undefined before it has begun. */
export const entriesIn = (get: Get, memory: string): ReadonlyArray<Json> | undefined => {
  const span = get<Span>(stateKeys.memory(memory))
  if (span === undefined) return undefined
  const known = entriesBySpan.get(span)
  if (known !== undefined) return known
  const entries = Array.from(
    { length: span.next - span.first },
    // Span and entries are written in one step.
    (_, index) => get<Json>(stateKeys.entry(memory, span.first + index)) as Json,
  )
  entriesBySpan.set(span, entries)
  return entries
}

/**
 * Writes the entries of a memory: those that `after` has behind the ones of `before`, and removes those that it no longer
 * begins with. Each entry has a key of its own, so that a poll writes what it adds, however much is remembered.
 */
export const setEntries = (
  to: MemoryDraft,
  memory: string,
  before: ReadonlyArray<Json>,
  after: ReadonlyArray<Json>,
): void => {
  const { first, next } = to.get<Span>(stateKeys.memory(memory)) ?? { first: 0, next: 0 }
  const [oldest] = after
  const found = oldest === undefined ? -1 : before.indexOf(oldest)
  const dropped = found === -1 ? before.length : found
  for (let number = first; number < first + dropped; number += 1) to.set(stateKeys.entry(memory, number), null)
  const added = after.slice(before.length - dropped)
  for (const [index, entry] of added.entries()) to.set(stateKeys.entry(memory, next + index), entry)
  const span: Span = { first: first + dropped, next: next + added.length }
  to.set(stateKeys.memory(memory), span)
  entriesBySpan.set(span, after)
}

/** Removes a memory with its entries. */
export const dropMemory = (to: MemoryDraft, memory: string): void => {
  const { first, next } = to.get<Span>(stateKeys.memory(memory)) ?? { first: 0, next: 0 }
  for (let number = first; number < next; number += 1) to.set(stateKeys.entry(memory, number), null)
  to.set(stateKeys.memory(memory), null)
}
