import * as Result from "effect/Result"
import { ALL_SOURCES } from "../../ingestors/terms.ts"
import { STOCKS_FOLLOWED_MAX, stockSymbolsOf } from "../../schemas/feeds/stock-quotes.ts"
import { ANALYST_LIMITS } from "../history/users.ts"
import { labelsOfFile } from "./installation.ts"
import {
  Broker,
  Cidr,
  Days,
  EdgeSecrets,
  EvmAddress,
  Flag,
  Host,
  HostOverride,
  integer,
  KeptHistoryDays,
  list,
  matching,
  oneOf,
  optional,
  Port,
  type Setting,
  setting,
  Text,
  text,
  Url,
} from "./setting.ts"

/** The SASL mechanisms of the client. */
export const SASL_MECHANISMS = ["plain", "scram-sha-256", "scram-sha-512"] as const

/** The roles a process may play. `all` is all of them together, on the embedded engines or on existing ones. */
export const roles = ["all", "ingest", "process", "ledger", "api"] as const
export type Role = (typeof roles)[number]

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error"] as const

/**
 * Every setting but the keys and addresses of providers (`provider-settings.ts`), by the name of its decoded value. `--help`
 * prints both tables.
 */
export const settingTable = {
  host: setting("HOST", Host, "127.0.0.1", "address the API listens on"),
  port: setting("PORT", Port, "8787", "port of the API"),
  adminHost: setting("ADMIN_HOST", Host, "127.0.0.1", "address of the admin port (metrics, liveness, readiness)"),
  adminPort: setting("ADMIN_PORT", Port, "9787", "the admin port"),
  livePort: optional(
    "LIVE_PORT",
    Port,
    "port at ADMIN_HOST where a thread of its own answers /livez while the process is starved; absent: there is none",
  ),
  internalHost: setting("INTERNAL_HOST", Host, "127.0.0.1", "address that the rail of the sister service listens on"),
  internalPort: optional(
    "INTERNAL_PORT",
    Port,
    "port of the rail, by which a sister service spends credits of the same tokens; absent: there is none",
  ),
  publicUrl: optional("PUBLIC_URL", Url, "address under which callers reach the API, for links in replies"),
  securityContact: optional(
    "SECURITY_CONTACT",
    matching(
      /^(mailto:[^\s@]+@[^\s@]+|https:\/\/[^\s/]+\S*|tel:\+?[0-9-]+)$/,
      "must be a mailto:, https:// or tel: address",
    ),
    "where faults of security are reported, for /.well-known/security.txt; absent: there is none",
  ),
  dataDirectory: setting("DATA_DIR", Text, "./data", "folder of everything that is kept: log, history, secrets"),
  kafkaBrokers: optional(
    "KAFKA_BROKERS",
    list(Broker),
    "brokers of the event log (host:port, comma separated); absent: the embedded log",
  ),
  kafkaReplication: optional(
    "KAFKA_REPLICATION",
    integer(1, 9),
    "replicas of topics that are created; absent: as many as there are brokers, 3 at most",
  ),
  kafkaTopicPrefix: optional(
    "KAFKA_TOPIC_PREFIX",
    matching(/^[A-Za-z0-9._-]{1,60}$/, "must be 1 to 60 letters, digits and . _ -"),
    "put before the name of every topic and writer",
  ),
  kafkaCompression: setting(
    "KAFKA_COMPRESSION",
    oneOf(["zstd", "none"]),
    "zstd",
    "how batches of 4 KiB and more are packed for the brokers: zstd or none",
  ),
  kafkaSsl: setting("KAFKA_SSL", Flag, "false", "whether the brokers are reached by TLS (true or false)"),
  kafkaSslCa: optional(
    "KAFKA_SSL_CA",
    Text,
    "file of the certificates (PEM) that vouch for the brokers; absent: those that Node trusts",
  ),
  kafkaSaslMechanism: optional(
    "KAFKA_SASL_MECHANISM",
    oneOf(SASL_MECHANISMS),
    `how this client proves to the brokers who it is: ${SASL_MECHANISMS.join(", ")}; absent: they do not ask`,
  ),
  kafkaSaslUsername: optional("KAFKA_SASL_USERNAME", Text, "user of the brokers"),
  kafkaSaslPassword: optional("KAFKA_SASL_PASSWORD", Text, "its password", true),
  keepDays: optional(
    "KEEP_DAYS",
    Days,
    "days that the log keeps a topic (topic=days, comma separated), counted by events, and never past what the archive holds of observations, deltas, versions and usage, unless HISTORY is off; absent: observations=30, deltas=7, versions=1, replies=1, usage=7, quarantine=30",
  ),
  keepHistory: optional(
    "KEEP_HISTORY",
    KeptHistoryDays,
    "days that ClickHouse keeps a table (table=days or feed=days, comma separated) and, as a number alone, every other one but events and those of the ledger; whole months or years are dropped, counted by events; absent: for ever",
  ),
  processors: optional(
    "PROCESSORS",
    list(Text),
    "what a process of the role `process` may run (names of processors, such as latest, and history; comma separated); absent: all",
  ),
  history: setting(
    "HISTORY",
    oneOf(["on", "off"]),
    "on",
    "whether the past is kept in ClickHouse, the same for every role; off: none is started or written, the log is trimmed by age alone (KEEP_DAYS), and what reads the past answers not_configured",
  ),
  clickhouseUrl: optional("CLICKHOUSE_URL", Url, "ClickHouse server of the history; absent: the embedded engine"),
  clickhouseUser: setting("CLICKHOUSE_USER", Text, "default", "user of that server who may create tables"),
  clickhousePassword: optional("CLICKHOUSE_PASSWORD", Text, "its password", true),
  clickhouseCa: optional(
    "CLICKHOUSE_CA",
    Text,
    "file (PEM) of the authorities that may vouch for that server's https:// address; absent: those that Node knows",
  ),
  clickhouseAnalystPassword: optional(
    "CLICKHOUSE_ANALYST_PASSWORD",
    Text,
    "password of the user `analyst`; absent: made and kept in DATA_DIR, and on a server analysts must come from its own machine",
    true,
  ),
  clickhouseHttpPort: setting("CLICKHOUSE_HTTP_PORT", Port, "8123", "HTTP port of the embedded ClickHouse"),
  clickhouseTcpPort: setting("CLICKHOUSE_TCP_PORT", Port, "9000", "native port of the embedded ClickHouse"),
  analystQuerySeconds: setting(
    "ANALYST_QUERY_SECONDS",
    integer(1, 86_400),
    String(ANALYST_LIMITS.querySeconds),
    "seconds that one query of an analyst may take",
  ),
  analystMemoryMebibytes: setting(
    "ANALYST_MEMORY_MIB",
    integer(16, 1_048_576),
    String(ANALYST_LIMITS.memoryMebibytes),
    "memory of one query of an analyst, MiB; the embedded engine has 320 for all",
  ),
  analystDiskMebibytes: setting(
    "ANALYST_DISK_MIB",
    integer(1, 1_048_576),
    String(ANALYST_LIMITS.diskMebibytes),
    "what analysts' queries may write to disk when their memory does not suffice, MiB",
  ),
  analystReadRows: setting(
    "ANALYST_READ_ROWS",
    integer(1_000, 1_000_000_000_000),
    String(ANALYST_LIMITS.readRows),
    "rows that one query of an analyst may read",
  ),
  analystResultRows: setting(
    "ANALYST_RESULT_ROWS",
    integer(1, 1_000_000_000),
    String(ANALYST_LIMITS.resultRows),
    "rows that one query of an analyst may give",
  ),
  analystQueries: setting(
    "ANALYST_QUERIES",
    integer(1, 1_000),
    String(ANALYST_LIMITS.queries),
    "queries of analysts at the same time",
  ),
  upstreams: optional(
    "UPSTREAMS",
    Url,
    "sends every upstream to this address, as <address>/<host>/<path>: a simulated world",
  ),
  upstreamHosts: optional(
    "UPSTREAM_HOSTS",
    list(HostOverride),
    "sends single upstream hosts elsewhere (host=http://address, comma separated)",
  ),
  pollSecondsMax: optional(
    "POLL_SECONDS_MAX",
    integer(1, 86_400),
    "polls every source at least this often, whatever its own schedule; for simulated upstreams only",
  ),
  stockSymbols: optional(
    "STOCK_SYMBOLS",
    text((given) =>
      stockSymbolsOf(given, STOCKS_FOLLOWED_MAX) === null
        ? `must be a comma list of 1 to ${STOCKS_FOLLOWED_MAX} tickers, such as SPY,AAPL,BRK.B`
        : undefined,
    ),
    `shares that /api/stocks follows (tickers, comma separated, ${STOCKS_FOLLOWED_MAX} at most), the same for every role; absent: 31 large ones`,
  ),
  exchangeLabels: optional(
    "EXCHANGE_LABELS",
    text((given) => {
      const labels = labelsOfFile(given)
      return Result.isFailure(labels) ? `must name a file of exchange labels (JSON): ${labels.failure}` : undefined
    }),
    "file with the addresses of exchanges (JSON: a list of {address, exchange, sources, readOn, confidence}), the same for every role, instead of the release's own; rows and views of before stay as they are until a rebuild",
  ),
  contact: setting(
    "CONTACT",
    matching(/^[\x20-\x7e]{1,200}$/, "must be 1 to 200 characters of ASCII, as it stands in a header"),
    "no contact given",
    "how upstreams reach you: stands in the User-Agent",
  ),
  restrictedSources: optional(
    "RESTRICTED_SOURCES",
    list(matching(/^[a-z0-9-]{1,100}$/, "must be the name of a source")),
    `sources of personal or non-commercial use that are polled although WALLET_ADDRESS is set, as you hold a licence (comma separated, or ${ALL_SOURCES}); those that need their provider's consent in any case (fred) are polled only where they are named here`,
  ),
  resaleSources: optional(
    "RESALE_SOURCES",
    list(matching(/^[a-z0-9-]{1,100}$/, "must be the name of a source")),
    `sources whose public terms are not known to allow resale, and whose data premium replies hold although WALLET_ADDRESS is set, as you hold a licence (comma separated, or ${ALL_SOURCES})`,
  ),
  sourcesOff: optional(
    "SOURCES_OFF",
    list(matching(/^[a-z0-9-]{1,100}$/, "must be the name of a source")),
    "sources that are not polled (comma separated), the same for every role: what only they fill is not_configured",
  ),
  endpointsOff: optional(
    "ENDPOINTS_OFF",
    list(matching(/^[a-z0-9/._-]{1,100}$/, "must be the path or the name of an endpoint")),
    "endpoints of data that are not offered (paths or names, comma separated), the same for every role: they answer 404 not_offered, no document lists them, and what only they need is not polled",
  ),
  demandUrls: optional(
    "DEMAND_URLS",
    list(Url),
    "admin addresses of the ingest processes, asked by api processes for on-demand data",
  ),
  demandSecret: optional(
    "DEMAND_SECRET",
    EdgeSecrets,
    "secret with which api processes ask ingest processes; NEW,OLD while it changes",
    true,
  ),
  ledgerApiSecret: optional(
    "LEDGER_API_SECRET",
    EdgeSecrets,
    "secret with which api processes ask ledger processes; NEW,OLD while it changes",
    true,
  ),
  ledgerOperatorSecret: optional(
    "LEDGER_OPERATOR_SECRET",
    EdgeSecrets,
    "secret of an operator's commands of the ledger, for ledger processes alone; seals the ledger's cached state; made and kept in DATA_DIR when absent, and then that seal finds damage alone",
    true,
  ),
  sisterSecret: optional(
    "SISTER_SECRET",
    EdgeSecrets,
    "secret with which the sister service signs its requests at INTERNAL_PORT; NEW,OLD while it changes",
    true,
  ),
  ledgerUrls: optional(
    "LEDGER_URLS",
    list(Url),
    "admin addresses of the ledger processes, asked by api processes; absent: they sell nothing",
  ),
  walletAddress: optional(
    "WALLET_ADDRESS",
    EvmAddress,
    "wallet on Base that is paid to; absent: nothing can be bought",
  ),
  baseRpcUrls: optional(
    "BASE_RPC_URLS",
    list(Url),
    "JSON-RPC addresses of Base, of providers that do not depend on each other (comma separated)",
    true,
  ),
  rpcAgreement: optional(
    "RPC_AGREEMENT",
    integer(1, 16),
    "how many of them must say the same before it is believed; absent: more than half",
  ),
  tokenKeys: optional(
    "TOKEN_KEYS",
    Text,
    "keys of bearer tokens, the newest first (name:hex, comma separated); made and kept in DATA_DIR when absent",
    true,
  ),
  receiptKeys: optional(
    "RECEIPT_KEYS",
    Text,
    "Ed25519 keys of receipts, the newest first (comma separated); made and kept in DATA_DIR when absent",
    true,
  ),
  clientHashKey: optional(
    "CLIENT_HASH_KEY",
    Text,
    "key (hex) under which the ledger knows who asked for a quote; made and kept in DATA_DIR when absent",
    true,
  ),
  trustedProxies: optional(
    "TRUSTED_PROXIES",
    list(Cidr),
    "proxies whose X-Forwarded-For is believed (addresses or CIDR ranges)",
  ),
  requestsPerDay: setting(
    "REQUESTS_PER_DAY",
    integer(1, 1_000_000_000),
    "100000",
    "free requests a day for one client address",
  ),
  tokenRequestsPerMinute: setting(
    "TOKEN_REQUESTS_PER_MINUTE",
    integer(1, 1_000_000_000),
    "600",
    "premium requests a minute for one account",
  ),
  instance: optional(
    "INSTANCE",
    matching(/^[\x21-\x7e]{1,100}$/, "must be 1 to 100 characters of ASCII without blanks"),
    "name of this process in its log lines; absent: host and process number",
  ),
  logLevel: setting("LOG_LEVEL", oneOf(LOG_LEVELS), "info", "least level that is logged"),
} as const satisfies Record<string, Setting<unknown>>
