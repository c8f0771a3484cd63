import * as Schema from "effect/Schema"
import {
  COIN_CHANGE_MAX_PERCENT,
  COIN_NAME_MAX_CHARACTERS,
  COIN_SYMBOL_MAX_CHARACTERS,
  COINS_MAX,
  coins,
} from "../../schemas/feeds/coins.ts"
import { document } from "../document.ts"
import { notOurs, unreadable } from "../poll/read.ts"
import { coingeckoAccess } from "../providers/coingecko.ts"
import { instantOrNull, newestMs } from "../readers/instants.ts"
import { positive, within } from "../readers/numbers.ts"
import { cleanText } from "../readers/text.ts"
import { Decimal, isoMs, maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { termsOf } from "../terms.ts"

/** https://docs.coingecko.com/reference/coins-markets Any number is null for a coin that is new or hardly traded. */
const CoinRow = Schema.Struct({
  id: Schema.NonEmptyString,
  symbol: Schema.String,
  name: Schema.String,
  current_price: maybe(Decimal),
  market_cap: maybe(Decimal),
  market_cap_rank: maybe(Decimal),
  total_volume: maybe(Decimal),
  /** The default member, and the one for periods that are requested; changes of an hour and a week have only the latter. */
  price_change_percentage_24h: maybe(Decimal),
  price_change_percentage_1h_in_currency: maybe(Decimal),
  price_change_percentage_24h_in_currency: maybe(Decimal),
  price_change_percentage_7d_in_currency: maybe(Decimal),
  last_updated: maybe(Schema.String),
})
type CoinRow = typeof CoinRow.Type

const QUERY = `vs_currency=usd&order=market_cap_desc&per_page=${COINS_MAX}&page=1&price_change_percentage=1h,24h,7d`

const markets = document({
  format: "json",
  wire: Schema.Array(Schema.Unknown),
  url: `https://api.coingecko.com/api/v3/coins/markets?${QUERY}`,
  headers: (key: string | null): Readonly<Record<string, string>> => (key === null ? {} : { "x-cg-demo-api-key": key }),
})

const change = (percent: number | null | undefined): number | null => within(percent, -100, COIN_CHANGE_MAX_PERCENT)

const coin = (row: CoinRow) => {
  // A coin that is traded nowhere has null or zero for its price.
  if (row.current_price === null || row.current_price === undefined || row.current_price === 0) return notOurs
  const symbol = cleanText(row.symbol.toUpperCase(), COIN_SYMBOL_MAX_CHARACTERS)
  const name = cleanText(row.name, COIN_NAME_MAX_CHARACTERS)
  if (symbol === "" || name === "") return unreadable("it has no symbol or no name")
  const rank = within(row.market_cap_rank, 1, 1_000_000)
  return {
    id: cleanText(row.id, 120),
    symbol,
    name,
    priceUsd: row.current_price,
    change1hPercent: change(row.price_change_percentage_1h_in_currency),
    change24hPercent: change(row.price_change_percentage_24h) ?? change(row.price_change_percentage_24h_in_currency),
    change7dPercent: change(row.price_change_percentage_7d_in_currency),
    // Zero where the coins in circulation are not known.
    marketCapUsd: positive(row.market_cap),
    volume24hUsd: within(row.total_volume, 0, Number.MAX_VALUE),
    rank: rank === null || !Number.isInteger(rank) ? null : rank,
    updatedAt: instantOrNull(isoMs(row.last_updated)),
  }
}

export default listSource({
  name: "coingecko",
  provider: "CoinGecko.markets",
  fills: coins,
  every: "5 minutes",
  access: coingeckoAccess,
  documents: { markets },
  collect: (upstream, { key }) => upstream.fetch(markets, key),
  rows: (collected) => collected,
  row: CoinRow,
  toItem: coin,
  contentAtMs: (_, read) => newestMs(read.flatMap(({ item }) => item.updatedAt ?? [])),
  attribution: {
    provider: "CoinGecko",
    licence: "CoinGecko API terms of service: with the source named",
    url: "https://www.coingecko.com/en/api",
  },
  terms: termsOf({
    use: "restricted",
    url: "https://www.coingecko.com/en/api_terms",
    clause: "keyless and demo: non-commercial; stored data is refreshed every 24 hours",
    kept: 24,
    sold: "no",
    credit: "Powered by CoinGecko",
  }),
})
