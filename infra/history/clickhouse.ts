import { type ClickHouseClient, ClickHouseError, type ClickHouseSettings } from "@clickhouse/client"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { DerivedView } from "../../processors/derived-view.ts"
import {
  type History,
  type HistoryFailed,
  HistoryRefused,
  HistoryUnavailable,
  HistoryUndecodable,
  INSERT_MAX_ROWS,
  type QueryParameters,
} from "../../schemas/ports/history.ts"
import { type ClickHouseOptions, connect, sentenceOf } from "./connection.ts"
import { derivedViews } from "./derived-views.ts"
import {
  type AppliedMigration,
  definesView,
  MIGRATIONS_TABLE,
  type Migration,
  migrationStatements,
  pendingMigrations,
  pendingViews,
  readMigrations,
  settingsStatement,
} from "./migrations.ts"
import { analystStatements, BUILD_DATABASE, DATABASE, statementsForAdministrator } from "./users.ts"

/** Above `INSERT_MAX_ROWS`, so that ClickHouse never splits an insert into several blocks. */
const BLOCK_MAX_ROWS = INSERT_MAX_ROWS * 2
const BLOCK_MAX_BYTES = 1024 * 1024 * 1024
/** Tables and views that are defined at the same time: each waits for the disk. */
const DEFINITIONS_AT_ONCE = 4

export type { ClickHouseOptions } from "./connection.ts"

const insertSettings: ClickHouseSettings = {
  // One insert must be one block: deduplication tokens count blocks, so a repeated insert must be split in the same way.
  max_insert_block_size: String(BLOCK_MAX_ROWS),
  min_insert_block_size_rows: String(BLOCK_MAX_ROWS),
  min_insert_block_size_bytes: String(BLOCK_MAX_BYTES),
  max_insert_threads: "1",
  input_format_parallel_parsing: 0,
  async_insert: 0,
  insert_deduplicate: 1,
  deduplicate_blocks_in_dependent_materialized_views: 1,
  wait_end_of_query: 1,
  date_time_input_format: "best_effort",
  // A missing number stays null, and an unknown column is an error.
  input_format_null_as_default: 0,
  input_format_skip_unknown_fields: 0,
}

/**
 * Transient errors of ClickHouse, which are retried: timeouts, too many queries or parts at once, memory, disk space, a
 * shutdown in progress, lost connections between servers.
 */
const TRANSIENT_CODES = new Set([
  3, 23, 74, 75, 76, 159, 173, 202, 203, 209, 210, 236, 241, 242, 243, 252, 279, 319, 394, 425, 999,
])

const failureOf = (cause: unknown): HistoryFailed => {
  if (cause instanceof ClickHouseError) {
    const code = Number(cause.code)
    const problem = sentenceOf(cause)
    return TRANSIENT_CODES.has(code) || !Number.isInteger(code)
      ? new HistoryUnavailable({ problem })
      : new HistoryRefused({ code, problem })
  }
  return new HistoryUnavailable({ problem: sentenceOf(cause) })
}

