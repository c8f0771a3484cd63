import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { instant } from "../../schemas/event.ts"
import type { History } from "../../schemas/ports/history.ts"
import type { Table } from "../table.ts"
import { ARCHIVE, archivePartitions } from "../tables/events/table.ts"
import { droppedSql } from "./cut.ts"
import { metrics } from "./metrics.ts"
import { countsBelow, whereTarget } from "./repair.ts"
import { cutTo, type States } from "./state.ts"
import type { Target } from "./targets.ts"

/** How many days a table is kept, by its name; a table that is not in it is kept for ever. */
export type KeptHistory = ReadonlyMap<string, number>

const DAY_MS = 86_400_000

/** What the keeper needs of the run of the history. */
export interface KeeperDependencies {
  readonly history: History
  readonly states: States
  readonly tables: ReadonlyArray<Table>
  readonly targets: ReadonlyArray<Target>
  readonly kept: KeptHistory
  /** Runs an effect while nothing writes to these targets. */
  readonly alone: <A, E>(targets: ReadonlyArray<Target>, effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

const Newest = Schema.Struct({ time: Schema.String })
const PartitionName = Schema.Struct({ partition: Schema.String })
const Dropped = Schema.Struct({ id: Schema.String, rows: Schema.Natural })

/**
 * The time from which the days are counted: that of the newest event of the archive, so that nothing is dropped of a service that
 * did not run, and no later than the clock's, so that an event of a wrong time drops nothing.
 */
const countedFrom = (history: History) =>
  Effect.gen(function* () {
    const [newest] = yield* history.query(`SELECT max(time) AS time FROM ${ARCHIVE} HAVING count() > 0`, Newest)
    return newest === undefined ? null : Math.min(Date.parse(newest.time), yield* Clock.currentTimeMillis)
  })

/** The last partition up to one that can be read without those before it; null where there is none. */
const standingAlone = (history: History, { name, standsAlone }: Table, wanted: string) =>
  standsAlone === undefined
    ? Effect.succeed(wanted)
    : Effect.map(
        history.query(
          `SELECT _partition_id AS partition FROM ${name} WHERE _partition_id <= '${wanted}'
           GROUP BY _partition_id HAVING ${standsAlone} ORDER BY _partition_id DESC LIMIT 1`,
          PartitionName,
        ),
        ([row]) => row?.partition ?? null,
      )

/** Drops the partitions of a table before its cut. */
const dropBelow = Effect.fnUntraced(function* (history: History, table: string, cut: string) {
  const dropped = yield* history.query(
    `SELECT partition_id AS id, sum(rows) AS rows FROM system.parts
     WHERE database = currentDatabase() AND table = {table:String} AND active AND ${droppedSql(cut, "partition_id")}
     GROUP BY id ORDER BY id`,
    Dropped,
    { table },
  )
  for (const { id, rows } of dropped) {
    // The setting says what goes: the server's guard against dropping much by mistake does not know it.
    yield* history.execute(`ALTER TABLE ${table} DROP PARTITION ID '${id}' SETTINGS max_partition_size_to_drop = 0`)
    metrics.dropped.inc({ table })
    yield* Effect.logInfo("a partition of the history was dropped, as KEEP_HISTORY says").pipe(
      Effect.annotateLogs({ table, partition: id, rows }),
    )
  }
})

/** Cuts one table. Gives whether it is as short as it should be; false where its writer has to finish something first. */
const cutTable = Effect.fnUntraced(function* (
  { history, states }: KeeperDependencies,
  table: string,
  targets: ReadonlyArray<Target>,
  wanted: string,
) {
  const isBusy = targets.some(({ name }) => {
    const { plan, repair, exchange } = states.get(name)
    return plan !== null || repair !== null || exchange !== null
  })
  if (isBusy) return false
  const changes: Array<Parameters<States["commit"]>[0][number]> = []
  for (const target of targets) {
    const state = states.get(target.name)
    // A cut never goes back: what it dropped is not there any more.
    if ((state.cut ?? "") >= wanted) continue
    const below = yield* countsBelow({ history }, target, state, whereTarget(target, droppedSql(wanted)))
    changes.push([target.name, cutTo(state, wanted, below)])
  }
  // Remembered first: rows that are still there are counted no more, and a start drops what is left below the cut.
  yield* states.commit(changes)
  const cuts = targets.map(({ name }) => states.get(name).cut ?? "")
  yield* dropBelow(history, table, cuts.toSorted()[0] ?? "")
  return true
})

/** Cuts every table that is kept for some days only. Gives whether all of them are as short as they should be. */
const cutOnce = Effect.fn("cutOnce")(function* (dependencies: KeeperDependencies) {
  const { history, tables, targets, kept, alone } = dependencies
  const nowMs = kept.size === 0 ? null : yield* countedFrom(history)
  if (nowMs === null) return kept.size === 0
  let isDone = true
  for (const [name, days] of kept) {
    const before = instant(nowMs - days * DAY_MS)
    const table = tables.find((one) => one.name === name)
    const wanted =
      table === undefined
        ? archivePartitions.at(before)
        : yield* standingAlone(history, table, table.partitions.at(before))
    if (wanted === null) continue
    const own = targets.filter((target) => target.table === name)
    isDone = (yield* alone(own, cutTable(dependencies, name, own, wanted))) && isDone
  }
  return isDone
})

const EVERY_MS = DAY_MS
const AGAIN_MS = 10 * 60_000

/** Cuts the tables at once and then every day, for ever. After a failure they stay longer, and it is tried again soon. */
export const runKeeper = (dependencies: KeeperDependencies) =>
  Effect.gen(function* () {
    while (true) {
      const isDone = yield* cutOnce(dependencies).pipe(
        Effect.catchTag(["HistoryUnavailable", "HistoryRefused", "HistoryUndecodable"], (cause) =>
          Effect.as(
            Effect.logWarning("the history could not be cut to what KEEP_HISTORY says; it is tried again").pipe(
              Effect.annotateLogs({ problem: cause.message }),
            ),
            false,
          ),
        ),
      )
      yield* Effect.sleep(isDone ? EVERY_MS : AGAIN_MS)
    }
  })
