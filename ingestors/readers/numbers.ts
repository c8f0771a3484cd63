/** The number if it lies within bounds, both included; else null. */
export const within = (value: number | null | undefined, minimum: number, maximum: number): number | null =>
  value === null || value === undefined || !(value >= minimum && value <= maximum) ? null : value

/** The number if it is above zero; else null, since halted markets report zero instead of no price. */
export const positive = (value: number | null | undefined): number | null =>
  value !== null && value !== undefined && value > 0 ? value : null

/**
 * The highest and the lowest price of a period that contains `price`. Both are null if they contradict it, because it is
 * unknown which of the three is wrong.
 */
export const priceRange = (
  price: number,
  high: number | null,
  low: number | null,
): { readonly high: number | null; readonly low: number | null } =>
  (high !== null && high < price) || (low !== null && low > price) ? { high: null, low: null } : { high, low }
