import * as Schema from "effect/Schema"
import { STOCK_PRICE_MAX, type StockQuote, stockQuotes, symbolOf } from "../../schemas/feeds/stock-quotes.ts"
import { document, UpstreamError } from "../document.ts"
import { finnhubAccess, stocksOnRequestMax } from "../providers/finnhub.ts"
import { instantOrNull } from "../readers/instants.ts"
import { positive, priceRange, within } from "../readers/numbers.ts"
import { Decimal, EpochSeconds, maybe } from "../readers/wire.ts"
import { type CollectInput, valueSource } from "../source.ts"
import { termsOf } from "../terms.ts"

/**
 * https://finnhub.io/docs/api/quote Price, high, low, open, previous close, and the time of the trade. A symbol that is not
 * known has zeros. The answer does not name its symbol.
 */
const Quote = Schema.Struct({
  c: Schema.NullOr(Decimal),
  h: maybe(Decimal),
  l: maybe(Decimal),
  o: maybe(Decimal),
  pc: maybe(Decimal),
  t: maybe(EpochSeconds),
})
const Refusal = Schema.Struct({ error: Schema.String })

const quote = document({
  format: "json",
  wire: Schema.Union([Quote, Refusal]),
  // The answer to a symbol that the plan lacks: the key is valid.
  acceptedStatuses: [403],
  url: ({ parameters }: CollectInput) =>
    `https://finnhub.io/api/v1/quote?symbol=${encodeURIComponent(symbolOf(parameters))}`,
  headers: ({ key }: CollectInput): Readonly<Record<string, string>> =>
    key === null ? {} : { "x-finnhub-token": key },
  bodyBytesMax: 64 * 1024,
})

/** A price above zero; zero stands for no price. */
const priceOf = (value: number | null | undefined): number | null => within(positive(value), 0, STOCK_PRICE_MAX)

export default valueSource({
  name: "finnhub",
  provider: (parameters) => `Finnhub.${symbolOf(parameters).toLowerCase().replace(/\W/g, "_")}`,
  fills: stockQuotes,
  every: "60 seconds",
  access: finnhubAccess,
  onDemand: { perMinuteMax: stocksOnRequestMax, perDayMax: 10_000 },
  documents: { quote },
  collect: (upstream, collection) => upstream.fetch(quote, collection),
  normalise: (answer, { parameters }) => {
    if ("error" in answer)
      return /api key/i.test(answer.error)
        ? new UpstreamError({ message: "the key is refused", reason: "key_refused" })
        : new UpstreamError({ message: "the symbol is refused" })
    const price = priceOf(answer.c)
    const tradedAt = instantOrNull(positive(answer.t) === null ? null : (answer.t ?? 0) * 1000)
    if (price === null || tradedAt === null) return new UpstreamError({ message: "there is no quote of this symbol" })
    const payload: StockQuote = {
      symbol: symbolOf(parameters),
      price,
      open: priceOf(answer.o),
      ...priceRange(price, priceOf(answer.h), priceOf(answer.l)),
      previousClose: priceOf(answer.pc),
      tradedAt,
    }
    return { payload, contentAtMs: Date.parse(tradedAt) }
  },
  attribution: {
    provider: "Finnhub",
    licence: "Finnhub terms of service: personal use",
    url: "https://finnhub.io/",
  },
  terms: termsOf({ use: "restricted", url: "https://finnhub.io/terms-of-service", clause: "personal use", sold: "no" }),
})
