import { instant } from "../../../schemas/event.ts"
import { btcCandles, candleEndMs } from "../../../schemas/feeds/btc-candles.ts"
import { btcPrice } from "../../../schemas/feeds/btc-price.ts"
import { exchangeTickers } from "../../../schemas/feeds/exchange-tickers.ts"
import { percentChange } from "../../../schemas/number.ts"
import { type ChangeOf, itemTable } from "../../table.ts"

type Change = ChangeOf<typeof btcPrice> | ChangeOf<typeof exchangeTickers> | ChangeOf<typeof btcCandles>

/** Decimals of a change, as venues give it. */
const CHANGE_PLACES = 3

/** The columns that are no members of a price, or of a day. */
const columnsOf = (change: Change) => {
  switch (change.feed) {
    case "btc-price":
      return {
        asset: change.key,
        period: "rolling",
        at: change.observedAt,
        volume_24h_units: null,
        trades_24h: null,
      }
    case "exchange-tickers":
      return {
        asset: change.item.base,
        currency: change.item.quote,
        period: "rolling",
        volume_24h_units: null,
      }
    case "btc-candles":
      return {
        asset: "BTC",
        currency: "USD",
        period: "day",
        at: instant(candleEndMs(change.item)),
        price: change.item.close,
        change_24h_percent: percentChange(change.item.open, change.item.close, CHANGE_PLACES),
        high_24h: change.item.high,
        low_24h: change.item.low,
        volume_24h: null,
        volume_24h_units: change.item.volumeBtc,
        trades_24h: null,
      }
  }
}

// A price has no end: the next one replaces it. A day that leaves the list stays what it was.
export default itemTable(import.meta.url, {
  feeds: [btcPrice, exchangeTickers, btcCandles],
  columns: columnsOf,
  now: { identity: ["feed", "asset"], stands: "period = 'rolling'" },
  held: { among: "period = 'rolling'" },
})
