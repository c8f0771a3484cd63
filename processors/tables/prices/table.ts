import { btcPrice } from "../../../schemas/feeds/btc-price.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "prices",
  feed: btcPrice,
  // A price has no end: the next one replaces it.
  rows: ({ kind, key, provider, item, observedAt }) =>
    kind === "gone"
      ? []
      : [
          {
            asset: key,
            currency: item.currency,
            provider,
            price: item.price,
            change_24h_percent: item.change24hPercent,
            high_24h: item.high24h,
            low_24h: item.low24h,
            volume_24h: item.volume24h,
            observed_at: observedAt,
          },
        ],
  partition: (row) => monthOf(row.observed_at),
})
