import { resolve } from "node:path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { distance } from "fastest-levenshtein"
import { addressSettings, keySettings } from "./provider-settings.ts"
import type { Setting } from "./setting.ts"
import { type Role, settingTable } from "./setting-table.ts"

/** How many edits of a word still count as a typing error, by its length. Two swapped letters are two edits. */
const editsMax = (letters: number): number => (letters < 3 ? 0 : letters < 5 ? 1 : 2)

/**
 * Tests whether a name is a misspelt setting: the same number of words, each at most a few letters off, and the whole name
 * at most two. The first word of a short name or of a provider's key must be the same, as `OPENAI_KEY` and the like belong
 * to others; a common word such as `KAFKA_` alone makes no resemblance (`KAFKA_HEAP_OPTS`, `CLICKHOUSE_DB`).
 */
const resembles = (given: string, known: string): boolean => {
  const words = known.split("_")
  const others = given.split("_")
  if (words.length < 2 || words.length !== others.length || distance(given, known) > 2) return false
  return words.every((word, at) => {
    const other = others[at] ?? ""
    return word === other || (distance(word, other) <= editsMax(word.length) && (at > 0 || word.length >= 5))
  })
}

/** A variable that is no setting, and the setting that is meant. */
interface Misspelt {
  readonly variable: string
  readonly meant: string
}

/** Finds the variables of an environment that resemble a setting. `providers`: settings of which the first word must be right. */
const misspeltSettings = (
  environment: Readonly<Record<string, string | undefined>>,
  names: ReadonlyArray<string>,
  providers: ReadonlyArray<string>,
): ReadonlyArray<Misspelt> => {
  const known = new Set([...names, ...providers])
  const firstWord = (name: string) => name.split("_")[0]
  return Object.keys(environment).flatMap((variable) => {
    if (known.has(variable)) return []
    const upper = variable.toUpperCase()
    if (known.has(upper)) return upper.includes("_") ? [{ variable, meant: upper }] : []
    const candidates = [
      ...names.filter((name) => resembles(upper, name)),
      ...providers.filter((name) => firstWord(name) === firstWord(upper) && resembles(upper, name)),
    ]
    const [meant] = candidates.toSorted((one, other) => distance(upper, one) - distance(upper, other))
    return meant === undefined ? [] : [{ variable, meant }]
  })
}

/** A setting that contradicts other settings. */
interface Mismatch {
  readonly variable: string
  readonly problem: string
}

/** Finds contradictions among settings that are valid individually. */
const mismatches = (settings: Settings): ReadonlyArray<Mismatch> => {
  const { kafkaSsl, kafkaSslCa, kafkaSaslMechanism, kafkaSaslUsername, kafkaSaslPassword } = settings
  const found: Array<Mismatch> = []
  const unless = (fits: boolean, variable: string, problem: string) => {
    if (!fits) found.push({ variable, problem })
  }
  unless(kafkaSslCa === null || kafkaSsl, "KAFKA_SSL_CA", "wants KAFKA_SSL=true beside it")
  const mechanism = "wants KAFKA_SASL_MECHANISM beside it"
  unless(kafkaSaslUsername === null || kafkaSaslMechanism !== null, "KAFKA_SASL_USERNAME", mechanism)
  unless(kafkaSaslPassword === null || kafkaSaslMechanism !== null, "KAFKA_SASL_PASSWORD", mechanism)
  unless(
    kafkaSaslMechanism === null || (kafkaSaslUsername !== null && kafkaSaslPassword !== null),
    "KAFKA_SASL_MECHANISM",
    "wants KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD beside it",
  )
  // The other mechanisms send a proof of the password, not the password itself.
  unless(
    kafkaSaslMechanism !== "plain" || kafkaSsl,
    "KAFKA_SASL_MECHANISM",
    "plain sends the password as it is: it wants KAFKA_SSL=true beside it",
  )
  unless(
    settings.internalPort === null || settings.sisterSecret !== null,
    "INTERNAL_PORT",
    "wants SISTER_SECRET beside it",
  )
  unless(
    settings.history === "on" || settings.clickhouseUrl === null,
    "HISTORY",
    "off means that there is no ClickHouse: remove CLICKHOUSE_URL, or set HISTORY=on",
  )
  unless(
    settings.keepHistory === null || settings.history === "on",
    "KEEP_HISTORY",
    "says how long a history is kept, and HISTORY=off keeps none",
  )
  return found
}

