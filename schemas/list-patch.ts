import { Schema } from "effect"
import type { Json } from "./json.ts"

/** A run of the items of the base, taken over as they are: `count` of them from index `from` on. */
const Taken = Schema.Struct({ from: Schema.Natural, count: Schema.Natural.check(Schema.isGreaterThan(0)) })
/** Items that the base does not hold, or holds otherwise. */
const Given = Schema.Struct({ items: Schema.NonEmptyArray(Schema.Json as Schema.Codec<Json, unknown>) })

/**
 * How the items of a list follow from those of its base: the parts of the new list in order. Parts speak of positions
 * alone, so that what they make never depends on what a later release takes for the key or the order of an item.
 */
export const ListParts = Schema.Array(Schema.Union([Taken, Given]))
export type ListParts = typeof ListParts.Type

/** The items of a list, by their text: what a later list is compared with. */
export type ItemIndex = ReadonlyMap<string, number>

/** The text by which an item is the same. Equal items of one feed name their members in one order. */
const textOf = (item: unknown): string => JSON.stringify(item) ?? "null"

/** What a list is known by to the next one. */
export const itemIndex = (items: ReadonlyArray<unknown>): ItemIndex =>
  new Map(items.map((item, index) => [textOf(item), index]))

/** The parts of a list over its base, and the index of the list itself. */
export const partsOf = (
  base: ItemIndex,
  items: ReadonlyArray<unknown>,
): { readonly parts: ListParts; readonly index: ItemIndex } => {
  const parts: Array<{ from: number; count: number } | { items: [Json, ...Array<Json>] }> = []
  const index = new Map<string, number>()
  for (const [place, item] of items.entries()) {
    const text = textOf(item)
    index.set(text, place)
    const from = base.get(text)
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

/** The items that parts make of those of their base; null where a part reaches beyond it, so that it is another base. */
export const itemsOf = (base: ReadonlyArray<Json>, parts: ListParts): ReadonlyArray<Json> | null => {
  const items: Array<Json> = []
  for (const part of parts) {
    if ("items" in part) items.push(...part.items)
    else if (part.from + part.count > base.length) return null
    else for (let index = part.from; index < part.from + part.count; index += 1) items.push(base[index] as Json)
  }
  return items
}
