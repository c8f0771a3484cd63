import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { noProgress } from "../../schemas/ports/progress.ts"
import type { Table } from "../table.ts"
import { ARCHIVE } from "../tables/events/table.ts"
import { makeAvailability } from "./availability.ts"
import { makeStates, readStates, WRITER } from "./checkpoints.ts"
import { build, type Dependencies, type RebuildFailed, shown } from "./generation.ts"
import { exchanging, rowsOf } from "./state.ts"
import { makeTableWriter } from "./table-writer.ts"
import { targetsOf } from "./targets.ts"

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
  const live = makeTableWriter({ log, history, states, availability: makeAvailability() })
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
    })
    const [failure] = yield* writing.catchUp([target], end)
    if (failure !== undefined) return yield* failure
    yield* states.commit([[target.name, states.get(target.name)]])
  }
  for (const target of chosen(dependencies.tables, dependencies.only)) {
    yield* live.resume(target)
    const generation = states.get(target.name).generation + 1
    const built = yield* build(dependencies, target, generation, yield* log.end(target.topic))
    yield* states.commit([[target.name, exchanging(states.get(target.name), built.uuid, built.state)]])
    yield* history.exchangeGeneration(target.table, generation)
    // `resume` recognises the exchange by the table's identity, and drops the old generation.
    yield* live.resume(target)
    rebuilt.push({ table: target.table, generation, rows: rowsOf(built.state) })
  }
  return rebuilt
})
