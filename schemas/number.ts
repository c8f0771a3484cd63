/** `value` with at most `places` decimals (0 to 100), without the noise of floating point behind them. Never -0. */
export const rounded = (value: number, places: number): number => Number(value.toFixed(places)) + 0

/** Digits that distinguish every 32-bit float from its neighbours. */
const SINGLE_DIGITS_MAX = 9

/**
 * A measurement that its source stores as a 32-bit float, in the fewest digits that identify that float: further digits of
 * the 64-bit form (1.348631826658675e-6 for 1.3486318e-6) were never measured. Never -0.
 */
export const asSingle = (value: number): number => {
  for (let digits = 1; digits < SINGLE_DIGITS_MAX; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === Math.fround(value)) return short
  }
  return Number(value.toPrecision(SINGLE_DIGITS_MAX))
}
