import { bitcoinAt, venue } from "../bitcoin.ts"
import { simulatedUpstream, type WorldReply } from "../upstream.ts"

const PATH = /^\/products\/BTC-USD\/(ticker|stats)$/
/** Those of `coinbase-candles`. */
const CANDLES = "/products/BTC-USD/candles"
/** The statistics are cached a few seconds longer than the ticker. */
const STATS_CACHED_MS = 5_000

const notFound: WorldReply = { status: 404, body: { message: "NotFound" } }

export default simulatedUpstream({
  name: "coinbase-exchange",
  hosts: ["api.exchange.coinbase.com"],
  answer: ({ path }, world) => {
    const document = PATH.exec(path)?.[1]
    if (document === undefined) return path === CANDLES ? null : notFound
    const cached = document === "stats" ? Math.floor(world.nowMs / STATS_CACHED_MS) * STATS_CACHED_MS : world.nowMs
    const market = venue({ ...world, nowMs: cached }, "coinbase", 0)
    const last = bitcoinAt(world, cached)
    // Decimals are texts without trailing zeros.
    if (document === "stats")
      return {
        body: {
          open: String(market.open24h),
          high: String(market.high24h),
          low: String(market.low24h),
          last: String(Math.round(last * 100) / 100),
          volume: market.volume24h.toFixed(8),
          volume_30day: (market.volume24h * 27).toFixed(8),
          rfq_volume_24hour: "31.625279",
          rfq_volume_30day: "2310.097200",
        },
      }
    const tradedMs = world.nowMs - Math.floor(world.random("trade", Math.floor(world.nowMs / 1000)) * 900)
    return {
      body: {
        ask: String(Math.round((market.price + 0.01) * 100) / 100),
        bid: String(market.price),
        volume: market.volume24h.toFixed(8),
        trade_id: 1_040_000_000 + (Math.floor(world.nowMs / 1000) % 100_000_000),
        price: String(market.price),
        size: (world.random("size", Math.floor(world.nowMs / 1000)) * 0.1 + 0.0001).toFixed(8),
        // Nanoseconds; the last six digits are arbitrary here.
        time: `${new Date(tradedMs).toISOString().slice(0, -1)}274911Z`,
        rfq_volume: "31.625279",
      },
    }
  },
})
