import { bitcoinAt, venue } from "../bitcoin.ts"
import { simulatedUpstream, type WorldReply } from "../upstream.ts"

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

const invalidSymbol: WorldReply = { status: 400, body: { code: -1121, msg: "Invalid symbol." } }

export default simulatedUpstream({
  name: "binance-spot",
  hosts: ["api.binance.com", "data-api.binance.vision"],
  answer: ({ path, query }, world) => {
    if (path !== "/api/v3/ticker/24hr" && path !== "/api/v3/klines") return null
    const symbol = query.get("symbol")
    // Lists of pairs are those of `binance-tickers`.
    if (path === "/api/v3/ticker/24hr" && symbol === null) return null
    if ((symbol ?? "BTCUSDT") !== "BTCUSDT") return invalidSymbol
    const market = venue(world, "binance", 6)
    const decimal = (value: number) => value.toFixed(8)
    if (path === "/api/v3/klines") {
      const limit = Math.min(1000, Number(query.get("limit") ?? 500))
      const newestMs = Math.floor(world.nowMs / MINUTE_MS) * MINUTE_MS
      return {
        body: Array.from({ length: limit }, (_, index) => {
          const fromMs = newestMs - (limit - 1 - index) * MINUTE_MS
          const [open, close] = [bitcoinAt(world, fromMs) + 6, bitcoinAt(world, fromMs + MINUTE_MS) + 6]
          const volume = 5 + world.random("kline", fromMs) * 20
          return [
            fromMs,
            decimal(open),
            decimal(Math.max(open, close) + 3),
            decimal(Math.min(open, close) - 3),
            decimal(close),
            decimal(volume),
            fromMs + MINUTE_MS - 1,
            decimal(volume * close),
            Math.round(volume * 40),
            decimal(volume / 2),
            decimal((volume / 2) * close),
            "0",
          ]
        }),
      }
    }
    const change = market.price - market.open24h
    const row = {
      symbol: "BTCUSDT",
      priceChange: decimal(change),
      priceChangePercent: ((change / market.open24h) * 100).toFixed(3),
      weightedAvgPrice: decimal((market.high24h + market.low24h) / 2),
      prevClosePrice: decimal(market.open24h),
      lastPrice: decimal(market.price),
      lastQty: "0.00335000",
      bidPrice: decimal(market.price),
      bidQty: "0.09810000",
      askPrice: decimal(market.price + 0.01),
      askQty: "8.52891000",
      openPrice: decimal(market.open24h),
      highPrice: decimal(market.high24h),
      lowPrice: decimal(market.low24h),
      volume: decimal(market.volume24h * 7),
      quoteVolume: decimal((market.volume24h * 7 * (market.high24h + market.low24h)) / 2),
      openTime: world.nowMs - DAY_MS,
      closeTime: world.nowMs,
      firstId: 3_983_862_692,
      lastId: 3_983_862_692 + Math.round(market.volume24h * 150),
      count: Math.round(market.volume24h * 150) + 1,
    }
    return { body: row }
  },
})
