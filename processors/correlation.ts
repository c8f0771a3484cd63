import {
  type Direction,
  RETURNS_MAX,
  RETURNS_MIN,
  type Relationship,
} from "../schemas/endpoints/pro-correlation-matrix.ts"
import type { EconomicNumber } from "../schemas/feeds/economic-series.ts"
import { rounded } from "../schemas/number.ts"
import { pearson } from "./pearson.ts"

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
