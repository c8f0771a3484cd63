/**
 * Makes a mapping of items to rows that keeps the row of each item object: an item that a fold keeps across patches gives
 * the identical row, unmapped. The result is that of mapping each item, so a replay makes the same rows. Rows are shared
 * by all views that import the mapping, and never changed.
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
