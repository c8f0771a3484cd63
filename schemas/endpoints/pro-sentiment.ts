import { endpoint } from "../contract/endpoint.ts"
import { ProSentiment, type ProSentimentFull } from "../payloads/pro-sentiment.ts"
import { selectProSentiment } from "../payloads/pro-sentiment-selection.ts"
import { tickers } from "../published/tickers.ts"

/** Whether neither a headline nor the index nor a market is known. */
const isEmpty = ({ sample_size: size, market_indices: indices, prediction_markets_signals: markets }: ProSentiment) =>
  size.headlines_scanned === 0 && indices.crypto_fear_greed === null && markets.length === 0

const nothing: ProSentimentFull = { headlines: [], index: null, markets: null }

export const proSentimentEndpoint = endpoint({
  path: "/api/pro/sentiment",
  name: "pro_sentiment",
  kind: "filtered",
  tier: "premium",
  subject: "markets",
  credits: 2,
  ttl: "5 minutes",
  summary: "What headlines of 24 hours say of crypto assets and shares, with the Fear & Greed Index",
  description: [
    `Which of ${tickers.length} crypto assets and shares the headlines of the last 24 hours name, and whether their words are`,
    "positive or negative. Each title counts once, by its own time of publication, however late it was seen. Added to it are",
    "the Crypto Fear & Greed Index and the prediction markets with the largest turnover. Titles, outlets and links belong to",
    "their publishers.",
  ].join(" "),
  parameters: {},
  data: ProSentiment,
  cold: nothing,
  select: selectProSentiment,
  empty: isEmpty,
  example: selectProSentiment(
    {
      headlines: [
        {
          input: "news",
          title: "Bitcoin surges to all-time high as bulls return",
          url: "https://news.example/markets/bitcoin-surges",
          source: "coindesk",
          publishedAt: "2026-11-20T11:42:10.000Z",
          signal: "+",
          symbols: ["BTC"],
        },
      ],
      index: { value: 69, label: "Greed" },
      markets: [
        {
          question: "Will it rain on the opening day of the fair?",
          yes_probability: 0.51,
          volume_24h: 2502.29,
          url: "https://polymarket.com/event/opening-day",
        },
      ],
    },
    {},
    new Set(),
  ).data,
})
