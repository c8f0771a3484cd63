import { createHash } from "node:crypto"

/** The project's database. Analysts read this one and no other. */
export const DATABASE = "tidewire"

/** The user that writes; its password is new at every start and stands in no file. */
export const WRITER = "writer"
/** The user for everybody else: reads the project's database within limits. */
export const ANALYST = "analyst"

const MEBIBYTE = 1024 * 1024
/** What the whole engine may use; its code, mapped from disk, comes on top. */
const ENGINE_BYTES_MAX = 320 * MEBIBYTE
const CACHE_BYTES_MAX = 16 * MEBIBYTE

/** What one query of an analyst may use, at most and unless it asks for less. Zero, which means "no limit", is refused. */
export const ANALYST_LIMITS = {
  max_execution_time: 10,
  max_memory_usage: 128 * MEBIBYTE,
  max_memory_usage_for_user: 160 * MEBIBYTE,
  max_rows_to_read: 200_000_000,
  max_bytes_to_read: 8_000_000_000,
  max_result_rows: 100_000,
  max_result_bytes: 64 * MEBIBYTE,
  max_threads: 1,
  max_concurrent_queries_for_user: 8,
  max_sessions_for_user: 32,
  max_ast_elements: 50_000,
  max_expanded_ast_elements: 200_000,
  max_columns_to_read: 500,
  max_query_size: 262_144,
  max_parser_depth: 500,
} as const

/** Limits that an analyst may raise, up to here: drivers put their own time-out (Grafana's is 60 s) into every query. */
const ANALYST_LIMITS_MAX: Readonly<Partial<Record<keyof typeof ANALYST_LIMITS, number>>> = {
  max_execution_time: 90,
  max_threads: 2,
}

/** Settings of an analyst that stay as they are. */
const ANALYST_FIXED: Readonly<Record<string, string | number>> = {
  allow_ddl: 0,
  allow_introspection_functions: 0,
  max_execution_speed: 0,
  timeout_overflow_mode: "throw",
  read_overflow_mode: "throw",
  result_overflow_mode: "throw",
  use_query_cache: 0,
  max_untracked_memory: 4 * MEBIBYTE,
}

const text = (value: string): string =>
  value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const members = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join("")

/** Constraints of an analyst's settings as `[setting, minimum, maximum]`; null bounds mean "not to be changed". */
export const analystConstraints = (): ReadonlyArray<readonly [string, number, number] | readonly [string]> => [
  ...Object.entries({ ...ANALYST_LIMITS, ...ANALYST_LIMITS_MAX }).map(([name, value]) => [name, 1, value] as const),
  ...Object.keys(ANALYST_FIXED).map((name) => [name] as const),
]

/** An analyst's settings with their values. */
export const analystSettings = (): Readonly<Record<string, string | number>> => ({
  ...ANALYST_LIMITS,
  ...ANALYST_FIXED,
})

