import { resolve } from "node:path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { distance } from "fastest-levenshtein"
import { providerKeys } from "../../ingestors/providers.ts"
import { addressSettings } from "./address-settings.ts"
import { isReadBy } from "./role-settings.ts"
import { matching, optional, type Setting } from "./setting.ts"
import { type Role, settingTable } from "./setting-table.ts"

/** Edits that make a typing error of a word of so many letters: two swapped letters are two edits. */
const editsMax = (letters: number): number => (letters < 3 ? 0 : letters < 5 ? 1 : 2)

/**
 * Tests whether a name is one of ours with a typing error: the same number of words, each at most a few letters off, and the
 * whole name too. The first word of a short name or of a provider's key must be the same, as `OPENAI_KEY` and the like belong
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
  return found
}

/** A key is removed from whatever repeats it, so that it must be too long to be a word of its own. */
const Key = matching(/^[\x21-\x7e]{8,512}$/, "must be 8 to 512 characters of ASCII without blanks")

/** The keys of the providers that sources poll. Each provider declares its own; none of them is ever printed. */
const keySettings: ReadonlyArray<Setting<string | null>> = providerKeys.map(
  ({ setting, description, signupUrl, optional: isOptional }) =>
    optional(
      setting,
      Key,
      `key of ${description}; absent: ${isOptional ? "polled without it" : "its sources rest"}; from ${signupUrl}`,
      true,
    ),
)

type Table = typeof settingTable
/** The decoded settings of a process. */
export type Settings = { readonly [Key in keyof Table]: Table[Key] extends Setting<infer A> ? A : never } & {
  /** The keys of providers that were given, by the names of their settings. */
  readonly providerKeys: Readonly<Record<string, string>>
  /** The addresses that replace those of providers, by the names of their settings. */
  readonly providerAddresses: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** A setting has a wrong value. Names the variable, never a secret's value. */
export class WrongSetting extends Schema.TaggedError<WrongSetting>()("WrongSetting", {
  variable: Schema.String,
  problem: Schema.String,
}) {
  override get message() {
    return `${this.variable}: ${this.problem}`
  }
}

/** Failures of a start whose cause is a setting that only the code behind it can check. */
const WRONG_SETTINGS: ReadonlySet<unknown> = new Set(["ChainMisconfigured", "UnknownProcessor", "WrongSetting"])

/** Tests whether a setting caused a failure: a secret too, unless it comes from a file. */
export const isWrongSetting = (failure: object): boolean => {
  if (!("_tag" in failure)) return false
  const isVariable = "where" in failure && typeof failure.where === "string" && /^[A-Z_]+$/.test(failure.where)
  return WRONG_SETTINGS.has(failure._tag) || (failure._tag === "SecretsUnusable" && isVariable)
}

/** What the decoder says, in one line: entries of a list are counted as people do. */
const problemIn = (message: string): string =>
  message.replace(/\s*\n\s*at \[(\d+)\]/, (_, index: string) => ` (entry ${Number(index) + 1})`).replaceAll("\n", " ")

const tableNames = Object.values(settingTable).map(({ name }): string => name)
const providerNames = [...keySettings, ...addressSettings].map(({ name }) => name)

/**
 * Decodes the environment by the table. Blanks around a value that is no secret are nothing, and an empty value is an
 * absent one. All wrong values are named at once,
 * and variables that are a setting with a typing error, which would have no effect. `DATA_DIR` becomes an absolute path.
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
  // Names of outlets that an operator adds are known to every role that handles them; keys to the one that polls.
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
