import { rounded } from "./number.ts"

/**
 * The simple return in percent: 100 (to - from) / from, with at most `places` decimals. Null where there is nothing to
 * compare with: both prices have to be above zero. https://en.wikipedia.org/wiki/Rate_of_return#Return
 */
export const percentChange = (from: number | null, to: number | null, places: number): number | null =>
  from === null || to === null || !(from > 0) || !(to > 0) ? null : rounded(((to - from) / from) * 100, places)
