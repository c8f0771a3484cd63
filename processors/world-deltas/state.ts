import type { Json } from "../../schemas/json.ts"
import type { LearntDelta } from "../../schemas/payloads/world-delta.ts"
import type { FeedState } from "../feed-state.ts"
import type { DerivedEvent, Problem, State, StateChange, Step, ViewChange } from "../processor.ts"
import type { DeclaredSource, Readings } from "../view/build-view.ts"

/** The last publication of the view. */
export type Published = {
  /** Minutes of event time since the epoch. */
  readonly minute: number
  /** Where the window has reached its bounds, the timestamp of the newest event that was dropped for it; else null. */
  readonly droppedMs: number | null
}

/**
 * The state of the fold, by key: `feed/<instance>` (FeedState), `payload/<instance>`, `known/<input>` (what is known of its
 * items), `event/<timestamp>` (LearntDelta, within the window), `launches` (the launches that were logged while they are
 * near), `stamp` (the largest timestamp and `as_of` so far, in milliseconds), `published` (Published) and `declared`.
 */
export const stateKeys = {
  feed: (instance: string) => `feed/${instance}`,
  payload: (instance: string) => `payload/${instance}`,
  known: (input: string) => `known/${input}`,
  // Instants sort as texts in the order of time.
  event: (timestamp: string) => `event/${timestamp}`,
  launches: "launches",
  stamp: "stamp",
  published: "published",
  declared: "declared",
} as const

/** A step under construction: reads include what the step has already written. */
export interface DeltasDraft {
  readonly get: <Value>(key: string) => Value | undefined
  /** Writes a value; one that equals the stored one changes nothing. */
  readonly set: <Value>(key: string, value: Value | null, stamp?: string) => void
  /** The events of the window, oldest first. */
  readonly window: () => ReadonlyArray<LearntDelta>
  readonly readings: Pick<Readings, "feed" | "declared">
  readonly views: Array<ViewChange>
  readonly events: Array<DerivedEvent>
  readonly problems: Array<Problem>
  readonly done: () => Step
}

/** Starts a step over a state. */
export const deltasDraft = (state: State): DeltasDraft => {
  const writes = new Map<string, StateChange>()
  const views: Array<ViewChange> = []
  const events: Array<DerivedEvent> = []
  const problems: Array<Problem> = []
  const get = <Value>(key: string): Value | undefined => {
    const written = writes.get(key)
    // Each kind of key has one type of value, written by this fold only.
    return (written === undefined ? state.get(key) : (written[1] ?? undefined)) as Value | undefined
  }
  return {
    get,
    set: (key, value, stamp) => {
      // Plain JSON by its types.
      const json = value as Json | null
      if (stamp !== undefined) writes.set(key, [key, json, stamp])
      else if (JSON.stringify(get(key) ?? null) !== JSON.stringify(json)) writes.set(key, [key, json])
    },
    window: () => {
      const prefix = stateKeys.event("")
      const written = [...writes.keys()].filter((key) => key.startsWith(prefix))
      const keys = [...new Set([...state.keys(prefix), ...written])].sort()
      return keys.flatMap((key) => get<LearntDelta>(key) ?? [])
    },
    readings: {
      feed: (key) => get<FeedState>(stateKeys.feed(key)),
      declared: (key) => get<Readonly<Record<string, DeclaredSource>>>(stateKeys.declared)?.[key],
    },
    views,
    events,
    problems,
    done: () => ({ state: [...writes.values()], views, events, problems }),
  }
}
