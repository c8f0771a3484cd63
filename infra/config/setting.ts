import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import ipaddr from "ipaddr.js"
import { datedTopics, type KeptDays, type Topic } from "../../schemas/topics.ts"

const PORT_MAX = 65_535

/** One setting: the environment variable that holds it, how its text decodes, and words for people. */
export interface Setting<A> {
  readonly name: string
  readonly schema: Schema.Codec<A, string>
  /** The text used when the variable is absent or empty; null if the setting may be absent. */
  readonly default: string | null
  readonly description: string
  /** Never printed, not even in errors. */
  readonly secret: boolean
}

export const setting = <A>(
  name: string,
  schema: Schema.Codec<A, string>,
  defaultText: string,
  description: string,
): Setting<A> => ({ name, schema, default: defaultText, description, secret: false })

export const optional = <A>(
  name: string,
  schema: Schema.Codec<A, string>,
  description: string,
  secret = false,
): Setting<A | null> => ({ name, schema: schema as Schema.Codec<A | null, string>, default: null, description, secret })

export const Text = Schema.NonEmptyString

/** A text that `problemOf` accepts: it gives undefined, or the problem, which must not repeat the text, as that may be a secret. */
export const text = (problemOf: (text: string) => string | undefined) => Text.check(Schema.makeFilter(problemOf))

export const matching = (pattern: RegExp, problem: string) =>
  text((given) => (pattern.test(given) ? undefined : problem))

export const integer = (minimum: number, maximum: number): Schema.Codec<number, string> =>
  text((given) =>
    /^-?\d{1,15}$/.test(given) && Number(given) >= minimum && Number(given) <= maximum
      ? undefined
      : `must be a whole number from ${minimum} to ${maximum}`,
  ).pipe(
    Schema.decodeTo(Schema.Int, { decode: SchemaGetter.transform(Number), encode: SchemaGetter.transform(String) }),
  )

export const Port = integer(1, PORT_MAX)

