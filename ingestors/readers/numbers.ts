/** The number where it lies within bounds, both included; else null. */
export const within = (value: number | null | undefined, minimum: number, maximum: number): number | null =>
  value === null || value === undefined || !(value >= minimum && value <= maximum) ? null : value

/** The number where it is above zero; else null: zero is how halted markets write "no price". */
export const positive = (value: number | null | undefined): number | null =>
  value !== null && value !== undefined && value > 0 ? value : null

/**
 * The highest and the lowest price of a period that also holds `price`: null, both of them, where they contradict it, as
 * then one of the three is wrong and nothing says which.
 */
export const priceRange = (
  price: number,
  high: number | null,
  low: number | null,
): { readonly high: number | null; readonly low: number | null } =>
  (high !== null && high < price) || (low !== null && low > price) ? { high: null, low: null } : { high, low }