/** The engine's `config.xml`. */
export const configXml = (options: {
  readonly dataDirectory: string
  readonly usersFile: string
  readonly host: string
  readonly httpPort: number
  readonly tcpPort: number
}): string => `<clickhouse>
  <path>${text(options.dataDirectory)}/</path>
  <tmp_path>${text(options.dataDirectory)}/tmp/</tmp_path>
  <user_files_path>${text(options.dataDirectory)}/user_files/</user_files_path>
  <users_config>${text(options.usersFile)}</users_config>
  <listen_host>${text(options.host)}</listen_host>
  <http_port>${options.httpPort}</http_port>
  <tcp_port>${options.tcpPort}</tcp_port>
  <timezone>UTC</timezone>
  <default_profile>default</default_profile>
  <max_server_memory_usage>${ENGINE_BYTES_MAX}</max_server_memory_usage>
  <mark_cache_size>${CACHE_BYTES_MAX}</mark_cache_size>
  <primary_index_cache_size>${CACHE_BYTES_MAX}</primary_index_cache_size>
  <index_mark_cache_size>${CACHE_BYTES_MAX}</index_mark_cache_size>
  <uncompressed_cache_size>0</uncompressed_cache_size>
  <index_uncompressed_cache_size>0</index_uncompressed_cache_size>
  <query_condition_cache_size>0</query_condition_cache_size>
  <compiled_expression_cache_size>${CACHE_BYTES_MAX}</compiled_expression_cache_size>
  <mmap_cache_size>16</mmap_cache_size>
  <max_connections>256</max_connections>
  <max_concurrent_queries>32</max_concurrent_queries>
  <max_thread_pool_size>256</max_thread_pool_size>
  <max_thread_pool_free_size>8</max_thread_pool_free_size>
  <max_io_thread_pool_size>8</max_io_thread_pool_size>
  <max_io_thread_pool_free_size>0</max_io_thread_pool_free_size>
  <max_active_parts_loading_thread_pool_size>2</max_active_parts_loading_thread_pool_size>
  <max_outdated_parts_loading_thread_pool_size>2</max_outdated_parts_loading_thread_pool_size>
  <max_parts_cleaning_thread_pool_size>2</max_parts_cleaning_thread_pool_size>
  <background_pool_size>2</background_pool_size>
  <background_merges_mutations_concurrency_ratio>1</background_merges_mutations_concurrency_ratio>
  <background_common_pool_size>2</background_common_pool_size>
  <background_schedule_pool_size>2</background_schedule_pool_size>
  <asynchronous_metrics_update_period_s>60</asynchronous_metrics_update_period_s>
  <merge_tree>
    <number_of_free_entries_in_pool_to_execute_mutation>1</number_of_free_entries_in_pool_to_execute_mutation>
    <number_of_free_entries_in_pool_to_lower_max_size_of_merge>1</number_of_free_entries_in_pool_to_lower_max_size_of_merge>
    <number_of_free_entries_in_pool_to_execute_optimize_entire_partition>1</number_of_free_entries_in_pool_to_execute_optimize_entire_partition>
    <merge_max_block_size_bytes>${4 * MEBIBYTE}</merge_max_block_size_bytes>
  </merge_tree>
</clickhouse>
`

const password = (value: string): string =>
  value === ""
    ? "<password></password>"
    : `<password_sha256_hex>${createHash("sha256").update(value).digest("hex")}</password_sha256_hex>`

const constraintsXml = (): string =>
  analystConstraints()
    .map(([name, minimum, maximum]) =>
      minimum === undefined
        ? `<${name}><readonly/></${name}>`
        : `<${name}><min>${minimum}</min><max>${maximum}</max></${name}>`,
    )
    .join("")

/**
 * The engine's `users.xml`. The built-in session runs as `default`, which must have no password: it holds the only session
 * that this user may have, so nobody can come in by that name, and its one right is to open the listeners. An empty
 * analyst password lets everybody in who reaches the port.
 */
export const usersXml = (options: { readonly writerPassword: string; readonly analystPassword: string }): string => {
  const analystProfile = `<readonly>2</readonly>${members(analystSettings())}<constraints>${constraintsXml()}</constraints>`
  return `<clickhouse>
  <profiles>
    <default></default>
    <listener><max_sessions_for_user>1</max_sessions_for_user><max_threads>1</max_threads></listener>
    <writer><max_threads>2</max_threads><max_memory_usage>${192 * MEBIBYTE}</max_memory_usage></writer>
    <analyst>${analystProfile}</analyst>
  </profiles>
  <quotas><default></default></quotas>
  <users>
    <default>
      <networks><ip>127.0.0.1</ip></networks><password></password><profile>listener</profile><quota>default</quota>
      <grants><query>GRANT SYSTEM LISTEN ON *.*</query><query>GRANT SELECT ON system.numbers</query></grants>
    </default>
    <${WRITER}>
      <networks><ip>127.0.0.1</ip><ip>::1</ip></networks>
      ${password(options.writerPassword)}<profile>writer</profile><quota>default</quota>
    </${WRITER}>
    <${ANALYST}>
      <networks><ip>::/0</ip></networks>${password(options.analystPassword)}<profile>analyst</profile><quota>default</quota>
      <grants><query>GRANT SELECT ON ${DATABASE}.*</query></grants>
    </${ANALYST}>
  </users>
</clickhouse>
`
}
