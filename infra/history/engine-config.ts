import { createHash } from "node:crypto"
import { ANALYST, type AnalystLimits, analystSettings, DATABASE, WRITER } from "./users.ts"

const MEBIBYTE = 1024 * 1024
/** Memory limit of the whole engine, without its code, which is mapped from disk. */
const ENGINE_MAX_BYTES = 320 * MEBIBYTE
/**
 * Confined, the engine cannot read what its control group uses, and counts the pages of its allocator instead: also those that
 * are freed and not given back, and an estimate of what comes next. So pages go back early, and nothing is estimated: otherwise
 * an insert is refused while two fifths of the limit are in use.
 */
const MEMORY_WORKER = `
  <memory_worker_purge_dirty_pages_threshold_ratio>0.05</memory_worker_purge_dirty_pages_threshold_ratio>
  <memory_worker_purge_total_memory_threshold_ratio>0.5</memory_worker_purge_total_memory_threshold_ratio>
  <memory_worker_rss_speculative_reserve_ratio>0</memory_worker_rss_speculative_reserve_ratio>`
const CACHE_MAX_BYTES = 16 * MEBIBYTE
/** Disk space that all queries together may use when they exceed their memory. */
const TEMPORARY_MAX_BYTES = 512 * MEBIBYTE

const text = (value: string): string =>
  value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

/** Accepted names of this machine in `Host`; other names indicate DNS rebinding by a web page. */
const LOOPBACK_HOST = String.raw`(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?`

/**
 * The reply to a query without a user name. ClickHouse would run it as the user `default`, whose only session is the engine's
 * own, and answer with an error about the number of sessions.
 */
const LOG_IN = `Log in as the user ${ANALYST}, as curl -u does: its password is in DATA_DIR/secrets/analyst-password.\n`

/**
 * The requests that are answered over HTTP: those that name this machine in `Host`, and that were not sent by a web page of
 * another origin. All others get 404.
 */
const handlersXml = (): string => {
  const loopback = `<Host>regex:^${LOOPBACK_HOST}$</Host><Origin>regex:^(https?://${LOOPBACK_HOST})?$</Origin>`
  const rule = (path: string, methods: string, handler: string, headers = "") =>
    `<rule>${path}<methods>${methods}</methods><headers>${loopback}${headers}</headers><handler>${handler}</handler></rule>`
  return [
    rule("<url>/ping</url>", "GET,HEAD", "<type>ping</type>"),
    rule("<url>/play</url>", "GET,HEAD", "<type>play</type>"),
    rule(
      "<url>/</url><empty_query_string/>",
      "POST",
      `<type>static</type><status>401</status><content_type>text/plain; charset=UTF-8</content_type><response_content>${LOG_IN}</response_content>`,
      "<Authorization>regex:^$</Authorization><X-ClickHouse-User>regex:^$</X-ClickHouse-User>",
    ),
    rule(
      "<url>/</url>",
      "GET,HEAD,POST",
      "<type>dynamic_query_handler</type><query_param_name>query</query_param_name>",
    ),
  ].join("")
}

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
  <http_handlers>${handlersXml()}</http_handlers>
  <max_temporary_data_on_disk_size>${TEMPORARY_MAX_BYTES}</max_temporary_data_on_disk_size>
  <timezone>UTC</timezone>
  <default_profile>default</default_profile>
  <max_server_memory_usage>${ENGINE_MAX_BYTES}</max_server_memory_usage>${MEMORY_WORKER}
  <mark_cache_size>${CACHE_MAX_BYTES}</mark_cache_size>
  <primary_index_cache_size>${CACHE_MAX_BYTES}</primary_index_cache_size>
  <index_mark_cache_size>${CACHE_MAX_BYTES}</index_mark_cache_size>
  <uncompressed_cache_size>0</uncompressed_cache_size>
  <index_uncompressed_cache_size>0</index_uncompressed_cache_size>
  <query_condition_cache_size>0</query_condition_cache_size>
  <compiled_expression_cache_size>${CACHE_MAX_BYTES}</compiled_expression_cache_size>
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
  `<password_sha256_hex>${createHash("sha256").update(value).digest("hex")}</password_sha256_hex>`

const NO_CORS = "<add_http_cors_header>0</add_http_cors_header>"
const NO_CORS_EVER = `${NO_CORS}<constraints><add_http_cors_header><readonly/></add_http_cors_header></constraints>`

/** Settings of the embedded engine that a ClickHouse server does not have. */
const EMBEDDED_ONLY = { name: "allow_python_table_function", value: 0, bounds: null } as const

const analystProfileXml = (limits: AnalystLimits): string => {
  const settings = [...analystSettings(limits), EMBEDDED_ONLY]
  const values = settings.map(({ name, value }) => `<${name}>${value}</${name}>`).join("")
  const constraints = settings
    .map(({ name, bounds }) =>
      bounds === null
        ? `<${name}><readonly/></${name}>`
        : `<${name}><min>${bounds.minimum}</min><max>${bounds.maximum}</max></${name}>`,
    )
    .join("")
  return `<readonly>2</readonly>${values}<constraints>${constraints}</constraints>`
}

/**
 * The engine's `users.xml`. The built-in session runs as `default`, which cannot have a password. That session uses up the
 * limit of one session for this user, so no other client can connect as `default`; its only right is to open the listeners.
 */
export const usersXml = (options: {
  readonly writerPassword: string
  readonly analystPassword: string
  readonly analystLimits: AnalystLimits
}): string => {
  return `<clickhouse>
  <profiles>
    <default>${NO_CORS_EVER}</default>
    <listener><max_sessions_for_user>1</max_sessions_for_user><max_threads>1</max_threads>${NO_CORS_EVER}</listener>
    <writer>${NO_CORS_EVER}<max_threads>2</max_threads><max_memory_usage>${192 * MEBIBYTE}</max_memory_usage></writer>
    <analyst>${analystProfileXml(options.analystLimits)}</analyst>
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
      <default_database>${DATABASE}</default_database>
      <grants><query>GRANT SELECT ON ${DATABASE}.*</query></grants>
    </${ANALYST}>
  </users>
</clickhouse>
`
}
