// What the process of the demo, the main thread of its service and the thread of the pipeline say to each other about the clock.

/** The clock of the world: it stands at an instant, or is ahead of the machine's, in milliseconds. */
export interface ClockState {
  readonly frozen: boolean
  readonly ms: number
}

/** What has to be done before a change is answered: nothing, all polls that are due, or all that follows from them as well. */
export type Goal = "set" | "polled" | "served"

/** From the demo to its service: the data folder is its own from now on. */
export interface Begin {
  readonly type: "begin"
}

/** From the demo to its service: sets the clock, and asks for an answer when the goal is reached, or why it is not in time. */
export interface SetClock {
  readonly type: "set clock"
  readonly id: number
  readonly state: ClockState
  readonly goal: Goal
  readonly withinMs: number
}

/** The answer. `behind`: what is not done, in words; null where all is. */
export interface ClockSet {
  readonly type: "clock set"
  readonly id: number
  readonly behind: string | null
}

/** The variable that holds the state with which the service begins, as JSON. */
export const CLOCK_VARIABLE = "WORLD_CLOCK_STATE"

/** The channel between the threads of the service. */
export const CHANNEL = "the clock of the world"

/** On the channel: the clock was set, and the pipeline answers when the goal is reached, or the time over. */
export type ToPipeline = Pick<SetClock, "type" | "id" | "goal" | "withinMs">

/** On the channel: the thread hears from now on, and its answers. */
export type FromPipeline =
  | { readonly type: "pipeline listens" }
  | ({ readonly type: "pipeline set" } & Pick<ClockSet, "id" | "behind">)
