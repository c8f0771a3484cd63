import { stockAt } from "../stocks.ts"
import { simulatedUpstream } from "../upstream.ts"

/** Quotes are delayed. */
const DELAY_MS = 15 * 60_000
const HEADER = "Symbol,Date,Time,Open,High,Low,Close,Volume,Prev"

const warsaw = new Intl.DateTimeFormat("sv-SE", {
  timeZone: "Europe/Warsaw",
  dateStyle: "short",
  timeStyle: "medium",
})

export default simulatedUpstream({
  name: "stooq",
  hosts: ["stooq.com"],
  answer: ({ path, query }, world) => {
    if (path !== "/q/l/") return null
    const rows = (query.get("s") ?? "").split(/[ +]/).map((ticker) => {
      const symbol = /^(.+)\.us$/.exec(ticker)?.[1]?.toUpperCase().replace("-", ".") ?? ""
      const stock = stockAt(world, symbol, world.nowMs - DELAY_MS)
      const name = ticker.toUpperCase()
      if (stock === null) return [name, ...Array.from({ length: 8 }, () => "N/D")].join(",")
      const [date, time] = warsaw.format(stock.tradedMs).split(" ")
      const volume = Math.floor(world.random("volume", symbol) * 1e7)
      return [name, date, time, stock.open, stock.high, stock.low, stock.price, volume, stock.previousClose].join(",")
    })
    return { contentType: "text/plain", body: [HEADER, ...rows, ""].join("\r\n") }
  },
})