type Table = typeof settingTable
/** The decoded settings of a process. */
export type Settings = { readonly [Key in keyof Table]: Table[Key] extends Setting<infer A> ? A : never } & {
  /** The keys of providers that were given, by the names of their settings. */
  readonly providerKeys: Readonly<Record<string, string>>
  /** The addresses that replace those of providers, by the names of their settings. */
  readonly providerAddresses: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** A setting has a wrong value. Names the variable, never a secret's value. */
class WrongSetting extends Schema.TaggedError<WrongSetting>()("WrongSetting", {
  variable: Schema.String,
  problem: Schema.String,
}) {
  override get message() {
    return `${this.variable}: ${this.problem}`
  }
}

/** Failures of a start whose cause is a setting that only the code behind it can check. */
const WRONG_SETTINGS: ReadonlySet<unknown> = new Set([
  "ChainMisconfigured",
  "HistoryOff",
  "ReplayMisused",
  "UnknownProcessor",
  "WrongSetting",
])

/** Tests whether a setting caused a failure: a secret too, unless it comes from a file. */
export const isWrongSetting = (failure: object): boolean => {
  if (!("_tag" in failure)) return false
  const isVariable = "where" in failure && typeof failure.where === "string" && /^[A-Z_]+$/.test(failure.where)
  return WRONG_SETTINGS.has(failure._tag) || (failure._tag === "SecretsUnusable" && isVariable)
}

/** The decoder's message in one line; the entries of a list are counted from 1. */
const problemIn = (message: string): string =>
  message.replace(/\s*\n\s*at \[(\d+)\]/, (_, index: string) => ` (entry ${Number(index) + 1})`).replaceAll("\n", " ")

const tableNames = Object.values(settingTable).map(({ name }): string => name)
const providerNames = [...keySettings, ...addressSettings].map(({ name }) => name)

/**
 * Decodes the environment by the table. Values that are not secret are trimmed, and an empty value counts as absent. Fails with
 * all wrong values at once, and with the variables that look like a misspelt setting, as those would have no effect.
 * `DATA_DIR` becomes an absolute path.
 */
export const loadSettings = (
  environment: Readonly<Record<string, string | undefined>>,
): Result.Result<Settings, ReadonlyArray<WrongSetting>> => {
  const problems: Array<WrongSetting> = misspeltSettings(environment, tableNames, providerNames).map(
    ({ variable, meant }) => new WrongSetting({ variable, problem: `there is no such setting; ${meant} is meant` }),
  )
  const decoded = <A>({ name, schema, default: defaultText, secret }: Setting<A>): A | null => {
    const given = (secret ? environment[name] : environment[name]?.trim()) ?? ""
    const chosen = given === "" ? defaultText : given
    if (chosen === null) return null
    const value = Schema.decodeUnknownResult(schema)(chosen)
    if (Result.isSuccess(value)) return value.success
    problems.push(new WrongSetting({ variable: name, problem: problemIn(value.failure.message) }))
    return null
  }
  const values = Object.fromEntries(
    Object.entries<Setting<unknown>>(settingTable).map(([key, one]) => [key, decoded(one)]),
  )
  const given = <A>(settings: ReadonlyArray<Setting<A | null>>): Readonly<Record<string, A>> =>
    Object.fromEntries(
      settings.flatMap((one) => {
        const value = decoded(one)
        return value === null ? [] : [[one.name, value] as const]
      }),
    )
  const providerKeys = given(keySettings)
  const providerAddresses = given(addressSettings)
  if (problems.length > 0) return Result.fail(problems)
  const settings = { ...values, providerKeys, providerAddresses } as Settings
  const together = mismatches(settings).map((mismatch) => new WrongSetting(mismatch))
  if (together.length > 0) return Result.fail(together)
  return Result.succeed({ ...settings, dataDirectory: resolve(settings.dataDirectory) })
}

/** The settings that a role reads, as text for `--help`. */
export const describeSettings = (role: Role = "all"): string => {
  const ofTable = Object.entries<Setting<unknown>>(settingTable)
    .filter(([key]) => isReadBy(role, key))
    .map(([, one]) => one)
  // An operator's own outlets concern every role but the ledger; keys only the role that polls.
  const ofProviders = role === "ledger" ? [] : addressSettings
  const keys = role === "all" || role === "ingest" ? keySettings : []
  const rows: ReadonlyArray<Setting<unknown>> = [...ofTable, ...keys, ...ofProviders]
  const width = Math.max(...rows.map(({ name }) => name.length))
  return rows
    .map(
      ({ name, default: defaultText, description }) =>
        `  ${name.padEnd(width)}  ${description}${defaultText === null ? "" : ` [${defaultText}]`}`,
    )
    .join("\n")
}

type Key = keyof typeof settingTable

/** The settings that every role reads. */
const common = [
  ...(["adminHost", "adminPort", "livePort", "instance", "logLevel"] as const),
  ...(["kafkaBrokers", "kafkaReplication", "kafkaTopicPrefix", "kafkaCompression", "keepDays"] as const),
  ...(["kafkaSsl", "kafkaSslCa", "kafkaSaslMechanism", "kafkaSaslUsername", "kafkaSaslPassword"] as const),
] as const satisfies ReadonlyArray<Key>

/** What decides which feeds are polled and which endpoints are served: the same for the roles that read it. */
const offer = ["endpointsOff", "sourcesOff", "stockSymbols", "exchangeLabels"] as const satisfies ReadonlyArray<Key>

/** The history, and its server. */
const server = [
  "history",
  "clickhouseUrl",
  "clickhouseUser",
  "clickhousePassword",
  "clickhouseCa",
] as const satisfies ReadonlyArray<Key>

/** Payments: where they go, and who confirms them. */
const chain = ["walletAddress", "baseRpcUrls", "rpcAgreement"] as const satisfies ReadonlyArray<Key>

/** The settings that each role reads. */
const readByRole: Readonly<Record<Exclude<Role, "all">, ReadonlyArray<Key>>> = {
  ingest: [
    ...common,
    ...offer,
    ...(["upstreams", "upstreamHosts", "pollSecondsMax", "contact", "demandSecret"] as const),
    // Where credits are sold, sources of restricted use rest.
    ...(["walletAddress", "restrictedSources"] as const),
  ],
  process: [
    ...common,
    ...offer,
    ...server,
    ...([
      "processors",
      "keepHistory",
      "clickhouseAnalystPassword",
      "analystQuerySeconds",
      "analystMemoryMebibytes",
    ] as const),
    ...(["analystDiskMebibytes", "analystReadRows", "analystResultRows", "analystQueries"] as const),
  ],
  ledger: [...common, ...chain, "ledgerApiSecret", "ledgerOperatorSecret", "dataDirectory"],
  api: [
    ...common,
    ...offer,
    ...server,
    ...chain,
    ...(["host", "port", "publicUrl", "securityContact", "trustedProxies"] as const),
    ...(["requestsPerDay", "tokenRequestsPerMinute", "restrictedSources", "resaleSources"] as const),
    ...(["demandUrls", "demandSecret", "ledgerUrls", "ledgerApiSecret"] as const),
    ...(["internalHost", "internalPort", "sisterSecret", "tokenKeys", "receiptKeys", "clientHashKey"] as const),
  ],
}

/** Tests whether a role reads a setting; `all` reads every one. */
const isReadBy = (role: Role, key: string): boolean => role === "all" || readByRole[role].some((one) => one === key)
