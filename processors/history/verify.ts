import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { itemChanged } from "../../schemas/events/deltas.ts"
import { viewsChanged } from "../../schemas/events/versions.ts"
import type { Offset, StoredRecord } from "../../schemas/ports/event-log.ts"
import { noProgress } from "../../schemas/ports/progress.ts"
import { eventReader, feeds } from "../../schemas/registry.ts"
import { type ItemPurge, makeRedaction, type Redaction } from "../purges/item-purge.ts"
import { readPurges } from "../purges/purge-list.ts"
import { ARCHIVE, type ArchiveRow, archivePartitions, archiveRow } from "../tables/events/table.ts"
import { makeAvailability } from "./availability.ts"
import { heldSql, isHeld } from "./cut.ts"
import { build, type Dependencies, type RebuildFailed } from "./rebuild.ts"
import { readArchive, readLog, type Slice } from "./slices.ts"
import { initialState, readStates, type TableState } from "./state.ts"
import { archiveTargets, redactedEntry, type Target, targetsOf } from "./targets.ts"

/** The first difference between a live table and a fresh fold of the same events. */
interface Difference {
  readonly table: string
  readonly offset: Offset
  readonly eventId: string
  readonly liveRows: number
  readonly freshRows: number
}

/** The result of a verification for a table. */
export interface Verified {
  readonly table: string
  /** Events below this offset were compared. */
  readonly to: Offset
  readonly rows: number
  readonly difference: Difference | null
}

/**
 * The generation of comparisons, which no rebuild uses: its table is dropped afterwards. A history that starts meanwhile drops
 * it too, and the verification fails with ClickHouse's error.
 */
const VERIFY_GENERATION = 999_999

const Compared = Schema.Struct({
  log_offset: Schema.Natural,
  event_id: Schema.String,
  live_rows: Schema.Natural,
  fresh_rows: Schema.Natural,
})
const Doubled = Schema.Struct({ log_offset: Schema.Natural, event_id: Schema.String, rows: Schema.Natural })
const Count = Schema.Struct({ rows: Schema.Natural })
const Column = Schema.Struct({ name: Schema.String })

/** Offsets that are compared at once, which bounds the memory. */
const COMPARED_OFFSETS_MAX = 200_000

/** Where a table is cut, and the archive that its fresh fold reads. */
interface Cuts {
  readonly own: string | undefined
  readonly archive: string | undefined
}

