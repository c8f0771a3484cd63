/**
 * Maps lists of items by the mapping of one, for all views that show such rows. Nothing is remembered: to make a row
 * again takes less time than to find it in a map of thousands of items, and no memory.
 */
export const rowsBy =
  <Item, Row>(toRow: (item: Item) => Row): ((items: ReadonlyArray<Item>) => ReadonlyArray<Row>) =>
  (items) =>
    items.map((item) => toRow(item))

/** Memoises a costly function of an item by item object: the fold keeps the objects of unchanged items across patches. */
export const onceByItem = <Item extends object, Value>(of: (item: Item) => Value): ((item: Item) => Value) => {
  const known = new WeakMap<Item, { readonly value: Value }>()
  return (item) => {
    const before = known.get(item)
    if (before !== undefined) return before.value
    const value = of(item)
    known.set(item, { value })
    return value
  }
}
