import type { Envelope, EventType } from "../schemas/event.ts"
import type { Json } from "../schemas/json.ts"
import type { FoldableTopic } from "../schemas/topics.ts"
import type { ViewBody, ViewFreshness } from "../schemas/view-record.ts"

/** The state of a processor as its step reads it; the step returns the changed keys. */
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

/** An event that a step derives. The fold takes its id, source and time from the event that is folded. */
export interface DerivedEvent {
  readonly type: EventType
  readonly subject: string
  readonly data: unknown
}

/** A failure inside a step, for metrics and logs: the fold continues with its last good result. */
export interface Problem {
  /** The view or feed that it concerns. */
  readonly subject: string
  readonly problem: string
}

/**
 * A changed key of the state; `null` removes it. A large value may carry a stamp, such as its hash: equal stamps mean
 * equal values, so the digest of the event covers the stamp and the value is not rendered for each event.
 */
export type StateChange = readonly [key: string, value: Json | null, stamp?: string]

/** The result of folding one event: changed keys of the state, changed views, and derived events, in order. */
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
  /** The topic that it folds. A checkpoint of another topic is refused. */
  readonly topic: FoldableTopic
  readonly step: (state: State, event: Envelope<string, unknown>, nowMs: number) => Step
  /** The paths of the endpoints whose views it publishes: it alone begins a month with them. */
  readonly publishes: ReadonlyArray<string>
  /** Whether its derived events are the numbered changes of the log (schemas/change.ts). One processor's are. */
  readonly numbersChanges: boolean
  /**
   * A view as it was written last, made of the state: it is written anew where its records in the log are damaged. Members
   * that do not follow from the state are absent; null for a view of another processor. Absent where each event of the topic
   * writes the views anyway.
   */
  readonly restate?: (state: State, viewKey: string, nowMs: number) => ViewChange | null
  /**
   * Messages about state that this release keeps and a checkpoint of an earlier release lacks. The fold continues and
   * collects it from then on; a rebuild collects it from the first event.
   */
  readonly missingState: (state: State) => ReadonlyArray<string>
}

/** A state that lives in a map. */
export const stateIn = (state: ReadonlyMap<string, Json>): State => ({
  get: (key) => state.get(key),
  keys: (prefix) => [...state.keys()].filter((key) => key.startsWith(prefix)).sort(),
})

/** Declares a processor: of `observations`, unless it names another topic. */
export const processor = (
  definition: Omit<Processor, "_tag" | "topic" | "missingState" | "numbersChanges" | "publishes"> &
    Partial<Pick<Processor, "topic" | "missingState" | "numbersChanges" | "publishes">>,
): Processor => ({
  _tag: "Processor",
  topic: "observations",
  missingState: () => [],
  numbersChanges: false,
  publishes: [],
  ...definition,
})
