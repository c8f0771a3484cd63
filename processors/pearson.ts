/** Deviations below this share of the largest value are rounding of the values themselves. */
const ROUNDING = 2 ** -50

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, one) => total + one, 0)

const largest = (numbers: ReadonlyArray<number>): number =>
  numbers.reduce((most, one) => Math.max(most, Math.abs(one)), 0)

/**
 * Deviations from the mean, the largest of them 1 or -1; null where the values are constant. Scaling comes first, by a
 * power of two, which is exact: neither huge nor tiny values overflow or vanish when they are squared. The mean is corrected
 * by that of the deviations, which keeps the digits of values that lie close together.
 */
const deviations = (values: ReadonlyArray<number>): ReadonlyArray<number> | null => {
  const most = largest(values)
  if (most === 0) return null
  const scale = 2 ** Math.min(1023, Math.floor(Math.log2(most)))
  const scaled = values.map((value) => value / scale)
  const mean = sum(scaled) / scaled.length
  const rough = scaled.map((value) => value - mean)
  const error = sum(rough) / rough.length
  const exact = rough.map((value) => value - error)
  const spread = largest(exact)
  return spread <= ROUNDING ? null : exact.map((value) => value / spread)
}

/**
 * Pearson's product-moment correlation of pairs of finite numbers:
 * r = sum((x - mean x)(y - mean y)) / sqrt(sum((x - mean x)^2) sum((y - mean y)^2)),
 * from -1 to 1, not rounded; null where one side is constant, which leaves it undefined.
 * K. Pearson, Proceedings of the Royal Society of London 58 (1895), 240 to 242.
 */
export const pearson = (pairs: ReadonlyArray<readonly [x: number, y: number]>): number | null => {
  const xs = deviations(pairs.map(([x]) => x))
  const ys = deviations(pairs.map(([, y]) => y))
  if (xs === null || ys === null) return null
  const products = sum(xs.map((x, at) => x * (ys[at] ?? 0)))
  const r = products / (Math.sqrt(sum(xs.map((x) => x * x))) * Math.sqrt(sum(ys.map((y) => y * y))))
  return Math.min(1, Math.max(-1, r))
}
