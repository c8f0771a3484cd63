import { bitcoinAt } from "../bitcoin.ts"
import { simulatedUpstream } from "../upstream.ts"
import type { World } from "../world.ts"

const GRANULARITIES = [60, 300, 900, 3600, 21_600, 86_400]
const ROWS = 300
/** One candle in this many is missing, as that of a time without a trade. */
const MISSING_EACH = 97

const cents = (value: number): number => Math.round(value * 100) / 100

/** A candle from `fromS`, seconds, on: time, low, high, open, close, volume. The open one ends now. */
const candleOf = (world: World, fromS: number, seconds: number): ReadonlyArray<number> => {
  const untilMs = Math.min(world.nowMs, (fromS + seconds) * 1000)
  const [open, close] = [bitcoinAt(world, fromS * 1000), bitcoinAt(world, untilMs)]
  const spread = seconds / 200
  return [
    fromS,
    cents(Math.min(open, close) - spread * world.random("candle", "low", fromS)),
    cents(Math.max(open, close) + spread * world.random("candle", "high", fromS)),
    cents(open),
    cents(close),
    Math.round(world.random("candle", "volume", fromS) * seconds * 5e6) / 1e8,
  ]
}

export default simulatedUpstream({
  name: "coinbase-candles",
  hosts: ["api.exchange.coinbase.com"],
  answer: ({ path, query }, world) => {
    if (path !== "/products/BTC-USD/candles") return null
    const seconds = Number(query.get("granularity") ?? 60)
    if (!GRANULARITIES.includes(seconds)) return { status: 400, body: { message: "Unsupported granularity" } }
    const newest = Math.floor(world.nowMs / 1000 / seconds)
    return {
      body: Array.from({ length: ROWS }, (_, index) => newest - index)
        .filter((number) => number % MISSING_EACH !== 0)
        .map((number) => candleOf(world, number * seconds, seconds)),
    }
  },
})
