import {
  EVENTS_SHOWN_MAX,
  type EventMarket,
  eventMarket,
  eventMarketEndpoint,
} from "../../schemas/feeds/event-market.ts"
import { rounded } from "../../schemas/number.ts"
import { changesOf, from, view } from "../view/view.ts"

const eventRow = (event: EventMarket) => ({
  event_ticker: event.eventTicker,
  title: event.title,
  category: event.category,
  leader: event.leader,
  leader_pct: event.leaderProbability === null ? null : rounded(event.leaderProbability * 100, 2),
  volume_24h: event.volume24hContracts,
  open_interest: event.openInterestContracts,
  market_count: event.marketCount,
  closes_at: event.closesAt,
})

export default view({
  endpoint: eventMarketEndpoint,
  reads: { events: from(eventMarket) },
  changes: [changesOf(eventMarket, eventRow)],
  build: ({ events }) => {
    const shown = events.payload.items.slice(0, EVENTS_SHOWN_MAX)
    return { count: shown.length, markets: shown.map(eventRow) }
  },
})
