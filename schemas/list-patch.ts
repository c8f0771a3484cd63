import { hash } from "node:crypto"
import * as Schema from "effect/Schema"
import type { Json } from "./json.ts"

/** A run of unchanged items of the base: `count` of them from index `from` on. */
const BaseRun = Schema.Struct({ from: Schema.Natural, count: Schema.Natural.check(Schema.isGreaterThan(0)) })
/** Items that the base does not hold in this form. */
const NewItems = Schema.Struct({ items: Schema.NonEmptyArray(Schema.Json as Schema.Codec<Json, unknown>) })

/** An item of the base, at position `changed`, in which these members have other values. */
const ChangedItem = Schema.Struct({
  changed: Schema.Natural,
  set: Schema.Record(Schema.String, Schema.Json as Schema.Codec<Json, unknown>),
})
type ChangedItem = typeof ChangedItem.Type

/**
 * A patch of a list: the parts of the new list in order. Parts refer to positions of the base alone, so the result does not
 * depend on the key or the sort order of a later release.
 */
export const ListParts = Schema.Array(Schema.Union([BaseRun, NewItems, ChangedItem]))
export type ListParts = typeof ListParts.Type

/** A list as the base of a comparison with a later one. */
export interface ItemIndex {
  /** The positions of its items, by their identities. */
  readonly places: ReadonlyMap<string, number>
  /** Its items with their positions, by their keys; null of a list that is too large to be kept. */
  readonly held: ReadonlyMap<string, { readonly place: number; readonly item: unknown }> | null
}

/** The longest list, in UTF-16 units, whose items are kept from poll to poll: the lists that change in every item are short. */
export const HELD_LIST_MAX_UNITS = 64 * 1024

/**
 * The identity of an item by its text: a hash, as an index is kept from poll to poll and the texts of all items would take
 * as much memory as the list. Equal items of one feed have their members in one order, so their texts are equal.
 */
const identityOf = (text: string): string => hash("sha256", text, "base64url")
const textOf = (value: unknown): string => JSON.stringify(value) ?? "null"

/** The index of an unknown list. */
export const EMPTY_INDEX: ItemIndex = { places: new Map(), held: null }

/** Indexes a list as the base of the next one. Without keys no changed items are found. */
export const itemIndex = (items: ReadonlyArray<unknown>, keyOf?: (item: never) => string): ItemIndex =>
  partsOf(EMPTY_INDEX, items, keyOf).index

const isObject = (value: unknown): value is Readonly<Record<string, Json>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The members that differ, of items that have the same members in the same order; null where these are others. */
const changedMembers = (before: unknown, after: unknown): Readonly<Record<string, Json>> | null => {
  if (!isObject(before) || !isObject(after)) return null
  const names = Object.keys(before)
  const now = Object.keys(after)
  if (names.length !== now.length || names.some((name, index) => name !== now[index])) return null
  return Object.fromEntries(Object.entries(after).filter(([name, value]) => textOf(value) !== textOf(before[name])))
}

/** An item as a change of the one that had its key, where that is shorter than the item. */
const asChange = (
  before: { readonly place: number; readonly item: unknown } | undefined,
  item: unknown,
  text: string,
): ChangedItem | null => {
  const set = before === undefined ? null : changedMembers(before.item, item)
  if (before === undefined || set === null) return null
  const change = { changed: before.place, set }
  return textOf(change).length < text.length ? change : null
}

/** The parts of a list over its base, and the index of the list itself. */
export const partsOf = (
  base: ItemIndex,
  items: ReadonlyArray<unknown>,
  keyOf?: (item: never) => string,
): { readonly parts: ListParts; readonly index: ItemIndex } => {
  const parts: Array<{ from: number; count: number } | { items: [Json, ...Array<Json>] } | ChangedItem> = []
  const places = new Map<string, number>()
  const held = new Map<string, { readonly place: number; readonly item: unknown }>()
  let units = 0
  for (const [place, item] of items.entries()) {
    const text = textOf(item)
    const identity = identityOf(text)
    // The items are of the feed whose key this is.
    const key = keyOf?.(item as never)
    places.set(identity, place)
    units += text.length
    if (key !== undefined && units <= HELD_LIST_MAX_UNITS) held.set(key, { place, item })
    const from = base.places.get(identity)
    const last = parts.at(-1)
    if (from === undefined) {
      const change = key === undefined ? null : asChange(base.held?.get(key), item, text)
      if (change !== null) parts.push(change)
      // Payloads are plain JSON.
      else if (last !== undefined && "items" in last) last.items.push(item as Json)
      else parts.push({ items: [item as Json] })
    } else if (last !== undefined && "from" in last && last.from + last.count === from) last.count += 1
    else parts.push({ from, count: 1 })
  }
  return { parts, index: { places, held: keyOf === undefined || units > HELD_LIST_MAX_UNITS ? null : held } }
}

/** Applies parts to the items of their base; null where a part does not fit it, so that the base is another one. */
export const itemsOf = (base: ReadonlyArray<Json>, parts: ListParts): ReadonlyArray<Json> | null => {
  const items: Array<Json> = []
  for (const part of parts) {
    if ("items" in part) items.push(...part.items)
    else if ("set" in part) {
      const before = base[part.changed]
      if (!isObject(before)) return null
      items.push({ ...before, ...part.set })
    } else if (part.from + part.count > base.length) return null
    else for (let index = part.from; index < part.from + part.count; index += 1) items.push(base[index] as Json)
  }
  return items
}
