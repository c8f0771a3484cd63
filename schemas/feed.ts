import { Duration, type Schema } from "effect"

/** Which instance of a feed is meant. Most feeds have one, without parameters. */
export type Parameters = Readonly<Record<string, string>>

/**
 * (Functions of definitions are declared as methods, so that a definition of something particular can stand in a list of
 * such definitions in general.)
 *
 * A feed: one kind of thing the world tells us, in our own canonical words (SI units, ISO times), whoever said it.
 * Payloads are plain JSON whose decoded and encoded forms are the same.
 */
export interface Feed<Payload = unknown, Item = unknown> {
  readonly _tag: "Feed"
  /** Kebab case, equal to the name of the file that declares it. */
  readonly name: string
  readonly description: string
  readonly payload: Schema.Codec<Payload, unknown>
  /** The items of a payload: what can appear, change and go. A feed that is one value is one item. */
  items(payload: Payload): ReadonlyArray<Item>
  /** What makes an item the same item in the next payload. Unique within a payload. */
  key(item: Item): string
  /** Differs when, and only when, the item has changed. */
  revision(item: Item): string | number
  /** How old the newest content may be before the feed counts as stale; null where the content has no time. */
  readonly contentAgeMaxMs: number | null
  /**
   * Whether the item changes of an instance are told in `deltas` (and so written to tables). Feeds whose instances
   * overlap tell those of one instance only.
   */
  tellsChanges(parameters: Parameters): boolean
}

/** Declares a feed. */
export const feed = <Payload, Item>(definition: {
  readonly name: string
  readonly description: string
  readonly payload: Schema.Codec<Payload, unknown>
  readonly items: (payload: Payload) => ReadonlyArray<Item>
  readonly key: (item: Item) => string
  readonly revision: (item: Item) => string | number
  readonly contentAgeMax?: Duration.Input
  readonly tellsChanges?: (parameters: Parameters) => boolean
}): Feed<Payload, Item> => ({
  _tag: "Feed",
  name: definition.name,
  description: definition.description,
  payload: definition.payload,
  items: definition.items,
  key: definition.key,
  revision: definition.revision,
  contentAgeMaxMs: definition.contentAgeMax === undefined ? null : Duration.toMillis(definition.contentAgeMax),
  tellsChanges: definition.tellsChanges ?? (() => true),
})

const PLAIN = /^[A-Za-z0-9._*-]*$/
const isPlain = (text: string): boolean => PLAIN.test(text)

/**
 * The name of one instance of something that takes parameters: `name`, or `name?a=1&b=2` with sorted parameters.
 * Log keys, view keys and state keys are all spelled by this.
 */
export const instanceKey = (name: string, parameters: Parameters): string => {
  const names = Object.keys(parameters).sort()
  if (names.length === 0) return name
  const values = names.map((one) => parameters[one] ?? "")
  // Most parameters are spelled by themselves, and every poll of every feed comes by here.
  if (names.every(isPlain) && values.every(isPlain))
    return `${name}?${names.map((one, index) => `${one}=${values[index]}`).join("&")}`
  const query = new URLSearchParams(names.map((one): [string, string] => [one, parameters[one] ?? ""]))
  return `${name}?${query}`
}

/** The inverse of `instanceKey`. */
export const parseInstanceKey = (key: string): { readonly name: string; readonly parameters: Parameters } => {
  const at = key.indexOf("?")
  if (at === -1) return { name: key, parameters: {} }
  return { name: key.slice(0, at), parameters: Object.fromEntries(new URLSearchParams(key.slice(at + 1))) }
}
