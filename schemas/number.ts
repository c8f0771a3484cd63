/** `value` with at most `places` decimals (0 to 100): what floating point adds behind them is no information. Never -0. */
export const rounded = (value: number, places: number): number => Number(value.toFixed(places)) + 0
