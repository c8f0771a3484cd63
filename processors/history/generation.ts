import * as Effect from "effect/Effect"
import type { ClaimFailed, EventLog, Offset, ReadFailed } from "../../schemas/ports/event-log.ts"
import type { History, HistoryFailed, HistoryUndecodable, MigrationRefused } from "../../schemas/ports/history.ts"
import { noProgress, type Progress, type Stage } from "../../schemas/ports/progress.ts"
import type { Table } from "../table.ts"
import { makeAvailability } from "./availability.ts"
import type { CheckpointUnreadable, HistoryStopped, States } from "./checkpoints.ts"
import { initialState, type TableState } from "./state.ts"
import type { TargetStuck } from "./table-dependencies.ts"
import { makeTableWriter } from "./table-writer.ts"
import type { Target } from "./targets.ts"

/** The failures of a rebuild or a verification; the live tables are unchanged. */
export type RebuildFailed =
  | HistoryFailed
  | HistoryUndecodable
  | MigrationRefused
  | HistoryStopped
  | ClaimFailed
  | ReadFailed
  | CheckpointUnreadable
  | TargetStuck

/** What a rebuild or a verification needs. */
export interface Dependencies {
  readonly log: EventLog
  readonly history: History
  readonly tables: ReadonlyArray<Table>
  readonly progress?: Progress
}

/** States in memory, for a table under construction: it needs no checkpoint, as it starts over after a crash. */
const memoryStates = (name: string, generation: number): States => {
  let state: TableState = { ...initialState, generation }
  return {
    get: () => state,
    set: (_, changed) => {
      state = changed
    },
    commit: (changes) =>
      Effect.sync(() => {
        for (const [target, changed] of changes) if (target === name) state = changed
      }),
  }
}

/** Wraps states so that the progress of a target advances a stage. */
export const shown = (states: States, name: string, { advance }: Stage): States => {
  let reached = states.get(name).next
  const show = () => {
    const { next } = states.get(name)
    advance(next - reached)
    reached = next
  }
  return {
    get: states.get,
    set: (target, state) => {
      states.set(target, state)
      show()
    },
    commit: (changes) => Effect.tap(states.commit(changes), () => Effect.sync(show)),
  }
}

/** Fills an empty table of a generation, from the archive and then the log, up to an offset. */
export const build = (
  { log, history, progress = noProgress }: Pick<Dependencies, "log" | "history" | "progress">,
  target: Target,
  generation: number,
  to: Offset,
) =>
  Effect.gen(function* () {
    const { name, uuid } = yield* history.createGeneration(target.table, generation)
    const stage = progress.begin(`table ${target.table}`, to, "offsets")
    const states = shown(memoryStates(target.name, generation), target.name, stage)
    const writer = makeTableWriter({ log, history, states, availability: makeAvailability() })
    const [failure] = yield* writer.catchUp([{ ...target, table: name }], to)
    if (failure !== undefined) return yield* failure
    return { name, uuid, state: states.get(target.name) }
    // Drops an incomplete table. After a crash the next start drops it.
  }).pipe(Effect.onInterrupt(() => Effect.ignore(history.dropGeneration(target.table, generation))))