const attempt = <A>(run: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, HistoryFailed> =>
  Effect.tryPromise({ try: run, catch: failureOf })

const shortName = (table: string, generation: number): string => `${table}__${generation}`
const generationName = (table: string, generation: number): string =>
  `${BUILD_DATABASE}.${shortName(table, generation)}`

const Applied = Schema.Struct({ table: Schema.String, number: Schema.Int, hash: Schema.String })
const Identity = Schema.Struct({ uuid: Schema.String })
const TableName = Schema.Struct({ name: Schema.String })

/** The calls of the history that have one statement each. */
const makeCalls = (connection: ClickHouseClient) => {
  const execute: History["execute"] = (sql, parameters = {}) =>
    attempt((signal) =>
      connection.command({
        query: sql,
        query_params: parameters,
        abort_signal: signal,
        clickhouse_settings: { wait_end_of_query: 1, mutations_sync: "2", alter_sync: "2" },
      }),
    ).pipe(Effect.asVoid)

  const query = <A>(sql: string, row: Schema.Codec<A, unknown>, parameters: QueryParameters = {}) =>
    attempt(async (signal) => {
      const result = await connection.query({
        query: sql,
        query_params: parameters,
        abort_signal: signal,
        format: "JSONEachRow",
        clickhouse_settings: { output_format_json_quote_64bit_integers: 0, date_time_output_format: "iso" },
      })
      return result.json<unknown>()
    }).pipe(
      Effect.flatMap((rows) => {
        const decoded = Schema.decodeUnknownResult(Schema.Array(row))(rows)
        return Result.isSuccess(decoded)
          ? Effect.succeed(decoded.success)
          : Effect.fail(new HistoryUndecodable({ problem: decoded.failure.message }))
      }),
    )

  const insert: History["insert"] = ({ table, rows, token }) =>
    attempt((signal) =>
      connection.insert({
        table,
        values: rows,
        format: "JSONEachRow",
        abort_signal: signal,
        clickhouse_settings: { ...insertSettings, insert_deduplication_token: token },
      }),
    ).pipe(Effect.asVoid)

  const identityIn = (database: string, table: string) =>
    query(
      "SELECT toString(uuid) AS uuid FROM system.tables WHERE database = {database:String} AND name = {table:String}",
      Identity,
      { database, table },
    ).pipe(Effect.map((rows) => rows[0]?.uuid ?? null))

  return { execute, query, insert, identityIn }
}

type Calls = ReturnType<typeof makeCalls>

/** Runs the statements of a migration for a table of the given name. */
const applyTo = Effect.fnUntraced(function* ({ execute }: Calls, migration: Migration, name: string) {
  for (const statement of yield* Effect.fromResult(migrationStatements(migration, name))) yield* execute(statement)
})

/** Applies the pending migrations, and gives every table its settings. */
const migrate = Effect.fnUntraced(function* (calls: Calls, files: ReadonlyArray<Migration>) {
  const { execute, query } = calls
  yield* execute(
    `CREATE TABLE IF NOT EXISTS ${MIGRATIONS_TABLE}
       (
         \`table\` String COMMENT 'Table that the file belongs to',
         number UInt16 COMMENT 'Number of the file',
         hash String COMMENT 'SHA-256 of the file when it was applied, hexadecimal',
         applied_at DateTime('UTC') DEFAULT now() COMMENT 'When it was applied'
       )
       ENGINE = MergeTree ORDER BY (\`table\`, number)
       COMMENT 'Which SQL files of which table have been applied'`,
  )
  // What is recorded of a table that is gone (dropped by hand, or its definition lost) is applied again.
  const applied = yield* query(
    `SELECT DISTINCT \`table\`, number, hash FROM ${MIGRATIONS_TABLE}
       WHERE \`table\` IN (SELECT name FROM system.tables WHERE database = {database:String})`,
    Applied,
    { database: DATABASE },
  )
  const defined = new Set(files.map(({ table }) => table))
  const views = derivedViews.filter(({ over }) => over.every((table) => defined.has(table))).map(({ view }) => view)
  const derived = new Set(derivedViews.map(({ view }) => view.name))
  const [ofViews, ofFiles] = [
    applied.filter(({ table }) => derived.has(table)),
    applied.filter(({ table }) => !derived.has(table)),
  ]
  const pending = yield* Effect.fromResult(pendingMigrations(files, ofFiles))
  // Recorded at once: each statement may be repeated, should the process end before that.
  const byTable = [...Map.groupBy(pending, ({ table }) => table).values()]
  const applyAll = (ofTable: ReadonlyArray<Migration>) =>
    Effect.forEach(ofTable, (migration) => applyTo(calls, migration, migration.table), { discard: true })
  const options = { discard: true, concurrency: DEFINITIONS_AT_ONCE } as const
  // A view is defined over tables that exist.
  yield* Effect.forEach(
    byTable.filter((some) => !some.some(definesView)),
    applyAll,
    options,
  )
  yield* Effect.forEach(
    byTable.filter((some) => some.some(definesView)),
    applyAll,
    options,
  )
  yield* record(calls, pending)
  if (pending.length > 0)
    yield* Effect.logInfo("history tables brought up to this release").pipe(
      Effect.annotateLogs({ files: pending.map(({ file }) => file).join(" ") }),
    )
  yield* createDerivedViews(calls, views, ofViews)
  // Checked at every start: a crash may have happened between the creation of a table and its settings.
  const bare = yield* query(
    `SELECT name FROM system.tables WHERE database = {database:String} AND engine LIKE '%MergeTree'
       AND position(engine_full, {mark:String}) = 0`,
    TableName,
    { database: DATABASE, mark: "min_compressed_bytes_to_fsync_after_merge" },
  )
  yield* Effect.forEach(bare, ({ name }) => execute(settingsStatement(name)), {
    discard: true,
    concurrency: DEFINITIONS_AT_ONCE,
  })
})

/** Records what has been applied. */
const record = ({ insert }: Calls, applied: ReadonlyArray<AppliedMigration>): Effect.Effect<void, HistoryFailed> =>
  applied.length === 0
    ? Effect.void
    : insert({
        table: MIGRATIONS_TABLE,
        rows: applied.map(({ table, number, hash }) => ({ table, number, hash })),
        token: applied.map(({ table, number }) => `${table}/${number}`).join(" "),
      })

/** Creates the views of tables that are made of the DDL: a table with a new column has it in its view as well. */
const createDerivedViews = Effect.fnUntraced(function* (
  calls: Calls,
  views: ReadonlyArray<DerivedView>,
  applied: ReadonlyArray<AppliedMigration>,
) {
  const pending = pendingViews(views, applied)
  yield* Effect.forEach(pending, ({ sql }) => calls.execute(sql), { discard: true, concurrency: DEFINITIONS_AT_ONCE })
  yield* record(calls, pending)
})

/** Creates the analysts' user on a server; logs the statements where the server refuses them. */
const createAnalyst = Effect.fnUntraced(function* ({ execute }: Calls, analyst: ClickHouseOptions["analyst"]) {
  if (analyst === undefined || analyst === null) return
  yield* Effect.forEach(analystStatements(analyst), (statement) => execute(statement), { discard: true }).pipe(
    Effect.catchTag("HistoryRefused", ({ problem }) =>
      Effect.logWarning(
        `this ClickHouse refuses to create the analysts' user; its administrator can run:\n${statementsForAdministrator(analyst)}`,
      ).pipe(Effect.annotateLogs({ problem })),
    ),
  )
})

/** Opens the history on ClickHouse, embedded or a server. It connects with the first call. */
export const openClickHouse = Effect.fn("openClickHouse")(function* (
  options: ClickHouseOptions,
): Effect.fn.Return<History, never, Scope.Scope> {
  const connection = yield* connect(options, DATABASE)
  // A connection cannot name the project's database before it exists.
  const bootstrap = yield* connect(options, "system")
  const files = readMigrations(options.migrations)

  const calls = makeCalls(connection)
  const { execute, query, insert, identityIn } = calls
  const drop = (name: string) => execute(`DROP TABLE IF EXISTS ${name} SYNC`)

  return {
    ping: attempt(async () => {
      const pong = await connection.ping()
      if (!pong.success) throw pong.error
    }).pipe(Effect.mapError(({ problem }) => new HistoryUnavailable({ problem }))),
    prepare: Effect.forEach(
      [DATABASE, BUILD_DATABASE],
      (database) =>
        attempt((signal) =>
          bootstrap.command({ query: `CREATE DATABASE IF NOT EXISTS ${database}`, abort_signal: signal }),
        ),
      { discard: true },
    ).pipe(Effect.andThen(migrate(calls, files)), Effect.andThen(createAnalyst(calls, options.analyst))),
    insert,
    query,
    execute,
    identity: (table) => identityIn(DATABASE, table),
    createGeneration: Effect.fnUntraced(function* (table, generation) {
      const name = generationName(table, generation)
      yield* drop(name)
      for (const migration of files.filter((file) => file.table === table)) yield* applyTo(calls, migration, name)
      yield* execute(settingsStatement(name))
      const uuid = yield* identityIn(BUILD_DATABASE, shortName(table, generation))
      return { name, uuid: uuid ?? "" }
    }),
    exchangeGeneration: (table, generation) =>
      execute(`EXCHANGE TABLES ${table} AND ${generationName(table, generation)}`),
    dropGeneration: (table, generation) => drop(generationName(table, generation)),
    dropGenerations: query("SELECT name FROM system.tables WHERE database = {database:String}", TableName, {
      database: BUILD_DATABASE,
    }).pipe(
      Effect.flatMap((left) =>
        Effect.forEach(left, ({ name }) => drop(`${BUILD_DATABASE}.${name}`), { discard: true }),
      ),
    ),
  }
})
