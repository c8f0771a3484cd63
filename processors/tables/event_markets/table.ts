import { eventMarket } from "../../../schemas/feeds/event-market.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "event_markets",
  feed: eventMarket,
  rows: ({ kind, item, provider, observedAt }) => [
    {
      event_ticker: item.eventTicker,
      title: item.title,
      category: item.category ?? "",
      leader: item.leader ?? "",
      leader_probability: item.leaderProbability,
      volume_24h_contracts: item.volume24hContracts,
      open_interest_contracts: item.openInterestContracts,
      market_count: item.marketCount,
      closes_at: item.closesAt,
      updated_at: item.updatedAt,
      listed: kind !== "gone",
      provider,
      observed_at: observedAt,
    },
  ],
  partition: (row) => monthOf(row.observed_at),
})
