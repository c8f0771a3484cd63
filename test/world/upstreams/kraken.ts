import { venue } from "../bitcoin.ts"
import { simulatedUpstream } from "../upstream.ts"

/** The reply names the pair by its old name, independent of the name in the request. */
const answeredAs: Readonly<Record<string, string>> = {
  XBTUSD: "XXBTZUSD",
  XXBTZUSD: "XXBTZUSD",
  BTCUSD: "XXBTZUSD",
}

export default simulatedUpstream({
  name: "kraken",
  hosts: ["api.kraken.com"],
  answer: ({ path, query }, world) => {
    if (path !== "/0/public/Ticker") return { body: { error: ["EGeneral:Unknown method"] } }
    const requested = query.get("pair") ?? "XBTUSD"
    const name = query.get("assetVersion") === "1" ? "BTC/USD" : answeredAs[requested]
    // Errors have status 200 and no result.
    if (name === undefined) return { body: { error: ["EQuery:Unknown asset pair"] } }
    const market = venue(world, "kraken", -3)
    const price = (value: number) => value.toFixed(5)
    const average = (low: number, high: number) => price((low + high) / 2)
    const trades = Math.round(market.volume24h * 46)
    return {
      body: {
        error: [],
        result: {
          [name]: {
            a: [price(market.price + 0.1), "1", "1.000"],
            b: [price(market.price), "1", "1.000"],
            c: [price(market.price), "0.00023167"],
            v: [market.volumeToday.toFixed(8), market.volume24h.toFixed(8)],
            p: [average(market.lowToday, market.highToday), average(market.low24h, market.high24h)],
            t: [Math.round((trades * market.volumeToday) / market.volume24h), trades],
            l: [price(market.lowToday), price(market.low24h)],
            h: [price(market.highToday), price(market.high24h)],
            o: price(market.openToday),
          },
        },
      },
    }
  },
})
