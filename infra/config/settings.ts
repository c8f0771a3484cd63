import { resolve } from "node:path"
import { Result, Schema, SchemaGetter } from "effect"
import ipaddr from "ipaddr.js"

/** The roles a process may play. `all` is all of them together, on the embedded engines or on existing ones. */
export const roles = ["all", "ingest", "process", "ledger", "api"] as const
export type Role = (typeof roles)[number]

/** One setting: the environment variable that holds it, how its text decodes, and words for people. */
export interface Setting<A> {
  readonly name: string
  readonly schema: Schema.Codec<A, string>
  /** The text used when the variable is absent or empty; null where absence is an answer. */
  readonly default: string | null
  readonly description: string
  /** Never printed, not even in errors. */
  readonly secret: boolean
}

const setting = <A>(
  name: string,
  schema: Schema.Codec<A, string>,
  defaultText: string,
  description: string,
): Setting<A> => ({ name, schema, default: defaultText, description, secret: false })

const optional = <A>(
  name: string,
  schema: Schema.Codec<A, string>,
  description: string,
  secret = false,
): Setting<A | null> => ({ name, schema: schema as Schema.Codec<A | null, string>, default: null, description, secret })

const Text = Schema.NonEmptyString

const integer = (minimum: number, maximum: number): Schema.Codec<number, string> =>
  Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum, maximum }))

const Port = integer(1, 65_535)

const Url = Text.check(
  Schema.makeFilter((text) =>
    URL.canParse(text) && /^https?:\/\//.test(text) ? undefined : "must be an http:// or https:// address",
  ),
)

const list = <A>(item: Schema.Codec<A, string>): Schema.Codec<ReadonlyArray<A>, string> =>
  Text.pipe(
    Schema.decodeTo(Schema.Array(item), {
      decode: SchemaGetter.transform((text) =>
        text
          .split(",")
          .map((part) => part.trim())
          .filter((part) => part !== ""),
      ),
      encode: SchemaGetter.transform((parts) => parts.join(",")),
    }),
  )

const Cidr = Text.check(
  Schema.makeFilter((text) =>
    ipaddr.isValidCIDR(text) || ipaddr.isValid(text) ? undefined : "must be an address or a CIDR range",
  ),
)

const EvmAddress = Text.check(Schema.isPattern(/^0x[0-9a-fA-F]{40}$/, { message: "must be 0x and 40 hex digits" }))

const Broker = Text.check(Schema.isPattern(/^[^:\s]+:\d+$/, { message: "must be host:port" }))

const HostOverride = Text.check(
  Schema.isPattern(/^[a-z0-9.-]+=https?:\/\/\S+$/, { message: "must be host=http://address" }),
)

/** Every setting there is. `--help` prints this table; nothing else reads the environment. */
export const settingTable = {
  host: setting("HOST", Text, "127.0.0.1", "address the API listens on"),
  port: setting("PORT", Port, "8787", "port of the API"),
  adminHost: setting("ADMIN_HOST", Text, "127.0.0.1", "address of the admin port (metrics, liveness, readiness)"),
  adminPort: setting("ADMIN_PORT", Port, "9787", "the admin port"),
  publicUrl: optional("PUBLIC_URL", Url, "address under which callers reach the API, for links in replies"),
  dataDirectory: setting("DATA_DIR", Text, "./data", "folder of everything that is kept: log, history, secrets"),
  kafkaBrokers: optional(
    "KAFKA_BROKERS",
    list(Broker),
    "brokers of the event log (host:port, comma separated); absent: the embedded log",
  ),
  kafkaReplication: setting("KAFKA_REPLICATION", integer(1, 9), "1", "replication factor of topics that are created"),
  kafkaTopicPrefix: optional(
    "KAFKA_TOPIC_PREFIX",
    Text.check(Schema.isPattern(/^[A-Za-z0-9._-]{1,60}$/)),
    "put before the name of every topic and writer",
  ),
  clickhouseUrl: optional("CLICKHOUSE_URL", Url, "ClickHouse server of the history; absent: the embedded engine"),
  clickhouseUser: setting("CLICKHOUSE_USER", Text, "default", "user of that server who may create tables"),
  clickhousePassword: optional("CLICKHOUSE_PASSWORD", Text, "its password", true),
  clickhouseAnalystPassword: optional(
    "CLICKHOUSE_ANALYST_PASSWORD",
    Text,
    "password of the user `analyst` on that server; absent: analysts must come from the server's own machine",
    true,
  ),
  clickhouseHttpPort: setting("CLICKHOUSE_HTTP_PORT", Port, "8123", "HTTP port of the embedded ClickHouse"),
  clickhouseTcpPort: setting("CLICKHOUSE_TCP_PORT", Port, "9000", "native port of the embedded ClickHouse"),
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
  contact: setting("CONTACT", Text, "no contact given", "how upstreams reach you: stands in the User-Agent"),
  demandUrls: optional(
    "DEMAND_URLS",
    list(Url),
    "admin addresses of the ingest processes, asked by api processes for on-demand data",
  ),
  internalSecret: optional(
    "INTERNAL_SECRET",
    Text.check(Schema.isMinLength(16)),
    "shared by the processes of one installation; made and kept in DATA_DIR when absent",
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
    "premium requests a minute for one token",
  ),
  logLevel: setting(
    "LOG_LEVEL",
    Schema.Literals(["trace", "debug", "info", "warn", "error"]),
    "info",
    "least level that is logged",
  ),
} as const satisfies Record<string, Setting<unknown>>

type Table = typeof settingTable
/** The decoded settings of a process. */
export type Settings = { readonly [Key in keyof Table]: Table[Key] extends Setting<infer A> ? A : never }

/** A setting has a wrong value. Names the variable, never a secret's value. */
export class WrongSetting extends Schema.TaggedError<WrongSetting>()("WrongSetting", {
  variable: Schema.String,
  problem: Schema.String,
}) {
  override get message() {
    return `${this.variable}: ${this.problem}`
  }
}

/** Decodes the environment by the table. All wrong values are named at once. `DATA_DIR` becomes an absolute path. */
export const loadSettings = (
  environment: Readonly<Record<string, string | undefined>>,
): Result.Result<Settings, ReadonlyArray<WrongSetting>> => {
  const problems: Array<WrongSetting> = []
  const values = Object.fromEntries(
    Object.entries<Setting<unknown>>(settingTable).map(([key, { name, schema, default: defaultText, secret }]) => {
      const given = environment[name]
      const text = given === undefined || given === "" ? defaultText : given
      if (text === null) return [key, null]
      const decoded = Schema.decodeUnknownResult(schema)(text, { reportInput: !secret })
      if (Result.isSuccess(decoded)) return [key, decoded.success]
      problems.push(new WrongSetting({ variable: name, problem: decoded.failure.message.replaceAll("\n", "") }))
      return [key, null]
    }),
  )
  if (problems.length > 0) return Result.fail(problems)
  const settings = values as Settings
  return Result.succeed({ ...settings, dataDirectory: resolve(settings.dataDirectory) })
}

/** The table as text, for `--help`. */
export const describeSettings = (): string => {
  const rows = Object.values<Setting<unknown>>(settingTable)
  const width = Math.max(...rows.map(({ name }) => name.length))
  return rows
    .map(
      ({ name, default: defaultText, description }) =>
        `  ${name.padEnd(width)}  ${description}${defaultText === null ? "" : ` [${defaultText}]`}`,
    )
    .join("\n")
}
