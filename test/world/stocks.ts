import { indexSymbols } from "../../schemas/feeds/stock-quotes.ts"
import type { World } from "./world.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** A session, in UTC, whatever the season. */
const OPENS_MS = 14.5 * HOUR_MS
const CLOSES_MS = 21 * HOUR_MS
/** Points of a session at which its highest and lowest price are looked for. */
const POINTS = 13

/** A share's last trade in the world, in dollars. */
export interface WorldStock {
  readonly price: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly previousClose: number
  readonly tradedMs: number
}

const isWorkingDay = (ms: number): boolean => ![0, 6].includes(new Date(ms).getUTCDay())

/** The midnight before the newest session that had opened at an instant. */
const sessionBefore = (atMs: number): number => {
  let dayMs = Math.floor((atMs - OPENS_MS) / DAY_MS) * DAY_MS
  while (!isWorkingDay(dayMs)) dayMs -= DAY_MS
  return dayMs
}

const cents = (price: number): number => Math.round(price * 100) / 100

const priceAt = (world: World, symbol: string, atMs: number): number => {
  const centre = 20 + world.random("share", symbol) * 480
  const season = world.wander(`share/${symbol}/season`, 1, 0.2, 70 * DAY_MS, atMs)
  // A fund moves less than a share.
  const spread = (indexSymbols as ReadonlyArray<string>).includes(symbol) ? 0.01 : 0.04
  return cents(centre * season * world.wander(`share/${symbol}/day`, 1, spread, 31 * HOUR_MS, atMs))
}

/** The world lists tickers of up to four letters, and those with a class, but none that begins with Z. */
const isListed = (symbol: string): boolean => /^[A-Y][A-Z]{0,4}(\.[A-B])?$/.test(symbol)

/** A share as it stands at an instant, also while the market is closed; null for one that is not listed. */
export const stockAt = (world: World, symbol: string, atMs: number): WorldStock | null => {
  if (!isListed(symbol)) return null
  const dayMs = sessionBefore(atMs)
  const opensMs = dayMs + OPENS_MS
  const tradedMs = Math.min(Math.floor(atMs / 1000) * 1000, dayMs + CLOSES_MS)
  const price = priceAt(world, symbol, tradedMs)
  const open = priceAt(world, symbol, opensMs)
  const between = Array.from({ length: POINTS }, (_, point) =>
    priceAt(world, symbol, opensMs + ((tradedMs - opensMs) * point) / POINTS),
  )
  return {
    price,
    open,
    high: Math.max(price, open, ...between),
    low: Math.min(price, open, ...between),
    previousClose: priceAt(world, symbol, sessionBefore(opensMs - 1) + CLOSES_MS),
    tradedMs,
  }
}
