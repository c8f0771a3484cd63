import {
  byHaltedAt,
  TRADE_HALTS_SHOWN_MAX,
  type TradeHalt,
  tradeHalts,
  tradeHaltsEndpoint,
} from "../../schemas/feeds/trade-halts.ts"
import { changesOf, from, nextAfter, rowsBy, until, view } from "../view/view.ts"

/** The codes of the exchanges for halts and resumptions, in words (https://www.nasdaqtrader.com/Trader.aspx?id=TradeHaltCodes). */
const reasons: ReadonlyMap<string, string> = new Map([
  ["T1", "News pending"],
  ["T2", "News released"],
  ["T3", "News and resumption times"],
  ["T5", "Single-stock trading pause"],
  ["T6", "Extraordinary market activity"],
  ["T7", "Single-stock trading pause, quotation only"],
  ["T8", "Halt of an exchange-traded fund"],
  ["T12", "Additional information requested"],
  ["H4", "Non-compliance with listing requirements"],
  ["H9", "Not current in required filings"],
  ["H10", "Trading suspension by the SEC"],
  ["H11", "Regulatory concern"],
  ["O1", "Operations halt"],
  ["IPO1", "Initial public offering not yet trading"],
  ["IPOQ", "Initial public offering released for quotation"],
  ["IPOE", "Initial public offering, positioning window extended"],
  ["M", "Volatility trading pause"],
  ["M1", "Corporate action"],
  ["M2", "Quotation not available"],
  ["LUDP", "Volatility trading pause"],
  ["LUDS", "Volatility trading pause, straddle condition"],
  ["MWC0", "Market-wide circuit breaker, carried over from the day before"],
  ["MWC1", "Market-wide circuit breaker, level 1"],
  ["MWC2", "Market-wide circuit breaker, level 2"],
  ["MWC3", "Market-wide circuit breaker, level 3"],
  ["MWCQ", "Market-wide circuit breaker, resumption"],
  ["R1", "New issue available"],
  ["R2", "Issue available"],
  ["R4", "Qualifications issues resolved"],
  ["R9", "Filing requirements satisfied"],
  ["C3", "Issuer news not forthcoming"],
  ["C4", "Qualifications halt ended, requirements met"],
  ["C9", "Qualifications halt concluded, filings met"],
  ["C11", "Halt concluded by another regulator"],
  ["D", "Deletion of the security"],
])

/** A reason code in words, each part of a combined code in its own; null where a part is not known. */
export const haltReason = (code: string): string | null => {
  const words = code
    .toUpperCase()
    .split(/[^A-Z0-9]+/)
    .filter((part) => part !== "")
    .map((part) => reasons.get(part))
  return words.length === 0 || words.includes(undefined) ? null : [...new Set(words)].join("; ")
}

const haltRow = (halt: TradeHalt) => ({
  symbol: halt.symbol,
  name: halt.name,
  market: halt.market,
  reason_code: halt.reasonCode,
  reason: haltReason(halt.reasonCode),
  halted_at: halt.haltedAt,
  pause_threshold_price: halt.pauseThresholdPrice,
  resumption_quote_at: halt.resumptionQuoteAt,
  resumption_at: halt.resumptionAt,
})
const haltRows = rowsBy(haltRow)

export default view({
  endpoint: tradeHaltsEndpoint,
  reads: { listed: from(tradeHalts) },
  // A halt ends at its time, also without a new observation.
  clock: true,
  changes: [changesOf(tradeHalts, haltRow)],
  build: ({ listed }, { nowMs }) => {
    const inForce = listed.payload.items
      .filter(({ resumptionAt }) => resumptionAt === null || Date.parse(resumptionAt) > nowMs)
      .sort(byHaltedAt)
    const halts = haltRows(inForce.slice(0, TRADE_HALTS_SHOWN_MAX))
    const ends = inForce.flatMap(({ resumptionAt }) => (resumptionAt === null ? [] : [Date.parse(resumptionAt)]))
    return until({ count: halts.length, total: inForce.length, halts }, nextAfter(nowMs, ends))
  },
})
