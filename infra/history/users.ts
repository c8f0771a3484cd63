import { createHash } from "node:crypto"

/** The project's database, the only one that analysts can read. */
export const DATABASE = "tidewire"
/** The database of tables that a rebuild is filling; only the writer can read it. */
export const BUILD_DATABASE = "tidewire_build"

/** The user that writes; its password is new at every start and is stored in no file. */
export const WRITER = "writer"
/** The analysts' user: reads the project's database within limits. */
export const ANALYST = "analyst"

const MEBIBYTE = 1024 * 1024

/** The limits of one analyst; each has a setting. */
export interface AnalystLimits {
  /** Time of a query, in seconds. A query may set a lower one. */
  readonly querySeconds: number
  /** Memory of a query, in MiB. All queries together may use a quarter more. */
  readonly memoryMebibytes: number
  /** Disk space that queries may use when they exceed their memory, in MiB. */
  readonly diskMebibytes: number
  /** Rows that a query may read. */
  readonly readRows: number
  /** Rows of a result. */
  readonly resultRows: number
  /** Queries that run at the same time. */
  readonly queries: number
}

/** The default limits. */
export const ANALYST_LIMITS: AnalystLimits = {
  querySeconds: 10,
  memoryMebibytes: 128,
  diskMebibytes: 64,
  readRows: 200_000_000,
  resultRows: 100_000,
  queries: 8,
}

/** Average bytes of a row, which turn a limit of rows into a limit of bytes. */
const READ_ROW_BYTES = 40
const RESULT_ROW_BYTES = 640
/** Drivers send their own timeout with every query (Grafana's is 60 s), which must be accepted. */
const DRIVER_MAX_SECONDS = 90
const THREADS_MAX = 2
/** Limits of time are looked at between blocks. A smaller block costs simple queries a multiple of their time. */
const BLOCK_MAX_ROWS = 4_096
const SEND_MAX_SECONDS = 30

/** Settings with a limit: the value, and the bound up to which an analyst may raise it. Zero means "no limit", and is refused. */
const bounded = (limits: AnalystLimits): ReadonlyArray<readonly [name: string, value: number, maximum: number]> => {
  const memory = limits.memoryMebibytes * MEBIBYTE
  const disk = limits.diskMebibytes * MEBIBYTE
  const same = (name: string, value: number) => [name, value, value] as const
  return [
    ["max_execution_time", limits.querySeconds, Math.max(limits.querySeconds, DRIVER_MAX_SECONDS)],
    ["max_threads", 1, THREADS_MAX],
    same("max_block_size", BLOCK_MAX_ROWS),
    same("max_joined_block_size_rows", BLOCK_MAX_ROWS),
    // A query whose client takes nothing waits at most this long, and then looks at its time.
    same("http_send_timeout", Math.min(limits.querySeconds, SEND_MAX_SECONDS)),
    same("send_timeout", Math.min(limits.querySeconds, SEND_MAX_SECONDS)),
    same("max_memory_usage", memory),
    same("max_memory_usage_for_user", memory + Math.floor(memory / 4)),
    same("max_temporary_data_on_disk_size_for_query", disk),
    same("max_temporary_data_on_disk_size_for_user", disk),
    same("max_rows_to_read", limits.readRows),
    same("max_bytes_to_read", limits.readRows * READ_ROW_BYTES),
    same("max_result_rows", limits.resultRows),
    same("max_result_bytes", limits.resultRows * RESULT_ROW_BYTES),
    same("max_concurrent_queries_for_user", limits.queries),
    same("max_sessions_for_user", limits.queries * 4),
    same("max_ast_elements", 50_000),
    same("max_expanded_ast_elements", 200_000),
    same("max_columns_to_read", 500),
    same("max_query_size", 262_144),
    same("max_parser_depth", 500),
  ]
}

/** Settings that an analyst cannot change. */
const FIXED: Readonly<Record<string, string | number>> = {
  // With it, every page in a browser on this machine could read the answers of the port.
  add_http_cors_header: 0,
  allow_ddl: 0,
  allow_introspection_functions: 0,
  max_execution_speed: 0,
  timeout_overflow_mode: "throw",
  read_overflow_mode: "throw",
  result_overflow_mode: "throw",
  use_query_cache: 0,
  max_untracked_memory: 4 * MEBIBYTE,
}

/** One setting of an analyst: its value, and the bounds of changes; null if it cannot be changed. */
interface AnalystSetting {
  readonly name: string
  readonly value: string | number
  readonly bounds: { readonly minimum: number; readonly maximum: number } | null
}

/** Every setting of an analyst. */
export const analystSettings = (limits: AnalystLimits): ReadonlyArray<AnalystSetting> => [
  ...bounded(limits).map(([name, value, maximum]) => ({ name, value, bounds: { minimum: 1, maximum } })),
  ...Object.entries(FIXED).map(([name, value]) => ({ name, value, bounds: null })),
]

/** The analysts' user on a server. */
export interface Analyst {
  readonly user: string
  /** Empty: the user can connect from the server's own machine only. */
  readonly password: string
  readonly limits: AnalystLimits
}

/** A server accepts these in its configuration only, not in a statement. */
const PROFILE_ONLY: ReadonlySet<string> = new Set(["max_sessions_for_user"])

const literal = (value: string | number) => (typeof value === "number" ? String(value) : `'${value}'`)

const statements = (analyst: Analyst, identified: string): ReadonlyArray<string> => {
  const settings = analystSettings(analyst.limits)
    .filter(({ name }) => !PROFILE_ONLY.has(name))
    .map(({ name, value, bounds }) => {
      const assigned = `${name} = ${literal(value)}`
      return bounds === null ? `${assigned} CONST` : `${assigned} MIN ${bounds.minimum} MAX ${bounds.maximum}`
    })
    .join(", ")
  return [
    `CREATE USER IF NOT EXISTS ${analyst.user} ${identified} DEFAULT DATABASE ${DATABASE} SETTINGS readonly = 2, ${settings}`,
    `ALTER USER ${analyst.user} ${identified} DEFAULT DATABASE ${DATABASE} SETTINGS readonly = 2, ${settings}`,
    `REVOKE ALL ON *.* FROM ${analyst.user}`,
    `GRANT SELECT ON ${DATABASE}.* TO ${analyst.user}`,
  ]
}

/**
 * The statements that create the analysts' user on a ClickHouse server, with the rights and limits of the embedded engine.
 * Without a password the user can connect from the server's own machine only. May be run again.
 */
export const analystStatements = (analyst: Analyst): ReadonlyArray<string> => {
  const identified =
    analyst.password === ""
      ? "NOT IDENTIFIED HOST LOCAL"
      : `IDENTIFIED WITH sha256_hash BY '${createHash("sha256").update(analyst.password).digest("hex")}' HOST ANY`
  return statements(analyst, identified)
}

/** The same statements for an administrator, without the password, as not even its hash may be logged. */
export const statementsForAdministrator = (analyst: Analyst): string =>
  statements(
    analyst,
    analyst.password === ""
      ? "NOT IDENTIFIED HOST LOCAL"
      : "IDENTIFIED WITH sha256_password BY 'CLICKHOUSE_ANALYST_PASSWORD' HOST ANY",
  )
    .map((statement) => `${statement};`)
    .join("\n")
