import { stockAt } from "../stocks.ts"
import { simulatedUpstream } from "../upstream.ts"

/** Decimals as the provider rounds them. */
const decimals = (value: number): number => Number(value.toFixed(4))

export default simulatedUpstream({
  name: "finnhub",
  hosts: ["finnhub.io"],
  answer: ({ path, query, headers }, world) => {
    if (path !== "/api/v1/quote") return null
    const key = headers?.["x-finnhub-token"]
    if (typeof key !== "string" || key === "") return { status: 401, body: { error: "Please use an API key." } }
    if (key.startsWith("wrong")) return { status: 401, body: { error: "Invalid API key" } }
    const symbol = query.get("symbol") ?? ""
    // Other markets than the United States are beyond the free plan.
    if (/\.TO$/.test(symbol)) return { status: 403, body: { error: "You don't have access to this resource." } }
    const stock = stockAt(world, symbol, world.nowMs)
    if (stock === null) return { body: { c: 0, d: null, dp: null, h: 0, l: 0, o: 0, pc: 0, t: 0 } }
    const { price, previousClose } = stock
    return {
      body: {
        c: price,
        d: decimals(price - previousClose),
        dp: decimals(100 * (price / previousClose - 1)),
        h: stock.high,
        l: stock.low,
        o: stock.open,
        pc: previousClose,
        t: Math.floor(stock.tradedMs / 1000),
      },
    }
  },
})
