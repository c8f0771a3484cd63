import { exchangeTickerBases } from "../../../schemas/feeds/exchange-tickers.ts"
import { coinPriceAt } from "../perpetuals.ts"
import { simulatedUpstream } from "../upstream.ts"
import type { World } from "../world.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SEASON_MS = 30 * DAY_MS
/** Points of a day at which the highest and lowest price are looked for. */
const POINTS = 8
/** Always traded: other tests and endpoints read them. */
const STEADY = ["BTC", "ETH"]

const changing = exchangeTickerBases.filter((base) => !STEADY.includes(base))
const chosen = (world: World, what: string, period: number): string =>
  changing[Math.floor(world.random("tickers", what, period) * changing.length)] ?? "FIL"

/** The coin whose trade is halted, for the first quarter of each hour. */
export const haltedAt = (world: World): string | null =>
  world.nowMs % HOUR_MS < HOUR_MS / 4 ? chosen(world, "halted", Math.floor(world.nowMs / HOUR_MS)) : null

/** The coin whose pair was given up: its statistics are those of the last day on which it was traded. */
export const givenUpAt = (world: World): string => chosen(world, "given up", Math.floor(world.nowMs / SEASON_MS))

const decimal = (value: number): string => value.toFixed(8)

const statistics = (world: World, base: string, atMs: number) => {
  const price = coinPriceAt(world, base, atMs)
  const day = Array.from({ length: POINTS }, (_, at) => coinPriceAt(world, base, atMs - (at * DAY_MS) / POINTS))
  const open = coinPriceAt(world, base, atMs - DAY_MS)
  const [high, low] = [Math.max(...day, open), Math.min(...day, open)]
  const turnover =
    10 ** (STEADY.includes(base) ? 9.3 : 9 - 4 * world.random("turnover", base)) *
    world.wander(`turnover/${base}`, 1, 0.4, 2 * DAY_MS, atMs)
  const trades = Math.round(turnover / 500) + 1
  return {
    priceChange: decimal(price - open),
    priceChangePercent: ((100 * (price - open)) / open).toFixed(3),
    weightedAvgPrice: decimal((high + low) / 2),
    prevClosePrice: decimal(open),
    lastPrice: decimal(price),
    bidPrice: decimal(price),
    askPrice: decimal(price * 1.0001),
    openPrice: decimal(open),
    highPrice: decimal(high),
    lowPrice: decimal(low),
    volume: decimal(turnover / price),
    quoteVolume: decimal(turnover),
    openTime: atMs - DAY_MS,
    closeTime: atMs,
    firstId: 1_000,
    lastId: 1_000 + trades,
    count: trades,
  }
}

const zeros = (atMs: number) => ({
  priceChange: "0.00000000",
  priceChangePercent: "0.000",
  lastPrice: "0.00000000",
  openPrice: "0.00000000",
  highPrice: "0.00000000",
  lowPrice: "0.00000000",
  volume: "0.00000000",
  quoteVolume: "0.00000000",
  openTime: atMs - DAY_MS,
  closeTime: atMs,
  firstId: -1,
  lastId: -1,
  count: 0,
})

/** What the venue says of a pair: each is updated at its own moment of the last two seconds. */
const tickerOf = (world: World, base: string, quote: string) => {
  const atMs = world.nowMs - Math.floor(world.random("ticker", base) * 2_000)
  const isHalted = base === haltedAt(world)
  const endedMs = Math.floor(world.nowMs / SEASON_MS) * SEASON_MS
  return {
    symbol: `${base}${quote}`,
    ...(isHalted ? zeros(atMs) : statistics(world, base, base === givenUpAt(world) ? endedMs - DAY_MS : atMs)),
  }
}

export default simulatedUpstream({
  name: "binance-tickers",
  hosts: ["api.binance.com", "data-api.binance.vision"],
  answer: ({ path, query }, world) => {
    if (path !== "/api/v3/ticker/24hr" || query.get("symbol") !== null) return null
    const all = [
      ...exchangeTickerBases.map((base) => tickerOf(world, base, "USDT")),
      // Pairs of the venue that are not followed.
      tickerOf(world, "KELP", "USDT"),
      tickerOf(world, "ETH", "BTC"),
    ]
    const symbols = query.get("symbols")
    if (symbols === null) return { body: all }
    const wanted = JSON.parse(symbols) as ReadonlyArray<string>
    return wanted.every((symbol) => all.some((one) => one.symbol === symbol))
      ? { body: all.filter(({ symbol }) => wanted.includes(symbol)) }
      : { status: 400, body: { code: -1121, msg: "Invalid symbol." } }
  },
})
