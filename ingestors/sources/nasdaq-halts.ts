import * as Schema from "effect/Schema"
import { tradeHalts } from "../../schemas/feeds/trade-halts.ts"
import { document, UpstreamError } from "../document.ts"
import { unreadable } from "../poll/read.ts"
import { oneOrMany, XmlText } from "../readers/formats.ts"
import { instantOrNull } from "../readers/instants.ts"
import { positive } from "../readers/numbers.ts"
import { cleanText } from "../readers/text.ts"
import { rfc822Ms } from "../readers/text-dates.ts"
import { decimalOrNull } from "../readers/text-numbers.ts"
import { easternMs } from "../readers/zone-time.ts"
import { listSource } from "../source.ts"
import { termsOf } from "../terms.ts"

const optionalText = Schema.optionalKey(XmlText)

const Halt = Schema.Struct({
  "ndaq:IssueSymbol": XmlText,
  "ndaq:IssueName": optionalText,
  "ndaq:Market": optionalText,
  "ndaq:ReasonCode": optionalText,
  /**
   * MM/DD/YYYY and HH:MM:SS, with or without milliseconds, in US Eastern time, here and below. A blank may stand before
   * the milliseconds, as in `07:32:12 .540`.
   */
  "ndaq:HaltDate": XmlText,
  "ndaq:HaltTime": XmlText,
  "ndaq:PauseThresholdPrice": optionalText,
  "ndaq:ResumptionDate": optionalText,
  "ndaq:ResumptionQuoteTime": optionalText,
  "ndaq:ResumptionTradeTime": optionalText,
})
type Halt = typeof Halt.Type

/** https://www.nasdaqtrader.com/Trader.aspx?id=TradeHaltRSS */
const halts = document({
  format: "xml",
  wire: Schema.Struct({
    rss: Schema.Struct({
      channel: Schema.Struct({
        description: optionalText,
        pubDate: optionalText,
        "ndaq:numItems": optionalText,
        item: Schema.optionalKey(oneOrMany(Schema.Unknown)),
      }),
    }),
  }),
  url: "https://www.nasdaqtrader.com/rss.aspx?feed=tradehalts",
  // An item is some 1.3 KiB.
  bodyBytesMax: 8 * 1024 * 1024,
})

const LIST = /^\s*NASDAQ Trade Halts\b/i

const DATE = /^\s*(\d{1,2})\/(\d{1,2})\/(\d{4})\s*$/
const TIME = /^\s*(\d{1,2}):(\d\d)(?::(\d\d)(?:\s*\.(\d{1,9}))?)?\s*$/

const easternInstant = (dateText: string, timeText: string): string | null => {
  const [, month, day, year] = DATE.exec(dateText) ?? []
  const [, hour, minute, second = "0", fraction = ""] = TIME.exec(timeText) ?? []
  return instantOrNull(
    easternMs({
      year: Number(year),
      month: Number(month),
      day: Number(day),
      hour: Number(hour),
      minute: Number(minute),
      second: Number(second),
      millisecond: Number(fraction.slice(0, 3).padEnd(3, "0")),
    }),
  )
}

const isBlank = (text: string): boolean => text.trim() === ""

const tradeHalt = (halt: Halt) => {
  const haltedAt = easternInstant(halt["ndaq:HaltDate"], halt["ndaq:HaltTime"])
  if (haltedAt === null) return unreadable("the time of its halt is none")
  const date = halt["ndaq:ResumptionDate"] ?? ""
  const [quoteTime, tradeTime] = [halt["ndaq:ResumptionQuoteTime"] ?? "", halt["ndaq:ResumptionTradeTime"] ?? ""]
  const resumptionAt = easternInstant(date, tradeTime)
  // Without the time of its end a halt would seem to last.
  if (!isBlank(tradeTime) && resumptionAt === null) return unreadable("the time of its resumption is none")
  return {
    symbol: cleanText(halt["ndaq:IssueSymbol"], 20),
    name: cleanText(halt["ndaq:IssueName"] ?? "", 120),
    market: cleanText(halt["ndaq:Market"] ?? "", 40),
    reasonCode: cleanText(halt["ndaq:ReasonCode"] ?? "", 40),
    haltedAt,
    pauseThresholdPrice: positive(decimalOrNull(halt["ndaq:PauseThresholdPrice"])),
    resumptionQuoteAt: easternInstant(date, quoteTime),
    resumptionAt,
  }
}

export default listSource({
  name: "nasdaq-halts",
  provider: "NasdaqTrader.halts",
  fills: tradeHalts,
  every: "2 minutes",
  documents: { halts },
  collect: (upstream) => upstream.fetch(halts, undefined),
  rows: ({ rss: { channel } }) => {
    const items = channel.item ?? []
    // The same address serves other feeds, any of which may be empty.
    if (!LIST.test(channel.description ?? ""))
      return new UpstreamError({ message: "the answer is not the list of halts" })
    const said = channel["ndaq:numItems"]
    if (items.length === 0 && said !== "0")
      return new UpstreamError({ message: "the list has no items, and does not say that there are none" })
    // A list that lacks items would show their halts as over.
    return said !== undefined && decimalOrNull(said) !== items.length
      ? new UpstreamError({ message: `the list has ${items.length} items, and says another number` })
      : items
  },
  row: Halt,
  toItem: tradeHalt,
  contentAtMs: ({ rss }) => rfc822Ms(rss.channel.pubDate),
  attribution: {
    provider: "Nasdaq Trader, trading halts of all US exchanges",
    licence: "Not stated for the feed; copyright Nasdaq, all rights reserved",
    url: "https://www.nasdaqtrader.com/trader.aspx?id=TradeHalts",
  },
  terms: termsOf({ use: "provider", url: "https://www.nasdaqtrader.com/Trader.aspx?id=TradeHaltRSS" }),
})
