import { hash } from "node:crypto"
import * as Schema from "effect/Schema"
import type { Json } from "./json.ts"

/** A run of unchanged items of the base: `count` of them from index `from` on. */
const BaseRun = Schema.Struct({ from: Schema.Natural, count: Schema.Natural.check(Schema.isGreaterThan(0)) })
/** Items that the base does not hold in this form. */
const NewItems = Schema.Struct({ items: Schema.NonEmptyArray(Schema.Json as Schema.Codec<Json, unknown>) })

/**
 * A patch of a list: the parts of the new list in order. Parts refer to positions of the base alone, so the result does not
 * depend on the key or the sort order of a later release.
 */
export const ListParts = Schema.Array(Schema.Union([BaseRun, NewItems]))
export type ListParts = typeof ListParts.Type

/** The positions of a list's items, by their identities: the base of a comparison with a later list. */
export type ItemIndex = ReadonlyMap<string, number>

/**
 * The identity of an item: the hash of its text, as an index is kept from poll to poll and the texts of all items would
 * take as much memory as the list. Equal items of one feed have their members in one order, so their texts are equal.
 */
const identityOf = (item: unknown): string => hash("sha256", JSON.stringify(item) ?? "null", "base64url")

/** Indexes a list as the base of the next one. */
export const itemIndex = (items: ReadonlyArray<unknown>): ItemIndex =>
  new Map(items.map((item, index) => [identityOf(item), index]))

/** The parts of a list over its base, and the index of the list itself. */
export const partsOf = (
  base: ItemIndex,
  items: ReadonlyArray<unknown>,
): { readonly parts: ListParts; readonly index: ItemIndex } => {
  const parts: Array<{ from: number; count: number } | { items: [Json, ...Array<Json>] }> = []
  const index = new Map<string, number>()
  for (const [place, item] of items.entries()) {
    const identity = identityOf(item)
    index.set(identity, place)
    const from = base.get(identity)
    const last = parts.at(-1)
    if (from === undefined) {
      // Payloads are plain JSON.
      if (last !== undefined && "items" in last) last.items.push(item as Json)
      else parts.push({ items: [item as Json] })
    } else if (last !== undefined && "from" in last && last.from + last.count === from) last.count += 1
    else parts.push({ from, count: 1 })
  }
  return { parts, index }
}

/** Applies parts to the items of their base; null where a part reaches beyond it, so that the base is another one. */
export const itemsOf = (base: ReadonlyArray<Json>, parts: ListParts): ReadonlyArray<Json> | null => {
  const items: Array<Json> = []
  for (const part of parts) {
    if ("items" in part) items.push(...part.items)
    else if (part.from + part.count > base.length) return null
    else for (let index = part.from; index < part.from + part.count; index += 1) items.push(base[index] as Json)
  }
  return items
}