export const Host = text((given) =>
  ipaddr.isValid(given) || /^[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$/.test(given)
    ? undefined
    : "must be an address or the name of a host",
)

/** Tests whether a text is a single address: the URL parser accepts a list with commas as the name of one host. */
export const isHttpUrl = (given: string): boolean =>
  URL.canParse(given) && /^https?:\/\//.test(given) && !new URL(given).hostname.includes(",")

export const Url = text((given) => (isHttpUrl(given) ? undefined : "must be an http:// or https:// address"))

const partsOf = (given: string): ReadonlyArray<string> =>
  given
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")

export const list = <A>(item: Schema.Codec<A, string>): Schema.Codec<ReadonlyArray<A>, string> =>
  text((given) => (partsOf(given).length > 0 ? undefined : "must name at least one")).pipe(
    Schema.decodeTo(Schema.Array(item), {
      decode: SchemaGetter.transform(partsOf),
      encode: SchemaGetter.transform((parts) => parts.join(",")),
    }),
  )

// `ipaddr.isValid` accepts "8787" and "0x50" as addresses.
const isAddress = (given: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(given) ||
  ipaddr.IPv4.isValidCIDRFourPartDecimal(given) ||
  ipaddr.IPv6.isValid(given) ||
  ipaddr.IPv6.isValidCIDR(given)

export const Cidr = text((given) => (isAddress(given) ? undefined : "must be an address or a CIDR range"))

export const EvmAddress = matching(/^0x[0-9a-fA-F]{40}$/, "must be 0x and 40 hex digits")

export const Broker = text((given) => {
  const port = /^[^:\s]+:(\d{1,5})$/.exec(given)?.[1]
  return port !== undefined && Number(port) >= 1 && Number(port) <= PORT_MAX ? undefined : "must be host:port"
})

export const HostOverride = text((given) => {
  const [, address = ""] = /^[a-z0-9.-]+=(\S+)$/.exec(given) ?? []
  return isHttpUrl(address) ? undefined : "must be host=http://address"
})

/** The secret of one edge between processes; while it changes, the new one and the old one. */
export const EdgeSecrets = list(
  matching(/^[\x21-\x2b\x2d-\x7e]{32,256}$/, "must be 32 to 256 characters of ASCII without blanks and commas"),
).check(
  Schema.makeFilter((secrets) => (secrets.length <= 2 ? undefined : "must be one secret, or the new and the old")),
)

/** One of a few words. */
export const oneOf = <const Words extends ReadonlyArray<string>>(words: Words): Schema.Codec<Words[number], string> =>
  text((given) => (words.includes(given) ? undefined : `must be one of ${words.join(", ")}`)).pipe(
    Schema.decodeTo(Schema.Literals(words)),
  )

/** Yes or no. */
export const Flag: Schema.Codec<boolean, string> = oneOf(["true", "false"]).pipe(
  Schema.decodeTo(Schema.Boolean, {
    decode: SchemaGetter.transform((given) => given === "true"),
    encode: SchemaGetter.transform((flag): "true" | "false" => (flag ? "true" : "false")),
  }),
)

const DAYS_MAX = 36_500
const ENTRY = /^([a-z]+)=(\d{1,5})$/

const isDated = (name: string): name is Topic => (datedTopics as ReadonlyArray<string>).includes(name)

const entriesOf = (given: string) =>
  given.split(",").map((entry) => {
    const [, topic = "", days = ""] = ENTRY.exec(entry.trim()) ?? []
    return { topic, days: Number(days) }
  })

const problemOf = (given: string): string | undefined => {
  const entries = entriesOf(given)
  const wrong = entries.some(({ topic, days }) => !isDated(topic) || days < 1 || days > DAYS_MAX)
  if (wrong) return `must be topic=days, comma separated, of ${datedTopics.join(", ")}, and 1 to ${DAYS_MAX} days`
  return new Set(entries.map(({ topic }) => topic)).size < entries.length ? "names a topic twice" : undefined
}

/** Days by topic, as `observations=60,deltas=14`. */
export const Days: Schema.Codec<KeptDays, string> = text(problemOf).pipe(
  Schema.decodeTo(Schema.Record(Schema.String, Schema.Int), {
    decode: SchemaGetter.transform((given) =>
      Object.fromEntries(entriesOf(given).map(({ topic, days }) => [topic, days])),
    ),
    encode: SchemaGetter.transform((days) =>
      Object.entries(days)
        .map(([topic, count]) => `${topic}=${count}`)
        .join(","),
    ),
  }),
)

/** Days of the history: of the tables that are named, by their names or those of their feeds, and of all others. */
interface HistoryDays {
  readonly named: Readonly<Record<string, number>>
  /** Null: for ever. */
  readonly others: number | null
}

const HISTORY_DAYS_MIN = 2
const HISTORY_ENTRY = /^(?:([a-z][a-z0-9_-]{0,60})=)?(\d{1,5})$/

const historyEntriesOf = (given: string) =>
  given.split(",").map((entry) => {
    const [, name = "", days = ""] = HISTORY_ENTRY.exec(entry.trim()) ?? []
    return { name, days: Number(days) }
  })

const historyProblemOf = (given: string): string | undefined => {
  const entries = historyEntriesOf(given)
  if (entries.some(({ days }) => days < HISTORY_DAYS_MIN || days > DAYS_MAX))
    return `must be days, or name=days, comma separated, of ${HISTORY_DAYS_MIN} to ${DAYS_MAX} days`
  const twice = entries.find(({ name }, at) => entries.findIndex((one) => one.name === name) < at)
  if (twice === undefined) return undefined
  return twice.name === "" ? "has two numbers without a name" : `names ${twice.name} twice`
}

/** Days of the history, as `400,view_versions=90`. */
export const KeptHistoryDays: Schema.Codec<HistoryDays, string> = text(historyProblemOf).pipe(
  Schema.decodeTo(
    Schema.Struct({ named: Schema.Record(Schema.String, Schema.Int), others: Schema.NullOr(Schema.Int) }),
    {
      decode: SchemaGetter.transform((given) => {
        const entries = historyEntriesOf(given)
        const named = entries.filter(({ name }) => name !== "")
        return {
          named: Object.fromEntries(named.map(({ name, days }) => [name, days])),
          others: entries.find(({ name }) => name === "")?.days ?? null,
        }
      }),
      encode: SchemaGetter.transform(({ named, others }) =>
        [...(others === null ? [] : [others]), ...Object.entries(named).map(([name, days]) => `${name}=${days}`)].join(
          ",",
        ),
      ),
    },
  ),
)
