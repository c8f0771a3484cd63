import type { Json } from "../../schemas/json.ts"
import type { Declared, Readings, Standing } from "../build-view.ts"
import type { FeedState } from "../feed-state.ts"
import type { DerivedEvent, Problem, State, StateChange, Step, ViewChange } from "../processor.ts"

/** What the fold remembers of a view: enough to detect a change of its data, and where its last good build stood. */
export type ViewState = {
  /** Digest of the body's data; null while there is no body. */
  readonly data: string | null
  /** Set while the view's function fails: the standing of the body that is served meanwhile. */
  readonly failed: Standing | null
  /** From when on a tick builds it again, in milliseconds since the epoch; null: only news does. */
  readonly changesAtMs: number | null
}

/**
 * The state of the fold, by key: `feed/<instance>` (FeedState), `payload/<instance>` (apart, as most polls confirm it),
 * `view/<view key>` (ViewState), `memory/<memory key>` (what an input of a view remembers), `declared` (the declaration
 * in force: `feeds.declared`), `demanded/<view key>` (event time of the last `view.demanded` of a view on demand, in
 * milliseconds since the epoch) and `swept` (the number of the last sweep).
 */
export const stateKeys = {
  feed: (instance: string) => `feed/${instance}`,
  payload: (instance: string) => `payload/${instance}`,
  view: (view: string) => `view/${view}`,
  memory: (memory: string) => `memory/${memory}`,
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
  declared: (key) => get<Readonly<Record<string, Declared>>>(stateKeys.declared)?.[key],
  remembered: (key) => get<Json>(stateKeys.memory(key)),
})

/** A step that is being made: reads see what the step has already written. */
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

/** Begins a step over a state. */
export const draft = (state: State): Draft => {
  const writes = new Map<string, StateChange>()
  const views: Array<ViewChange> = []
  const events: Array<DerivedEvent> = []
  const problems: Array<Problem> = []
  const get: Get = <Value>(key: string): Value | undefined => {
    const written = writes.get(key)
    // Every kind of key has one type of value, and only this fold writes them.
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
