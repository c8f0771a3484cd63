import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { MalformedEvent, NewerEvent } from "../../schemas/event.ts"
import type { ClaimFailed, EventLog, Offset, ReadFailed } from "../../schemas/ports/event-log.ts"
import type { History, HistoryFailed, HistoryUndecodable, MigrationRefused } from "../../schemas/ports/history.ts"
import { noProgress, type Progress, type Stage } from "../../schemas/ports/progress.ts"
import type { ItemPurge } from "../purges/item-purge.ts"
import { readPurges } from "../purges/purge-list.ts"
import type { Table } from "../table.ts"
import { ARCHIVE } from "../tables/events/table.ts"
import { makeAvailability } from "./availability.ts"
import {
  type CheckpointUnreadable,
  exchanging,
  type HistoryStopped,
  initialState,
  makeStates,
  readStates,
  rowCountOf,
  type States,
  type TableState,
  WRITER,
} from "./state.ts"
import { makeTableWriter } from "./table-writer.ts"
import { type Target, type TargetStuck, targetsOf } from "./targets.ts"

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
  | NewerEvent
  | MalformedEvent

/** The dependencies of a rebuild and of a verification. */
export interface Dependencies {
  readonly log: EventLog
  readonly history: History
  readonly tables: ReadonlyArray<Table>
  readonly progress?: Progress
}

/** States in memory, for a table under construction: it needs no checkpoint, as it starts over after a crash. */
const memoryStates = (name: string, generation: number, { cut, purges }: Partial<TableState>): States => {
  let state: TableState = {
    ...initialState,
    generation,
    ...(cut === undefined ? {} : { cut }),
    ...(purges === undefined ? {} : { purges }),
  }
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
const shown = (states: States, name: string, { advance }: Stage): States => {
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

/**
 * Fills an empty table of a generation, from the archive and then the log, up to an offset. What the live table is without, by its cut
 * and by purges, the new one is without.
 */
export const build = (
  { log, history, progress = noProgress }: Pick<Dependencies, "log" | "history" | "progress">,
  target: Target,
  generation: number,
  to: Offset,
  { live, purges }: { readonly live: Partial<TableState>; readonly purges: ReadonlyArray<ItemPurge> },
) =>
  Effect.gen(function* () {
    const { name, uuid } = yield* history.createGeneration(target.table, generation)
    const stage = progress.begin(`table ${target.table}`, to, "offsets")
    const states = shown(memoryStates(target.name, generation, live), target.name, stage)
    const writer = makeTableWriter({ log, history, states, availability: makeAvailability(), purges: () => purges })
    const [failure] = yield* writer.catchUp([{ ...target, table: name }], to)
    if (failure !== undefined) return yield* failure
    return { name, uuid, state: states.get(target.name) }
    // Drops an incomplete table. After a crash the next start drops it.
  }).pipe(Effect.onInterrupt(() => Effect.ignore(history.dropGeneration(target.table, generation))))

/** The result of a rebuild for a table. */
export interface Rebuilt {
  readonly table: string
  readonly generation: number
  readonly rows: number
}

const chosen = (tables: ReadonlyArray<Table>, names: ReadonlyArray<string> | undefined) =>
  targetsOf(tables).filter(({ table }) => table !== ARCHIVE && (names === undefined || names.includes(table)))

/**
 * Rebuilds the tables. Each is built as a new generation beside the live table, from the archive up to the start of the log,
 * then from the log up to its end, and is then exchanged with it atomically. The archive itself stays. A running history is
 * fenced. A crash leaves either the old table or the new one, with its matching progress.
 */
export const rebuildTables = Effect.fn("rebuildTables")(function* (
  dependencies: Dependencies & { readonly only?: ReadonlyArray<string> },
): Effect.fn.Return<ReadonlyArray<Rebuilt>, RebuildFailed, Scope.Scope> {
  const { log, history, progress = noProgress } = dependencies
  yield* history.prepare
  const writer = yield* log.claim(WRITER, ["checkpoints"])
  yield* history.dropGenerations
  const states = makeStates(writer, yield* readStates(log))
  const purges = yield* readPurges(log)
  const live = makeTableWriter({ log, history, states, availability: makeAvailability(), purges: () => purges })
  const rebuilt: Array<Rebuilt> = []
  for (const target of targetsOf(dependencies.tables).filter(({ table }) => table === ARCHIVE)) {
    // A batch that an earlier run planned must be in the archive before the archive is read.
    yield* live.resume(target)
    const end = yield* log.end(target.topic)
    const stage = progress.begin(
      `archive of ${target.topic}`,
      Math.max(0, end - states.get(target.name).next),
      "offsets",
    )
    const writing = makeTableWriter({
      log,
      history,
      states: shown(states, target.name, stage),
      availability: makeAvailability(),
      purges: () => purges,
    })
    const [failure] = yield* writing.catchUp([target], end)
    if (failure !== undefined) return yield* failure
    yield* states.commit([[target.name, states.get(target.name)]])
  }
  for (const target of chosen(dependencies.tables, dependencies.only)) {
    yield* live.resume(target)
    const before = states.get(target.name)
    const generation = before.generation + 1
    const to = yield* log.end(target.topic)
    const built = yield* build(dependencies, target, generation, to, { live: before, purges })
    yield* states.commit([[target.name, exchanging(states.get(target.name), built.uuid, built.state)]])
    yield* history.exchangeGeneration(target.table, generation)
    // `resume` recognises the exchange by the table's identity, and drops the old generation.
    yield* live.resume(target)
    rebuilt.push({ table: target.table, generation, rows: rowCountOf(built.state) })
  }
  return rebuilt
})
