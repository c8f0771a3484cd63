import { resolve } from "node:path"
import { Result, Schema, SchemaGetter } from "effect"
import ipaddr from "ipaddr.js"

/** The roles a process may play. `all` is all of them together, on the embedded engines or on existing ones. */
export const roles = ["all", "ingest", "process", "ledger", "api"] as const
export type Role = (typeof roles)[number]

const PORT_MAX = 65_535

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

/** A text of which a function says what is wrong with it; undefined when nothing is. The words never repeat the text. */
const text = (problemOf: (text: string) => string | undefined) => Text.check(Schema.makeFilter(problemOf))

const matching = (pattern: RegExp, problem: string) => text((given) => (pattern.test(given) ? undefined : problem))

const integer = (minimum: number, maximum: number): Schema.Codec<number, string> =>
  text((given) =>
    /^-?\d{1,15}$/.test(given) && Number(given) >= minimum && Number(given) <= maximum
      ? undefined
      : `must be a whole number from ${minimum} to ${maximum}`,
  ).pipe(
    Schema.decodeTo(Schema.Int, { decode: SchemaGetter.transform(Number), encode: SchemaGetter.transform(String) }),
  )

const Port = integer(1, PORT_MAX)

const Host = text((given) =>
  ipaddr.isValid(given) || /^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/.test(given)
    ? undefined
    : "must be an address or the name of a host",
)

/** One address: the URL parser would take a comma for a part of the host. */
const isHttpUrl = (given: string): boolean =>
  URL.canParse(given) && /^https?:\/\//.test(given) && !new URL(given).hostname.includes(",")

const Url = text((given) => (isHttpUrl(given) ? undefined : "must be an http:// or https:// address"))

const partsOf = (given: string): ReadonlyArray<string> =>
  given
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")

const list = <A>(item: Schema.Codec<A, string>): Schema.Codec<ReadonlyArray<A>, string> =>
  text((given) => (partsOf(given).length > 0 ? undefined : "must name at least one")).pipe(
    Schema.decodeTo(Schema.Array(item), {
      decode: SchemaGetter.transform(partsOf),
      encode: SchemaGetter.transform((parts) => parts.join(",")),
    }),
  )

// Other libraries read "8787" and "0x50" as addresses, too.
const isAddress = (given: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(given) ||
  ipaddr.IPv4.isValidCIDRFourPartDecimal(given) ||
  ipaddr.IPv6.isValid(given) ||
  ipaddr.IPv6.isValidCIDR(given)

const Cidr = text((given) => (isAddress(given) ? undefined : "must be an address or a CIDR range"))

const EvmAddress = matching(/^0x[0-9a-fA-F]{40}$/, "must be 0x and 40 hex digits")

const Broker = text((given) => {
  const port = /^[^:\s]+:(\d{1,5})$/.exec(given)?.[1]
  return port !== undefined && Number(port) >= 1 && Number(port) <= PORT_MAX ? undefined : "must be host:port"
})

const HostOverride = text((given) => {
  const [, address = ""] = /^[a-z0-9.-]+=(\S+)$/.exec(given) ?? []
  return isHttpUrl(address) ? undefined : "must be host=http://address"
})

/** A secret of one way between processes, and perhaps the one before it. */
const EdgeSecrets = list(
  matching(/^[\x21-\x2b\x2d-\x7e]{32,256}$/, "must be 32 to 256 characters of ASCII without blanks and commas"),
).check(
  Schema.makeFilter((secrets) => (secrets.length <= 2 ? undefined : "must be one secret, or the new and the old")),
)

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error"] as const

const LogLevel = matching(new RegExp(`^(?:${LOG_LEVELS.join("|")})$`), `must be one of ${LOG_LEVELS.join(", ")}`).pipe(
  Schema.decodeTo(Schema.Literals(LOG_LEVELS)),
)

/** Every setting there is. `--help` prints this table; nothing else reads the environment. */
export const settingTable = {
  host: setting("HOST", Host, "127.0.0.1", "address the API listens on"),
  port: setting("PORT", Port, "8787", "port of the API"),
  adminHost: setting("ADMIN_HOST", Host, "127.0.0.1", "address of the admin port (metrics, liveness, readiness)"),
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
    matching(/^[A-Za-z0-9._-]{1,60}$/, "must be 1 to 60 letters, digits and . _ -"),
    "put before the name of every topic and writer",
  ),
  processors: optional(
    "PROCESSORS",
    list(Text),
    "what a process of the role `process` may run (latest, reliability, history; comma separated); absent: all",
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
  contact: setting(
    "CONTACT",
    matching(/^[\x20-\x7e]{1,200}$/, "must be 1 to 200 characters of ASCII, as it stands in a header"),
    "no contact given",
    "how upstreams reach you: stands in the User-Agent",
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
    "secret of an operator's commands of the ledger, for ledger processes alone; made and kept in DATA_DIR when absent",
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
  logLevel: setting("LOG_LEVEL", LogLevel, "info", "least level that is logged"),
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

/** What the decoder says, in one line: entries of a list are counted as people do. */
const problemIn = (message: string): string =>
  message.replace(/\s*\n\s*at \[(\d+)\]/, (_, index: string) => ` (entry ${Number(index) + 1})`).replaceAll("\n", " ")

/**
 * Decodes the environment by the table. Blanks around a value that is no secret are nothing, and an empty value is an
 * absent one. All wrong values are named at once. `DATA_DIR` becomes an absolute path.
 */
export const loadSettings = (
  environment: Readonly<Record<string, string | undefined>>,
): Result.Result<Settings, ReadonlyArray<WrongSetting>> => {
  const problems: Array<WrongSetting> = []
  const values = Object.fromEntries(
    Object.entries<Setting<unknown>>(settingTable).map(([key, { name, schema, default: defaultText, secret }]) => {
      const given = (secret ? environment[name] : environment[name]?.trim()) ?? ""
      const chosen = given === "" ? defaultText : given
      if (chosen === null) return [key, null]
      const decoded = Schema.decodeUnknownResult(schema)(chosen)
      if (Result.isSuccess(decoded)) return [key, decoded.success]
      problems.push(new WrongSetting({ variable: name, problem: problemIn(decoded.failure.message) }))
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
