import {
  type Direction,
  RETURNS_MAX,
  RETURNS_MIN,
  type Relationship,
} from "../../schemas/endpoints/pro-correlation-matrix.ts"
import type { EconomicNumber } from "../../schemas/feeds/economic-series.ts"
import { rounded } from "../../schemas/number.ts"

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

const DECIMALS = 4
/** Returns that differ by less are equal: decimal numbers have no exact binary form. */
const RETURN_ROUNDING = 1e-12

/** The correlation of two series. Plain JSON, as it is kept in checkpoints. */
export type PairCorrelation = {
  /** From -1 to 1, rounded; null where there are too few returns, or one side does not change. */
  readonly r: number | null
  /** How many returns it is of. */
  readonly returns: number
  /** The first and the last common day; null without one. */
  readonly firstDay: string | null
  readonly lastDay: string | null
}

type Numbers = ReadonlyArray<EconomicNumber>

/** The newest days on which both series have a number, oldest first: those of `RETURNS_MAX` returns. */
const commonDays = (one: Numbers, other: Numbers) => {
  const others = new Map(other.map(({ date, value }) => [date, value]))
  return one
    .flatMap(({ date, value }) => {
      const paired = others.get(date)
      return paired === undefined ? [] : [{ date, values: [value, paired] as const }]
    })
    .sort((a, b) => (a.date < b.date ? -1 : 1))
    .slice(-(RETURNS_MAX + 1))
}

/** The simple return from a number to the next; null where the first is not above zero. */
const simpleReturn = (base: number, next: number): number | null => {
  const change = (next - base) / base
  return base > 0 && Number.isFinite(change) ? change : null
}

const isConstant = (returns: ReadonlyArray<number>): boolean =>
  Math.max(...returns) - Math.min(...returns) <= RETURN_ROUNDING

/**
 * Pearson's correlation of the simple returns of two series between consecutive common days, so that both sides span the
 * same days whatever the holidays. A return on a number that is not above zero is left out on both sides.
 */
export const correlate = (one: Numbers, other: Numbers): PairCorrelation => {
  const days = commonDays(one, other)
  const returns = days.slice(1).flatMap(({ values: [x, y] }, at): ReadonlyArray<readonly [number, number]> => {
    const [baseX, baseY] = days[at]?.values ?? [0, 0]
    const returnX = simpleReturn(baseX, x)
    const returnY = simpleReturn(baseY, y)
    return returnX === null || returnY === null ? [] : [[returnX, returnY]]
  })
  const isUndefined =
    returns.length < RETURNS_MIN || isConstant(returns.map(([x]) => x)) || isConstant(returns.map(([, y]) => y))
  const r = isUndefined ? null : pearson(returns)
  return {
    r: r === null ? null : rounded(r, DECIMALS),
    returns: returns.length,
    firstDay: days[0]?.date ?? null,
    lastDay: days.at(-1)?.date ?? null,
  }
}

/** The strength of a rounded correlation, in a word. */
export const relationshipOf = (r: number): Relationship => {
  const size = Math.abs(r)
  if (size >= 0.7) return "strong"
  if (size >= 0.4) return "moderate"
  return size >= 0.2 ? "weak" : "negligible"
}

/** The direction of a rounded correlation; none where it is negligible. */
export const directionOf = (r: number): Direction => {
  if (relationshipOf(r) === "negligible") return "none"
  return r > 0 ? "positive" : "negative"
}
