import { resolve } from "node:path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { addressSettings } from "./address-settings.ts"
import { keySettings } from "./key-settings.ts"
import { isReadBy } from "./role-settings.ts"
import type { Setting } from "./setting.ts"
import { type Role, settingTable } from "./setting-table.ts"
import { mismatches } from "./settings-together.ts"
import { misspeltSettings } from "./unknown-settings.ts"

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
