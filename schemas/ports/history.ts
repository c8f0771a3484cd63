import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** A row as ClickHouse's JSONEachRow takes it. The history adds `event_id` and `log_offset`. */
export type Row = Readonly<Record<string, string | number | boolean | null | ReadonlyArray<string | number | null>>>

/** ClickHouse did not answer, or not in time: a later retry may succeed. The outcome is unknown. */
export class HistoryUnavailable extends Schema.TaggedError<HistoryUnavailable>()("HistoryUnavailable", {
  problem: Schema.String,
}) {
  override get message() {
    return `the history is unavailable: ${this.problem}`
  }
}

/** ClickHouse refused the statement; a retry will be refused too. */
export class HistoryRefused extends Schema.TaggedError<HistoryRefused>()("HistoryRefused", {
  /** ClickHouse's number of the error. */
  code: Schema.Int,
  problem: Schema.String,
}) {
  override get message() {
    return `the history refused: ${this.problem}`
  }
}

/** ClickHouse's numbers of UNKNOWN_TABLE and UNKNOWN_DATABASE. */
const UNKNOWN_NAME_CODES: ReadonlySet<number> = new Set([60, 81])

/** Whether a query failed because the history does not have its tables yet, as before its first `prepare` has ended. */
export const isUnprepared = ({ code }: HistoryRefused): boolean => UNKNOWN_NAME_CODES.has(code)

/** The query's schema does not accept its rows: query and schema disagree. */
export class HistoryUndecodable extends Schema.TaggedError<HistoryUndecodable>()("HistoryUndecodable", {
  problem: Schema.String,
}) {
  override get message() {
    return `a row of the history is not what its reader expects: ${this.problem}`
  }
}

/** A migration cannot be applied as it stands; `problem` names the file. */
export class MigrationRefused extends Schema.TaggedError<MigrationRefused>()("MigrationRefused", {
  problem: Schema.String,
}) {
  override get message() {
    return this.problem
  }
}

export type HistoryFailed = HistoryUnavailable | HistoryRefused

/** Values for the `{name:Type}` parameters of a query. */
export type QueryParameters = Readonly<Record<string, string | number | boolean | ReadonlyArray<string | number>>>

/** Rows for one ClickHouse partition, and the token under which they are written once, however often they are sent. */
interface Insert {
  readonly table: string
  readonly rows: ReadonlyArray<Row>
  readonly token: string
}

/** A table of a new generation, in a database of its own that analysts do not see. */
interface Generation {
  /** `<database>.<table>__<generation>`, as statements and inserts name it. */
  readonly name: string
  /** The identity of the table, which stays with it when names are exchanged. */
  readonly uuid: string
}

/** The most rows that one insert takes: it must be one block. */
export const INSERT_MAX_ROWS = 100_000

/** The history: ClickHouse, embedded or a server. One adapter serves both: `infra/history/clickhouse.ts`. */
export interface History {
  readonly ping: Effect.Effect<void, HistoryUnavailable>
  /**
   * Makes database, tables and analysts' user as this release requires them; does nothing if they are up to date. Refuses, by the
   * name of the file, a migration that was edited after it had been applied.
   */
  readonly prepare: Effect.Effect<void, HistoryFailed | HistoryUndecodable | MigrationRefused>
  /**
   * Writes the rows as one block and succeeds when they are on disk. An insert whose token the table has seen among its
   * last 1,000 blocks does nothing. All rows must belong to one ClickHouse partition.
   */
  readonly insert: (insert: Insert) => Effect.Effect<void, HistoryFailed>
  /** Runs a SELECT of the project's database and decodes its rows. */
  readonly query: <A>(
    sql: string,
    row: Schema.Codec<A, unknown>,
    parameters?: QueryParameters,
  ) => Effect.Effect<ReadonlyArray<A>, HistoryFailed | HistoryUndecodable>
  /** Runs a statement without a result, to its end. */
  readonly execute: (sql: string, parameters?: QueryParameters) => Effect.Effect<void, HistoryFailed>
  /** Makes an empty table of a new generation from the live table's definition; one that stands there is dropped. */
  readonly createGeneration: (
    table: string,
    generation: number,
  ) => Effect.Effect<Generation, HistoryFailed | MigrationRefused | HistoryUndecodable>
  /** Exchanges the names of the live table and of the generation at one moment. The older one keeps the latter's name. */
  readonly exchangeGeneration: (table: string, generation: number) => Effect.Effect<void, HistoryFailed>
  readonly dropGeneration: (table: string, generation: number) => Effect.Effect<void, HistoryFailed>
  /** Drops every generation: those left behind by a killed rebuild or verification. */
  readonly dropGenerations: Effect.Effect<void, HistoryFailed | HistoryUndecodable>
  /** The identity of the current table of this name; null if there is none. */
  readonly identity: (table: string) => Effect.Effect<string | null, HistoryFailed | HistoryUndecodable>
}
