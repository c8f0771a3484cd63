/** The numbers of columns that a group of tiles may have on wide and on middle screens; a phone has one. */
export const WIDE = [5, 4, 3] as const
export const MIDDLE = [3, 2] as const

/** Of several numbers of columns that with the fewest empty places in the last row; of equal ones the first. */
export const columnsFor = (count: number, offered: readonly [number, ...ReadonlyArray<number>]): number => {
  const emptyIn = (columns: number): number => (columns - (count % columns)) % columns
  return offered.reduce((best, one) => (emptyIn(one) < emptyIn(best) ? one : best), offered[0])
}
