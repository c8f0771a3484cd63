/**
 * Memoises a mapping of items to rows by item object: an item that the fold keeps across patches gives the identical row
 * without a call of `toRow`. The result equals that of `items.map(toRow)`, so a replay makes the same rows. Rows are shared
 * by all views that import the mapping, and must not be changed.
 */
export const rowsBy = <Item extends object, Row extends object>(
  toRow: (item: Item) => Row,
): ((items: ReadonlyArray<Item>) => ReadonlyArray<Row>) => {
  const rows = new WeakMap<Item, Row>()
  return (items) =>
    items.map((item) => {
      const known = rows.get(item)
      if (known !== undefined) return known
      const row = toRow(item)
      rows.set(item, row)
      return row
    })
}
