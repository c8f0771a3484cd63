/** `value` with at most `places` decimals (0 to 100), without the noise of floating point behind them. Never -0. */
export const rounded = (value: number, places: number): number => Number(value.toFixed(places)) + 0

/** Digits that distinguish every 32-bit float from its neighbours. */
const SINGLE_MAX_DIGITS = 9

/**
 * A measurement that its source stores as a 32-bit float, in the fewest digits that identify that float: further digits of
 * the 64-bit form (1.348631826658675e-6 for 1.3486318e-6) were never measured. Never -0.
 */
export const asSingle = (value: number): number => {
  for (let digits = 1; digits < SINGLE_MAX_DIGITS; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === Math.fround(value)) return short
  }
  return Number(value.toPrecision(SINGLE_MAX_DIGITS))
}

/**
 * The simple return in percent: 100 (to - from) / from, with at most `places` decimals. Null where there is nothing to
 * compare with: both prices have to be above zero. https://en.wikipedia.org/wiki/Rate_of_return#Return
 */
export const percentChange = (from: number | null, to: number | null, places: number): number | null =>
  from === null || to === null || !(from > 0) || !(to > 0) ? null : rounded(((to - from) / from) * 100, places)
