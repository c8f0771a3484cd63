import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { clause, itemWords, none, priceText } from "../contract/glance.ts"
import { ranking } from "../contract/plot.ts"
import { CoinQuote, coins } from "../feeds/coins.ts"
import { rounded } from "../number.ts"

/** How many coins are shown. */
export const MOVERS_MAX = 15

const { symbol, name, priceUsd, marketCapUsd, volume24hUsd, rank } = CoinQuote.fields

export const cryptoMoversEndpoint = endpoint({
  path: "/api/crypto-movers",
  name: "crypto_movers",
  kind: "prepared",
  tier: "free",
  subject: "markets",
  ttl: "30 seconds",
  summary: "The 15 coins whose price changed the most in 24 hours, up or down, of the 100 largest",
  description: [
    "Of the 100 largest coins by market capitalisation those with a known change, the largest change of either sign first.",
    "Prices are averages over markets, by CoinGecko. Symbols are not unique: two coins may share one.",
  ].join(" "),
  parameters: {},
  data: Schema.Struct({
    count: Schema.Natural.annotate({ description: "How many coins are listed" }),
    movers: Schema.Array(
      Schema.Struct({
        symbol: symbol.annotate({ description: "Ticker in capitals; not unique" }),
        name,
        price_usd: priceUsd.annotate({ description: "Price, US dollars" }),
        market_cap: marketCapUsd.annotate({
          description: "Price times coins in circulation, US dollars; null where these are not known",
          unit: "USD",
        }),
        change_24h_percent: Schema.Finite.annotate({ description: "Change of the price in 24 hours, percent" }),
        rank: rank.annotate({ description: "Place by market capitalisation, from 1; null where it has none" }),
        volume_24h_usd: volume24hUsd.annotate({ description: "Turnover of the last 24 hours, US dollars" }),
      }),
    ).check(Schema.isMaxLength(MOVERS_MAX)),
  }),
  changes: [
    { feed: coins, symbol: "symbol", title: ({ symbol, name, price_usd }) => itemWords(symbol, name, price_usd) },
  ],
  glance: {
    title: "Crypto mover",
    plots: ({ movers }) => [
      ranking(
        "Change of the price in 24 hours",
        "%",
        movers.map(({ symbol, name, change_24h_percent }) => ({
          label: symbol,
          value: rounded(change_24h_percent, 2),
          note: name,
        })),
      ),
    ],
    headline: ({ movers: [first] }) => {
      if (first === undefined) return none("No coin has a known change")
      const { symbol, name, change_24h_percent: change, price_usd } = first
      return {
        value: rounded(change, 2),
        unit: "%",
        note: clause(`${name} (${symbol}) in 24 hours`, `${priceText(price_usd)} USD`, "the most of the 100 largest"),
      }
    },
  },
  example: {
    count: 2,
    movers: [
      {
        symbol: "TWC",
        name: "Tidewater Coin",
        price_usd: 0.0841,
        market_cap: 281042557,
        change_24h_percent: -23.02761,
        rank: 87,
        volume_24h_usd: 8615198,
      },
      {
        symbol: "BTC",
        name: "Bitcoin",
        price_usd: 77356,
        market_cap: 1541000000000,
        change_24h_percent: 0.02132,
        rank: 1,
        volume_24h_usd: 34184618434,
      },
    ],
  },
})
