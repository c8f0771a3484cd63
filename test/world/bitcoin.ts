import type { World } from "./world.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** What one bitcoin costs in the world at an instant, in dollars. Venues differ from it by a few dollars. */
export const bitcoinAt = (world: World, atMs: number): number =>
  world.wander("bitcoin/season", 76_000, 9_000, 40 * DAY_MS, atMs) +
  world.wander("bitcoin/day", 0, 900, 9 * HOUR_MS, atMs) +
  world.wander("bitcoin/minute", 0, 25, 7 * MINUTE_MS, atMs)

/** One venue's view of bitcoin, in dollars and bitcoins. */
export interface Venue {
  readonly price: number
  readonly open24h: number
  readonly openToday: number
  readonly high24h: number
  readonly low24h: number
  readonly highToday: number
  readonly lowToday: number
  /** Bitcoins traded. */
  readonly volume24h: number
  readonly volumeToday: number
}

const SAMPLES = 12

/** The market of the world at a venue, which is `premium` dollars above the others. */
export const venue = (world: World, name: string, premium: number): Venue => {
  const at = (atMs: number) => Math.round((bitcoinAt(world, atMs) + premium) * 100) / 100
  const price = at(world.nowMs)
  const midnightMs = Math.floor(world.nowMs / DAY_MS) * DAY_MS
  const range = (fromMs: number) => [
    price,
    ...Array.from({ length: SAMPLES }, (_, index) => at(fromMs + (index * (world.nowMs - fromMs)) / SAMPLES)),
  ]
  const day = range(world.nowMs - DAY_MS)
  const today = range(midnightMs)
  const volume24h = world.wander(`bitcoin/volume/${name}`, 4200, 1800, 3 * DAY_MS)
  return {
    price,
    open24h: at(world.nowMs - DAY_MS),
    openToday: at(midnightMs),
    high24h: Math.max(...day),
    low24h: Math.min(...day),
    highToday: Math.max(...today),
    lowToday: Math.min(...today),
    volume24h,
    volumeToday: (volume24h * (world.nowMs - midnightMs)) / DAY_MS,
  }
}
