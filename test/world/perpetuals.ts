import { bitcoinAt } from "./bitcoin.ts"
import type { World } from "./world.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const words = ["KELP", "TIDE", "GULL", "REEF", "BUOY", "CORAL", "SQUALL", "ANCHOR", "SHOAL", "PRAWN", "MARLIN", "HULL"]
const forms = ["", "X", "AI", "2", "CAT"]
/** The coins of the world: more than a payload holds. */
const coins: ReadonlyArray<string> = ["BTC", "ETH", "SOL", ...words.flatMap((word) => forms.map((form) => word + form))]

/** A perpetual contract of the world at a venue. */
export interface WorldPerpetual {
  readonly coin: string
  readonly periodHours: number
  /** The rate of one period, a fraction, as text with eight decimals. */
  readonly rate: string
  readonly markPrice: number
  readonly nextFundingMs: number
}

/** What a coin costs in the world at an instant, in dollars. */
export const coinPriceAt = (world: World, coin: string, atMs: number): number => {
  if (coin === "BTC") return bitcoinAt(world, atMs)
  const scale = coin === "ETH" ? 3_000 : coin === "SOL" ? 150 : 10 ** (3 * world.random("coin scale", coin) - 2)
  return scale * (1 + world.wander(`coin/${coin}`, 0, 0.2, 3 * DAY_MS, atMs))
}

/** The perpetual contracts of a venue. Their rates for eight hours differ little from venue to venue. */
export const perpetualsAt = (
  world: World,
  venue: string,
  periods: ReadonlyArray<number>,
): ReadonlyArray<WorldPerpetual> =>
  coins.map((coin) => {
    const periodHours = periods[Math.floor(world.random("period", venue, coin) * periods.length)] ?? 8
    const periodMs = periodHours * HOUR_MS
    const eightHours =
      world.wander(`funding/${coin}`, 0.00006, 0.0006, 2 * DAY_MS) +
      world.wander(`funding/${venue}/${coin}`, 0, 0.00004, 9 * HOUR_MS)
    return {
      coin,
      periodHours,
      rate: ((eightHours * periodHours) / 8).toFixed(8),
      markPrice: coinPriceAt(world, coin, world.nowMs),
      nextFundingMs: (Math.floor(world.nowMs / periodMs) + 1) * periodMs,
    }
  })

/** Whether a venue refuses callers of some countries: for one hour of each day, between midnight and six. */
export const isRefusedByLaw = (world: World): boolean => {
  const day = Math.floor(world.nowMs / DAY_MS)
  const beginMs = day * DAY_MS + Math.floor(world.random("refused by law", day) * 5 * 60) * 60_000
  return world.nowMs >= beginMs && world.nowMs < beginMs + HOUR_MS
}
