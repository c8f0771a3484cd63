import { resolve } from "node:path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { addressSettings } from "./address-settings.ts"
import { keySettings } from "./key-settings.ts"
import type { Setting } from "./setting.ts"
import { settingTable } from "./setting-table.ts"
import { mismatches } from "./settings-together.ts"

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

/** All settings as text, for `--help`. */
export const describeSettings = (): string => {
  const rows: ReadonlyArray<Setting<unknown>> = [...Object.values(settingTable), ...keySettings, ...addressSettings]
  const width = Math.max(...rows.map(({ name }) => name.length))
  return rows
    .map(
      ({ name, default: defaultText, description }) =>
        `  ${name.padEnd(width)}  ${description}${defaultText === null ? "" : ` [${defaultText}]`}`,
    )
    .join("\n")
}
