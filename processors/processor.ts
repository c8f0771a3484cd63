import type { Envelope, EventType } from "../schemas/event.ts"
import type { Json } from "../schemas/json.ts"
import type { FoldableTopic } from "../schemas/topics.ts"
import type { ViewBody, ViewFreshness } from "../schemas/view-record.ts"

/** The state of a processor as its step sees it: a map whose changed keys are committed with what the step says. */
export interface State {
  readonly get: (key: string) => Json | undefined
  /** Keys that begin with `prefix`, sorted. */
  readonly keys: (prefix: string) => ReadonlyArray<string>
}

/** A view's records to be written; `null` removes the view. Absent members stay as they are. */
export interface ViewChange {
  /** `instanceKey(endpoint.path, parameters)`. */
  readonly key: string
  readonly body?: ViewBody | null
  readonly freshness?: ViewFreshness | null
}

/** An event that a step derives. Id, source and time are given by the runner from the event that was folded. */
export interface DerivedEvent {
  readonly type: EventType
  readonly subject: string
  readonly data: unknown
}

/** Something that a step could not do, for metrics and logs: the fold goes on, as its last good result stands. */
export interface Problem {
  /** What it concerns: a view, a feed. */
  readonly subject: string
  readonly problem: string
}

/**
 * A changed key of the state; `null` removes it. A large value may carry a stamp, such as its hash: equal stamps say
 * equal values, so that the value itself need not be written out for each event.
 */
export type StateChange = readonly [key: string, value: Json | null, stamp?: string]

/** What one event makes of the state: the changed keys (`null` removes), changed views, and derived events, in order. */
export interface Step {
  readonly state?: ReadonlyArray<StateChange>
  readonly views?: ReadonlyArray<ViewChange>
  readonly events?: ReadonlyArray<DerivedEvent>
  readonly problems?: ReadonlyArray<Problem>
}

/** A step that changes nothing. */
export const unchanged: Step = {}

/**
 * A fold of one topic. `step` is pure and total: no clock, no random number, no failure. `nowMs` is event time: the maximum
 * of the times seen so far in that topic, so it never goes back and a replay sees the same.
 */
export interface Processor {
  readonly _tag: "Processor"
  /** Kebab case, equal to the file's name; names its writer and its checkpoints. */
  readonly name: string
  /** The topic that it folds. A checkpoint is of one topic: one that was made of another is refused. */
  readonly topic: FoldableTopic
  readonly step: (state: State, event: Envelope<string, unknown>, nowMs: number) => Step
  /**
   * What a checkpoint of an earlier release does not hold, in words. The fold goes on without it and gathers it from then
   * on; a rebuild gathers it from the first event.
   */
  readonly wanting: (state: State) => ReadonlyArray<string>
}

/** A state that lives in a map. */
export const stateIn = (state: ReadonlyMap<string, Json>): State => ({
  get: (key) => state.get(key),
  keys: (prefix) => [...state.keys()].filter((key) => key.startsWith(prefix)).sort(),
})

/** Declares a processor: of `observations`, unless it names another topic. */
export const processor = (
  definition: Omit<Processor, "_tag" | "topic" | "wanting"> & Partial<Pick<Processor, "topic" | "wanting">>,
): Processor => ({ _tag: "Processor", topic: "observations", wanting: () => [], ...definition })
