import * as Schema from "effect/Schema"
import { Instant } from "../event.ts"
import { FearGreedData } from "../feeds/fear-greed.ts"
import { QUESTION_MAX_CHARACTERS } from "../feeds/predictions.ts"
import { TITLE_MAX_CHARACTERS } from "../feeds/tech-news.ts"
import { assetClasses, tickers } from "../published/tickers.ts"
import { HttpUrl, NonEmptyTextUpTo } from "../values.ts"

/** Whether a headline reads well, ill or neither. */
export const signals = ["+", "-", "neutral"] as const
const Signal = Schema.Literals(signals)
export type Signal = typeof Signal.Type

/** From the most negative to the most positive. */
export const sentimentLabels = [
  "negative",
  "moderately_negative",
  "neutral",
  "moderately_positive",
  "positive",
] as const
export type SentimentLabel = (typeof sentimentLabels)[number]

export const TRENDING_MAX = 15
export const SAMPLE_HEADLINES_MAX = 5
export const SIGNAL_MARKETS_MAX = 5
const Title = NonEmptyTextUpTo(TITLE_MAX_CHARACTERS)
const Source = Schema.String.check(Schema.isPattern(/^[a-z0-9]+(?:-[a-z0-9]+)*$/), Schema.isMaxLength(40))
const TickerSymbol = Schema.Literals(tickers.map(({ symbol }) => symbol))
const Volume = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

/** The view's inputs of headlines: the front page of Hacker News, news outlets, press offices. */
export const headlineInputs = ["stories", "news", "press"] as const
export type HeadlineInput = (typeof headlineInputs)[number]
export type SentimentInput = HeadlineInput | "index" | "markets"
/** How many headlines of each are scanned, the newest ones. */
export const HEADLINES_SCANNED_MAX: Readonly<Record<HeadlineInput, number>> = { stories: 400, news: 700, press: 100 }
const HEADLINES_MAX = headlineInputs.reduce((sum, input) => sum + HEADLINES_SCANNED_MAX[input], 0)

const Market = Schema.Struct({
  question: NonEmptyTextUpTo(QUESTION_MAX_CHARACTERS),
  yes_probability: Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))).annotate({
    description: "Probability of Yes, 0 to 1; null where the answers are not Yes and No, or have no price yet",
  }),
  volume_24h: Volume.annotate({ description: "Turnover of the last 24 hours, US dollars (USDC)" }),
  url: Schema.NullOr(HttpUrl),
})

/** What the view builds: every headline of the window with what it was read as, of which a reply is made. */
export const ProSentimentFull = Schema.Struct({
  headlines: Schema.Array(
    Schema.Struct({
      input: Schema.Literals(headlineInputs),
      title: Title,
      url: Schema.NullOr(HttpUrl),
      source: Source,
      publishedAt: Instant,
      /** Null where the headline has no word of the lexicon. */
      signal: Schema.NullOr(Signal),
      symbols: Schema.Array(TickerSymbol),
    }),
  ).check(Schema.isMaxLength(HEADLINES_MAX)),
  /** Null while the index was never read. */
  index: Schema.NullOr(FearGreedData),
  /** Null while the markets were never read. */
  markets: Schema.NullOr(Schema.Array(Market).check(Schema.isMaxLength(SIGNAL_MARKETS_MAX))),
})
export type ProSentimentFull = typeof ProSentimentFull.Type

const Trending = Schema.Struct({
  symbol: TickerSymbol,
  asset_class: Schema.Literals(assetClasses).annotate({
    description: "crypto-equity: shares of companies whose value follows crypto assets",
  }),
  mention_count_24h: Schema.Natural.annotate({ description: "Headlines that name it, each title once" }),
  sources: Schema.Record(Source, Schema.Natural).annotate({ description: "Those headlines by source" }),
  sentiment_score: Schema.Finite.check(Schema.isBetween({ minimum: -1, maximum: 1 })).annotate({
    description: "(positive - negative) / (positive + negative) headlines; 0 where there is neither",
  }),
  sentiment_label: Schema.Literals(sentimentLabels).annotate({
    description: "By the score: up to -0.3, up to -0.1, below 0.1, below 0.3, above",
  }),
  scored: Schema.Natural.annotate({ description: "Headlines with a word of the lexicon" }),
  low_sample: Schema.Boolean.annotate({ description: "Fewer than three headlines are positive or negative" }),
  sample_headlines: Schema.Array(
    Schema.Struct({
      title: Title,
      url: Schema.NullOr(HttpUrl),
      source: Source,
      sentiment_signal: Signal.annotate({ description: "neutral as well where no word is in the lexicon" }),
      scored: Schema.Boolean.annotate({ description: "Whether a word of it is in the lexicon" }),
    }),
  )
    .check(Schema.isMaxLength(SAMPLE_HEADLINES_MAX))
    .annotate({ description: "The newest first" }),
})

/** The data of one call. */
export const ProSentiment = Schema.Struct({
  window: Schema.Literal("24h"),
  lexicon: Schema.Literal("lexicon-1").annotate({
    description: "Name of the word list; another list has another name",
  }),
  market_indices: Schema.Struct({
    crypto_fear_greed: Schema.NullOr(
      Schema.Struct({ ...FearGreedData.fields, source: Schema.NonEmptyString }),
    ).annotate({ description: "Index of the current day" }),
    stocks_vix: Schema.NullOr(
      Schema.Struct({
        value: Schema.Finite,
        change_percent: Schema.Finite,
        label: Schema.Literals(["low_volatility", "normal", "elevated", "high_volatility", "unknown"]),
        source: Schema.NonEmptyString,
      }),
    ).annotate({ description: "Removed: always null" }),
  }),
  trending: Schema.Array(Trending)
    .check(Schema.isMaxLength(TRENDING_MAX))
    .annotate({ description: "The most named first, then by symbol" }),
  prediction_markets_signals: Schema.Array(Market)
    .check(Schema.isMaxLength(SIGNAL_MARKETS_MAX))
    .annotate({ description: "Open markets with the largest turnover of 24 hours, whatever their subject" }),
  sample_size: Schema.Struct({
    headlines_scanned: Schema.Natural.annotate({ description: "Headlines of 24 hours, each title once" }),
    headlines_scored: Schema.Natural.annotate({ description: "Those with a word of the lexicon" }),
    tickers_with_mentions: Schema.Natural.annotate({ description: `Of the ${tickers.length} that are followed` }),
  }),
  notes: Schema.Record(Schema.String, Schema.String).annotate({
    description: "Explanation of each part, and of each member that is null",
  }),
})
export type ProSentiment = typeof ProSentiment.Type
