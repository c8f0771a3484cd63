const compare = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1)

/** The order of the latest first, by an ISO day or instant (null comes last), and then of the highest key first. */
export const latestFirst =
  <Item>(timeOf: (item: Item) => string | null, keyOf: (item: Item) => string) =>
  (one: Item, other: Item): number =>
    compare(timeOf(other) ?? "", timeOf(one) ?? "") || compare(keyOf(other), keyOf(one))