const verifyTable = (
  dependencies: Dependencies,
  target: Target,
  to: Offset,
  {
    cuts,
    live,
    purges,
  }: { readonly cuts: Cuts; readonly live: Partial<TableState>; readonly purges: ReadonlyArray<ItemPurge> },
) =>
  Effect.acquireUseRelease(
    build(dependencies, target, VERIFY_GENERATION, to, { live, purges }),
    ({ name }) =>
      Effect.gen(function* () {
        const { history } = dependencies
        const columns = yield* history.query(
          "SELECT name FROM system.columns WHERE database = currentDatabase() AND table = {table:String} ORDER BY name",
          Column,
          { table: target.table },
        )
        const row = `toString(tuple(${columns.map((column) => `\`${column.name}\``).join(", ")}))`
        // A table may hold more than the archive still does: only events that can be folded again are compared.
        const start = yield* dependencies.log.start(target.topic)
        const foldable =
          cuts.archive === undefined || target.topic === "ledger"
            ? "true"
            : `(log_offset >= ${start} OR log_offset IN (SELECT log_offset FROM ${ARCHIVE}
                WHERE topic = '${target.topic}' AND log_offset >= {from:UInt64} AND log_offset < {to:UInt64}))`
        const held = cuts.own === undefined ? "true" : heldSql(cuts.own)
        // A sum of hashes does not depend on the order of an event's rows, and detects duplicates, which a set would not.
        const side = (table: string, number: 1 | 2) =>
          `SELECT log_offset, event_id, ${number} AS side, count() AS rows, sum(sipHash64(${row})) AS hash FROM ${table}
           WHERE log_offset >= {from:UInt64} AND log_offset < {to:UInt64} AND ${held} AND ${foldable} GROUP BY log_offset, event_id`
        const compare = (from: Offset, to: Offset) =>
          history.query(
            `SELECT log_offset, event_id, sumIf(rows, side = 1) AS live_rows, sumIf(rows, side = 2) AS fresh_rows
             FROM (${side(target.table, 1)} UNION ALL ${side(name, 2)})
             GROUP BY log_offset, event_id
             HAVING live_rows != fresh_rows OR sumIf(hash, side = 1) != sumIf(hash, side = 2)
             ORDER BY log_offset, event_id LIMIT 1`,
            Compared,
            { from, to },
          )
        let difference: typeof Compared.Type | undefined
        for (let from = 0; from < to && difference === undefined; from += COMPARED_OFFSETS_MAX)
          difference = (yield* compare(from, Math.min(to, from + COMPARED_OFFSETS_MAX)))[0]
        const [count] = yield* history.query(`SELECT count() AS rows FROM ${name}`, Count)
        const verified: Verified = {
          table: target.table,
          to,
          rows: count?.rows ?? 0,
          difference:
            difference === undefined
              ? null
              : {
                  table: target.table,
                  offset: difference.log_offset,
                  eventId: difference.event_id,
                  liveRows: difference.live_rows,
                  freshRows: difference.fresh_rows,
                },
        }
        return verified
      }),
    () => Effect.ignore(dependencies.history.dropGeneration(target.table, VERIFY_GENERATION)),
  )

/** The events of which a purge may leave a part. */
const SHORTENED: ReadonlySet<string> = new Set([itemChanged.type, viewsChanged.type])

/** A record of the log without what purges have taken out, as the archive has it. */
const redactedRecord = (redact: Redaction, record: StoredRecord): StoredRecord => {
  const event = record.value === null ? null : eventReader.readEvent(record.value)
  return event === null || Result.isFailure(event)
    ? record
    : redactedEntry(redact, { record, event: event.success }).record
}

/** Compares the archive with the log from the log's start on, and searches all of it for duplicates. */
const verifyArchive = (
  { log, history, progress = noProgress }: Dependencies,
  target: Target,
  to: Offset,
  { cut, purges }: { readonly cut: string | undefined; readonly purges: ReadonlyArray<ItemPurge> },
) =>
  Effect.gen(function* () {
    const { topic } = target
    const redact = makeRedaction(purges, feeds)
    // ClickHouse may spell the characters of what it leaves of an event in another way.
    const textOf = (row: ArchiveRow) =>
      JSON.stringify(purges.length > 0 && SHORTENED.has(row.type) ? { ...row, data: JSON.parse(row.data) } : row)
    let difference: Difference | null = null
    let rows = 0
    const differs = (offset: Offset, eventId: string, liveRows: number, freshRows: number) => {
      if (difference === null || offset < difference.offset)
        difference = { table: target.name, offset, eventId, liveRows, freshRows }
    }
    const [doubled] = yield* history.query(
      `SELECT log_offset, any(event_id) AS event_id, count() AS rows FROM ${ARCHIVE} WHERE topic = {topic:String}
       GROUP BY log_offset HAVING rows > 1 ORDER BY log_offset LIMIT 1 SETTINGS optimize_aggregation_in_order = 1`,
      Doubled,
      { topic },
    )
    if (doubled !== undefined) differs(doubled.log_offset, doubled.event_id, doubled.rows, 1)
    const compare = (slice: Slice) =>
      Effect.gen(function* () {
        const held = new Map<Offset, string>()
        yield* readArchive(history, topic, slice.from, slice.to, makeAvailability()).pipe(
          Stream.runForEach(({ records }) =>
            Effect.sync(() => {
              for (const record of records) held.set(record.offset, textOf(archiveRow(topic, record)))
            }),
          ),
        )
        for (const record of slice.records) {
          const row = archiveRow(topic, purges.length === 0 ? record : redactedRecord(redact, record))
          if (!isHeld(cut, archivePartitions.of(row))) {
            held.delete(record.offset)
            continue
          }
          if (held.get(record.offset) !== textOf(row))
            differs(record.offset, row.event_id, held.has(record.offset) ? 1 : 0, 1)
          held.delete(record.offset)
        }
        const [extra] = held.keys()
        if (extra !== undefined) differs(extra, "", 1, 0)
        rows += slice.records.length
      })
    const start = yield* log.start(topic)
    const { advance } = progress.begin(`archive of ${topic}`, Math.max(0, to - start), "offsets")
    yield* readLog(log, topic, start, to).pipe(
      Stream.runForEach((slice) =>
        compare(slice).pipe(Effect.andThen(Effect.sync(() => advance(slice.to - slice.from)))),
      ),
    )
    const verified: Verified = { table: target.name, to, rows, difference }
    return verified
  })

/**
 * Compares each table with a fresh fold of the same events, up to its checkpoint, and the archive with the log. Makes no
 * change, and may run beside a live history. Each result contains the first event that differs, or null.
 */
export const verifyTables = Effect.fn("verifyTables")(function* (
  dependencies: Dependencies & { readonly only?: ReadonlyArray<string> },
): Effect.fn.Return<ReadonlyArray<Verified>, RebuildFailed> {
  const { log, only } = dependencies
  const states = yield* readStates(log)
  const purges = yield* readPurges(log)
  const results: Array<Verified> = []
  for (const target of targetsOf(dependencies.tables)) {
    if (only !== undefined && !only.includes(target.table)) continue
    // The rows of a planned batch may be in the table or not; both are correct.
    const live = states.get(target.name) ?? initialState
    const { next: to, cut: own } = live
    const cuts = {
      own,
      archive: archiveTargets.map(({ name }) => states.get(name)?.cut).find((cut) => cut !== undefined),
    }
    results.push(
      yield* target.table === ARCHIVE
        ? verifyArchive(dependencies, target, to, { cut: own, purges: purges.slice(0, live.purges ?? 0) })
        : verifyTable(dependencies, target, to, { cuts, live, purges }),
    )
  }
  return results
})
