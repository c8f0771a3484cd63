import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import type { ProviderAddresses } from "../../ingestors/provider-access.ts"
import { providerAddresses } from "../../ingestors/providers.ts"
import { isHttpUrl, list, optional, type Setting, text } from "./setting.ts"

/** The name and the address of `name=https://...`; null for another form. */
const namedAddress = (given: string): readonly [name: string, address: string] | null => {
  const at = given.indexOf("=")
  return at === -1 ? null : [given.slice(0, at), given.slice(at + 1)]
}

const isAddress = (address: string): boolean =>
  isHttpUrl(address) && new URL(address).username === "" && new URL(address).password === ""

type Names = Pick<ProviderAddresses, "names" | "ownNames">

/** The names that a setting takes, for people. */
const namesText = ({ names, ownNames }: Names): string =>
  [...names, ...(ownNames === undefined ? [] : [`${ownNames.max} of your own at most`])].join(", ")

/** Addresses by name, each http or https, without a password, and for one of the names once. */
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

/** The addresses that operators may name instead of those of providers. Each provider declares its own setting. */
export const addressSettings: ReadonlyArray<Setting<Readonly<Record<string, string>> | null>> = providerAddresses.map(
  ({ setting, description, ...names }) =>
    optional(
      setting,
      addressesFor(names),
      `addresses of ${description} (name=https://address, comma separated; names: ${namesText(names)})`,
    ),
)
