import * as Schema from "effect/Schema"
import type { EventLog } from "../../schemas/ports/event-log.ts"
import type { History } from "../../schemas/ports/history.ts"
import type { Availability, HistoryAnswered } from "./availability.ts"
import type { States } from "./checkpoints.ts"
import type { Target } from "./targets.ts"

/** What writing and repairing tables needs. */
export interface TableDependencies {
  readonly log: EventLog
  readonly history: History
  readonly states: States
  readonly availability: Availability
}

/** A target cannot continue: ClickHouse refuses its rows, an event cannot be read, or the code of its table fails. */
export class TargetStuck extends Schema.TaggedError<TargetStuck>()("TargetStuck", {
  target: Schema.String,
  problem: Schema.String,
}) {
  override get message() {
    return `the table ${this.target} cannot continue: ${this.problem}`
  }
}

/** Maps an answer of the history that no retry changes to the target's failure. */
export const stuck = (target: Target) => (cause: HistoryAnswered) =>
  new TargetStuck({ target: target.name, problem: cause.problem })
