import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import type { ProviderAddresses } from "../../ingestors/provider-access.ts"
import { providerAddresses, providerKeys } from "../../ingestors/providers.ts"
import { isHttpUrl, list, matching, optional, type Setting, text } from "./setting.ts"

/** Every text that repeats a key has it removed (`ingestors/redaction.ts`): a shorter one would remove ordinary words too. */
const Key = matching(/^[\x21-\x7e]{8,512}$/, "must be 8 to 512 characters of ASCII without blanks")

/** The keys of providers. Each provider declares its own setting. No key is ever printed. */
export const keySettings: ReadonlyArray<Setting<string | null>> = providerKeys.map(
  ({ setting, description, signupUrl, optional: isOptional }) =>
    optional(
      setting,
      Key,
      `key of ${description}; absent: ${isOptional ? "polled without it" : "its sources rest"}; from ${signupUrl}`,
      true,
    ),
)

/** The name and the address of `name=https://...`; null for another form. */
const namedAddress = (given: string): readonly [name: string, address: string] | null => {
  const at = given.indexOf("=")
  return at === -1 ? null : [given.slice(0, at), given.slice(at + 1)]
}

const isAddress = (address: string): boolean =>
  isHttpUrl(address) && new URL(address).username === "" && new URL(address).password === ""

type Names = Pick<ProviderAddresses, "names" | "ownNames">

/** The names that a setting accepts, as a text for people. */
const namesText = ({ names, ownNames }: Names): string =>
  [...names, ...(ownNames === undefined ? [] : [`${ownNames.max} of your own at most`])].join(", ")

/** Addresses by name: http or https, without a password, each name at most once. */
const addressesFor = (allowed: Names): Schema.Codec<Readonly<Record<string, string>>, string> => {
  const { names, ownNames } = allowed
  const nameOf = (given: string): string => namedAddress(given)?.[0] ?? ""
  const isOwn = (name: string): boolean => !names.includes(name) && ownNames?.pattern.test(name) === true
  const entry = text((given) => {
    const [name, address] = namedAddress(given) ?? ["", ""]
    return (names.includes(name) || isOwn(name)) && isAddress(address)
      ? undefined
      : `must be name=https://address, of the names ${namesText(allowed)}`
  })
  const entries = list(entry).check(
    Schema.makeFilter((given) =>
      new Set(given.map(nameOf)).size === given.length ? undefined : "names one of them twice",
    ),
    Schema.makeFilter((given) => {
      const ownMax = ownNames?.max ?? 0
      return given.map(nameOf).filter(isOwn).length <= ownMax ? undefined : `has more than ${ownMax} names of your own`
    }),
  )
  return entries.pipe(
    Schema.decodeTo(Schema.Record(Schema.String, Schema.String), {
      decode: SchemaGetter.transform((given: ReadonlyArray<string>) =>
        Object.fromEntries(given.flatMap((one) => [namedAddress(one) ?? ["", ""]])),
      ),
      encode: SchemaGetter.transform((addresses) =>
        Object.entries(addresses).map(([name, address]) => `${name}=${address}`),
      ),
    }),
  )
}

/** The addresses that replace those of providers. Each provider declares its own setting. */
export const addressSettings: ReadonlyArray<Setting<Readonly<Record<string, string>> | null>> = providerAddresses.map(
  ({ setting, description, ...names }) =>
    optional(
      setting,
      addressesFor(names),
      `addresses of ${description} (name=https://address, comma separated; names: ${namesText(names)})`,
    ),
)
