import { coins } from "../../../schemas/feeds/coins.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "coin_quotes",
  feed: coins,
  rows: ({ kind, item, provider, observedAt }) => [
    {
      id: item.id,
      symbol: item.symbol,
      name: item.name,
      price_usd: item.priceUsd,
      change_1h_percent: item.change1hPercent,
      change_24h_percent: item.change24hPercent,
      change_7d_percent: item.change7dPercent,
      market_cap_usd: item.marketCapUsd,
      volume_24h_usd: item.volume24hUsd,
      rank: item.rank,
      updated_at: item.updatedAt,
      listed: kind !== "gone",
      provider,
      observed_at: observedAt,
    },
  ],
  partition: (row) => monthOf(row.observed_at),
})
