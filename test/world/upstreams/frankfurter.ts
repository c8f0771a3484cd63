import { simulatedUpstream } from "../upstream.ts"
import type { World } from "../world.ts"

const DAY_MS = 86_400_000
/** Rates of a day are published at 16:00 Central European time. */
const PUBLISHED_MS = 15 * 3_600_000
/** The longest series that is answered. */
const SERIES_DAYS_MAX = 400

/** The centre of each currency's rate, units for one dollar; more currencies than the source requests. */
const centres: Readonly<Record<string, number>> = {
  AUD: 1.42,
  BRL: 5.2,
  CAD: 1.37,
  CHF: 0.79,
  CNY: 6.9,
  CZK: 21.3,
  DKK: 6.5,
  EUR: 0.87,
  GBP: 0.75,
  HKD: 7.83,
  INR: 92.9,
  JPY: 159.5,
  KRW: 1503,
  MXN: 17.7,
  NOK: 9.6,
  NZD: 1.72,
  PLN: 3.71,
  SEK: 9.4,
  SGD: 1.28,
  ZAR: 16.9,
}

/** The provider's own rounding: fewer decimals the larger the number. */
const round = (rate: number): number => Number(rate.toFixed(rate > 80 ? 2 : rate > 20 ? 3 : rate > 1 ? 4 : 5))

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
const isWorkingDay = (ms: number): boolean => ![0, 6].includes(new Date(ms).getUTCDay())

/** The newest day with rates at or before an instant, as the milliseconds of its midnight. */
const newestDayMs = (atMs: number): number => {
  let dayMs = Math.floor((atMs - PUBLISHED_MS) / DAY_MS) * DAY_MS
  while (!isWorkingDay(dayMs)) dayMs -= DAY_MS
  return dayMs
}

/** The world's rate of a currency on a day, units for one dollar. */
export const rateOn = (world: World, currency: string, dayMs: number): number | null => {
  const centre = centres[currency]
  return centre === undefined ? null : round(world.wander(`fx-${currency}`, centre, centre * 0.04, 60 * DAY_MS, dayMs))
}

const ratesOn = (world: World, symbols: ReadonlyArray<string>, dayMs: number) =>
  Object.fromEntries(
    symbols.flatMap((currency) => {
      const rate = rateOn(world, currency, dayMs)
      return rate === null ? [] : [[currency, rate]]
    }),
  )

const notFound = { status: 404, body: { message: "not found" } }

export default simulatedUpstream({
  name: "frankfurter",
  hosts: ["api.frankfurter.dev"],
  answer: ({ path, query }, world) => {
    const [, from = "", range = "", to = ""] =
      /^\/v1\/(latest|\d{4}-\d\d-\d\d)(?:(\.\.)(\d{4}-\d\d-\d\d)?)?$/.exec(path) ?? []
    // This world supports only the dollar as base.
    if (from === "" || query.get("base") !== "USD") return notFound
    const symbols = query.get("symbols")?.split(",").sort() ?? Object.keys(centres)
    const newestMs = newestDayMs(world.nowMs)
    const envelope = { amount: 1, base: "USD" }
    if (range === "") {
      const dayMs = from === "latest" ? newestMs : newestDayMs(Math.min(Date.parse(from) + PUBLISHED_MS, world.nowMs))
      return { body: { ...envelope, date: dayOf(dayMs), rates: ratesOn(world, symbols, dayMs) } }
    }
    const startMs = Date.parse(from)
    const endMs = Math.min(to === "" ? newestMs : Date.parse(to), newestMs)
    const count = Math.floor((endMs - startMs) / DAY_MS) + 1
    if (Number.isNaN(count) || count < 1 || count > SERIES_DAYS_MAX) return notFound
    const days = Array.from({ length: count }, (_, index) => startMs + index * DAY_MS).filter(isWorkingDay)
    const [firstMs] = days
    const lastMs = days.at(-1)
    if (firstMs === undefined || lastMs === undefined) return notFound
    return {
      body: {
        ...envelope,
        start_date: dayOf(firstMs),
        end_date: dayOf(lastMs),
        rates: Object.fromEntries(days.map((dayMs) => [dayOf(dayMs), ratesOn(world, symbols, dayMs)])),
      },
    }
  },
})
