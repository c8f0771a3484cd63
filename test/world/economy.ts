import { type EconomicSeriesId, economicSeriesFacts } from "../../schemas/feeds/economic-series.ts"
import type { World } from "./world.ts"

const DAY_MS = 86_400_000
/** The delay from the end of a period to the publication of its number. */
const published = { day: DAY_MS, week: 0, month: 12 * DAY_MS, quarter: 30 * DAY_MS } as const
/** The centre of each series, its spread, and the decimals of its numbers. */
const courses: Readonly<Record<EconomicSeriesId, readonly [centre: number, spread: number, decimals: number]>> = {
  FEDFUNDS: [3.63, 0.2, 2],
  EFFR: [3.63, 0.2, 2],
  DFEDTARL: [3.5, 0, 2],
  DFEDTARU: [3.75, 0, 2],
  CPIAUCSL: [325, 9, 3],
  UNRATE: [4.3, 0.5, 1],
  A191RL1Q225SBEA: [2, 1.8, 1],
  DGS10: [4.2, 0.4, 2],
  DGS2: [3.7, 0.4, 2],
  MORTGAGE30US: [6.4, 0.4, 2],
  DTWEXBGS: [120, 4, 4],
  DCOILWTICO: [65, 8, 2],
  DHHNGSP: [3.1, 0.8, 2],
}

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const startOfMonth = (ms: number, back: number): number => {
  const day = new Date(ms)
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() - back, 1)
}

/** First days of the periods of a series up to now, the newest first. */
const periodsOf = (series: EconomicSeriesId, nowMs: number, count: number): ReadonlyArray<number> => {
  const today = Math.floor(nowMs / DAY_MS) * DAY_MS
  const weekday = (ms: number): number => new Date(ms).getUTCDay()
  const indices = Array.from({ length: count }, (_, index) => index)
  switch (economicSeriesFacts[series].period) {
    case "day":
      return indices.map((index) => today - index * DAY_MS).filter((ms) => weekday(ms) >= 1 && weekday(ms) <= 5)
    case "week": {
      const thursday = today - ((weekday(today) + 3) % 7) * DAY_MS
      return indices.map((index) => thursday - index * 7 * DAY_MS)
    }
    case "month":
      return indices.map((index) => startOfMonth(nowMs, index))
    case "quarter":
      return indices.map((index) => startOfMonth(nowMs, index)).filter((ms) => new Date(ms).getUTCMonth() % 3 === 0)
  }
}

const endOf = (series: EconomicSeriesId, ms: number): number => {
  const { period } = economicSeriesFacts[series]
  return period === "month" || period === "quarter" ? startOfMonth(ms, period === "month" ? -1 : -3) : ms
}

/** One number of the world's economy, as published at the world's time: null on a holiday. */
export interface WorldNumber {
  readonly date: string
  readonly value: number | null
}

/** The delay from a publication to its revision. Numbers of the dollar index are always revised, so each day has one. */
const REVISED_AFTER_MS = [3 * DAY_MS, 5 * DAY_MS]

/** The numbers of a series that are published by now, newest first. */
export const numbersOf = (world: World, series: EconomicSeriesId, count: number): ReadonlyArray<WorldNumber> => {
  const [centre, spread, decimals] = courses[series]
  const { period } = economicSeriesFacts[series]
  return periodsOf(series, world.nowMs, count).flatMap((ms): ReadonlyArray<WorldNumber> => {
    const publishedMs = endOf(series, ms) + published[period]
    if (publishedMs > world.nowMs) return []
    // About one working day in twelve is a holiday.
    if (period === "day" && world.random("holiday", dayOf(ms)) < 0.08) return [{ date: dayOf(ms), value: null }]
    const isRevised = series === "DTWEXBGS" || world.random("revised", series, ms) < 0.3
    const revisions = isRevised ? REVISED_AFTER_MS.filter((after) => world.nowMs > publishedMs + after).length : 0
    const value = world.wander(`economy/${series}`, centre, spread, 300 * DAY_MS, ms) + revisions * 10 ** -decimals
    return [{ date: dayOf(ms), value: Number(value.toFixed(decimals)) }]
  })
}

/** The days of a daily series from a day on, the newest first, without its holidays. */
export const daysSince = (world: World, series: EconomicSeriesId, from: string) => {
  const days = Math.ceil((world.nowMs - Date.parse(from)) / DAY_MS) + 1
  return numbersOf(world, series, Math.max(0, days)).flatMap(({ date, value }) =>
    date < from || value === null ? [] : [{ date, value }],
  )
}
