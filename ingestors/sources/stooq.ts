import * as Schema from "effect/Schema"
import type { Parameters } from "../../schemas/feed.ts"
import {
  followedSymbols,
  STOCK_PRICE_MAX,
  STOCK_SYMBOL,
  type StockQuote,
  stockQuotes,
  symbolOf,
} from "../../schemas/feeds/stock-quotes.ts"
import { document, UpstreamError } from "../document.ts"
import { stooqAccess } from "../providers/stooq.ts"
import { csvTable } from "../readers/csv.ts"
import { instantOrNull } from "../readers/instants.ts"
import { positive, priceRange, within } from "../readers/numbers.ts"
import { Decimal } from "../readers/wire.ts"
import { warsawMs } from "../readers/zone-time.ts"
import { valueSource } from "../source.ts"
import { termsOf } from "../terms.ts"

/** A symbol that is not known has "N/D" (no data) in every cell. */
const Cell = Schema.Union([Decimal, Schema.Literals(["N/D", ""])])

const Row = Schema.Struct({
  Symbol: Schema.NonEmptyString,
  Date: Schema.String,
  Time: Schema.String,
  Open: Cell,
  High: Cell,
  Low: Cell,
  Close: Cell,
  /** Close of the session before; requested by `p`. */
  Prev: Schema.optionalKey(Cell),
})
type Row = typeof Row.Type
const COLUMNS = Object.keys(Row.fields).filter((name) => name !== "Prev")
const LightQuote = csvTable(COLUMNS, Row)

/** The name of a US share at Stooq: a class follows a hyphen. */
const tickerOf = (symbol: string): string => `${symbol.toLowerCase().replace(".", "-")}.us`

const light = document({
  format: "csv",
  wire: LightQuote,
  url: (parameters: Parameters) => `https://stooq.com/q/l/?s=${tickerOf(symbolOf(parameters))}&f=sd2t2ohlcvp&h&e=csv`,
  bodyBytesMax: 64 * 1024,
})

const priceOf = (cell: Row["Prev"]): number | null =>
  typeof cell === "number" ? within(positive(cell), 0, STOCK_PRICE_MAX) : null

const TIME = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)$/

/** The instant of a date and a time of day in Warsaw, where Stooq is; null for "N/D". */
const tradedAtOf = ({ Date: date, Time: time }: Row): string | null => {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = (TIME.exec(`${date} ${time}`) ?? [])
    .slice(1)
    .map(Number)
  return instantOrNull(warsawMs({ year, month, day, hour, minute, second }))
}

/** Requests a day that the schedule may take, of those that the provider's quota holds. */
const REQUESTS_A_DAY = 400
const every = `${Math.ceil((followedSymbols.length * 24) / REQUESTS_A_DAY)} hours` as const

export default valueSource({
  name: "stooq",
  provider: (parameters) => `Stooq.${symbolOf(parameters).toLowerCase().replace(/\W/g, "_")}`,
  fills: stockQuotes,
  rank: 2,
  every,
  access: stooqAccess,
  onDemand: { perMinuteMax: 2, perDayMax: 50 },
  documents: { light },
  collect: (upstream, { parameters }) => upstream.fetch(light, parameters),
  normalise: ({ rows }, { parameters }) => {
    const symbol = symbolOf(parameters)
    const row = rows.find((one) => one.Symbol.toLowerCase() === tickerOf(symbol))
    if (row === undefined) return new UpstreamError({ message: "the quote is of another symbol" })
    const [price, tradedAt] = [priceOf(row.Close), tradedAtOf(row)]
    if (price === null || tradedAt === null) return new UpstreamError({ message: "there is no quote of this symbol" })
    const payload: StockQuote = {
      symbol,
      price,
      open: priceOf(row.Open),
      ...priceRange(price, priceOf(row.High), priceOf(row.Low)),
      previousClose: priceOf(row.Prev),
      tradedAt,
    }
    return { payload, contentAtMs: Date.parse(tradedAt) }
  },
  recordedParameters: (wire) => {
    const table = Schema.decodeUnknownOption(LightQuote)(wire)
    const ticker = table._tag === "None" ? undefined : table.value.rows[0]?.Symbol
    const symbol =
      /^(.+)\.us$/i
        .exec(ticker ?? "")?.[1]
        ?.toUpperCase()
        .replace("-", ".") ?? ""
    return STOCK_SYMBOL.test(symbol) ? { symbol } : null
  },
  attribution: {
    provider: "Stooq",
    licence: "Stooq terms: personal use",
    url: "https://stooq.com/",
  },
  terms: termsOf({
    use: "restricted",
    url: "https://stooq.com/",
    clause: "5.3: no redistribution, even free of charge",
    shown: "no",
    kept: "no",
    sold: "no",
    models: "no",
  }),
})
