import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { providerAddresses } from "../../ingestors/providers.ts"
import { isHttpUrl, list, optional, type Setting, text } from "./setting.ts"

/** The name and the address of `name=https://...`; null for another form. */
const namedAddress = (given: string): readonly [name: string, address: string] | null => {
  const at = given.indexOf("=")
  return at === -1 ? null : [given.slice(0, at), given.slice(at + 1)]
}

const isAddress = (address: string): boolean =>
  isHttpUrl(address) && new URL(address).username === "" && new URL(address).password === ""

/** Addresses by name, each http or https, without a password, and for one of the names once. */
const addressesFor = (names: ReadonlyArray<string>): Schema.Codec<Readonly<Record<string, string>>, string> => {
  const entry = text((given) => {
    const [name, address] = namedAddress(given) ?? ["", ""]
    return names.includes(name) && isAddress(address)
      ? undefined
      : `must be name=https://address, of the names ${names.join(", ")}`
  })
  const entries = list(entry).check(
    Schema.makeFilter((given) =>
      new Set(given.map((one) => namedAddress(one)?.[0])).size === given.length ? undefined : "names one of them twice",
    ),
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
  ({ setting, description, names }) =>
    optional(
      setting,
      addressesFor(names),
      `addresses of ${description} (name=https://address, comma separated; names: ${names.join(", ")})`,
    ),
)
