import {
  byHaltedAt,
  TRADE_HALTS_SHOWN_MAX,
  type TradeHalt,
  tradeHalts,
  tradeHaltsEndpoint,
} from "../../schemas/feeds/trade-halts.ts"
import { haltReason } from "../halt-reasons.ts"
import { rowsBy } from "../view/rows-by.ts"
import { nextAfter, until } from "../view/timed.ts"
import { from, view } from "../view/view.ts"

/** Halts as replies show them. */
export const haltRows = rowsBy((halt: TradeHalt) => ({
  symbol: halt.symbol,
  name: halt.name,
  market: halt.market,
  reason_code: halt.reasonCode,
  reason: haltReason(halt.reasonCode),
  halted_at: halt.haltedAt,
  pause_threshold_price: halt.pauseThresholdPrice,
  resumption_quote_at: halt.resumptionQuoteAt,
  resumption_at: halt.resumptionAt,
}))

export default view({
  endpoint: tradeHaltsEndpoint,
  reads: { listed: from(tradeHalts) },
  // A halt ends at its time, also without a new observation.
  clock: true,
  build: ({ listed }, { nowMs }) => {
    const inForce = listed.payload.items
      .filter(({ resumptionAt }) => resumptionAt === null || Date.parse(resumptionAt) > nowMs)
      .sort(byHaltedAt)
    const halts = haltRows(inForce.slice(0, TRADE_HALTS_SHOWN_MAX))
    const ends = inForce.flatMap(({ resumptionAt }) => (resumptionAt === null ? [] : [Date.parse(resumptionAt)]))
    return until({ count: halts.length, total: inForce.length, halts }, nextAfter(nowMs, ends))
  },
})
