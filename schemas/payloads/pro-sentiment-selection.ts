import type { Selection } from "../contract/endpoint-kinds.ts"
import { WITHHELD_NOTE } from "../contract/provenance.ts"
import { rounded } from "../number.ts"
import { type AssetClass, assetClasses, type Ticker, tickers } from "../published/tickers.ts"
import {
  type HeadlineInput,
  headlineInputs,
  type ProSentiment,
  type ProSentimentFull,
  SAMPLE_HEADLINES_MAX,
  type SentimentInput,
  type SentimentLabel,
  type Signal,
  TRENDING_MAX,
} from "./pro-sentiment.ts"

/** A headline, read: its signal (null without a word of the lexicon) and the symbols that it names. */
export interface ReadHeadline {
  readonly title: string
  readonly url: string | null
  readonly source: string
  readonly publishedAt: string
  readonly signal: Signal | null
  readonly symbols: ReadonlyArray<string>
}

/** What headlines say of a ticker. */
interface TickerSentiment {
  readonly symbol: string
  readonly assetClass: AssetClass
  readonly mentionCount: number
  /** Mentions by source. */
  readonly sources: Readonly<Record<string, number>>
  /** Mentions in headlines with a word of the lexicon. */
  readonly scored: number
  readonly positive: number
  readonly negative: number
  readonly score: number
  readonly label: SentimentLabel
  /** The headlines, the newest first. */
  readonly headlines: ReadonlyArray<ReadHeadline>
}

/** (positive - negative) / (positive + negative), 3 decimals; 0 where there is neither. See `sentimentLabelOf`. */
export const sentimentScore = (positive: number, negative: number): number =>
  positive + negative === 0 ? 0 : rounded((positive - negative) / (positive + negative), 3)

/** The label of a score: negative up to -0.3, moderately so up to -0.1, neutral below 0.1, moderately positive below 0.3. */
export const sentimentLabelOf = (score: number): SentimentLabel => {
  if (score <= -0.3) return "negative"
  if (score <= -0.1) return "moderately_negative"
  if (score < 0.1) return "neutral"
  return score < 0.3 ? "moderately_positive" : "positive"
}

/** A title without case, marks and spaces, by which repetitions are known; the title itself where nothing remains. */
export const plainTitle = (title: string): string =>
  (
    title
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [title]
  ).join(" ")

const compared = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** The newest first; those of one time by source, address and title, so that the order in which they came does not matter. */
const byTime = (one: ReadHeadline, other: ReadHeadline): number =>
  compared(other.publishedAt, one.publishedAt) ||
  compared(one.source, other.source) ||
  compared(one.url ?? "", other.url ?? "") ||
  compared(one.title, other.title)

/** Headlines with another title each, the newest first; of those with the same title the earliest stands. */
export const distinctHeadlines = (headlines: ReadonlyArray<ReadHeadline>): ReadonlyArray<ReadHeadline> => {
  const byTitle = new Map<string, ReadHeadline>()
  for (const headline of headlines.toSorted(byTime)) byTitle.set(plainTitle(headline.title), headline)
  return [...byTitle.values()].sort(byTime)
}

/** What distinct headlines say of each ticker that they name: the most named first, then by symbol. */
export const sentimentByTicker = (
  headlines: ReadonlyArray<ReadHeadline>,
  tickers: ReadonlyArray<Pick<Ticker, "symbol" | "assetClass">>,
): ReadonlyArray<TickerSentiment> =>
  tickers
    .flatMap(({ symbol, assetClass }): ReadonlyArray<TickerSentiment> => {
      const named = headlines.filter(({ symbols }) => symbols.includes(symbol))
      if (named.length === 0) return []
      const count = (wanted: Signal) => named.filter(({ signal }) => signal === wanted).length
      const [positive, negative] = [count("+"), count("-")]
      const score = sentimentScore(positive, negative)
      const bySource = Map.groupBy(named, ({ source }) => source)
      return [
        {
          symbol,
          assetClass,
          mentionCount: named.length,
          sources: Object.fromEntries(
            [...bySource].map(([source, of]) => [source, of.length] as const).sort(([a], [b]) => compared(a, b)),
          ),
          scored: named.filter(({ signal }) => signal !== null).length,
          positive,
          negative,
          score,
          label: sentimentLabelOf(score),
          headlines: named,
        },
      ]
    })
    .sort((one, other) => other.mentionCount - one.mentionCount || compared(one.symbol, other.symbol))

/** With fewer positive and negative headlines a score says little. */
const SCORED_MIN = 3

const FEAR_GREED_SOURCE = "Crypto Fear & Greed Index of alternative.me"

const trendingRow = (of: TickerSentiment): ProSentiment["trending"][number] => ({
  symbol: of.symbol,
  asset_class: of.assetClass,
  mention_count_24h: of.mentionCount,
  sources: of.sources,
  sentiment_score: of.score,
  sentiment_label: of.label,
  scored: of.scored,
  low_sample: of.positive + of.negative < SCORED_MIN,
  sample_headlines: of.headlines.slice(0, SAMPLE_HEADLINES_MAX).map(({ title, url, source, signal }) => ({
    title,
    url,
    source,
    sentiment_signal: signal ?? "neutral",
    scored: signal !== null,
  })),
})

const inputText: Readonly<Record<HeadlineInput, string>> = {
  stories: "the front page of Hacker News",
  news: "news outlets",
  press: "press releases of the SEC and the Federal Reserve",
}

const trendingNote = (byTicker: ReadonlyArray<TickerSentiment>, withheld: ReadonlySet<string>): string => {
  const [left, out] = [false, true].map((isOut) =>
    headlineInputs.filter((input) => withheld.has(input) === isOut).map((input) => inputText[input]),
  )
  const unnamed = tickers.filter(({ symbol }) => byTicker.every((one) => one.symbol !== symbol))
  const of = (assetClass: AssetClass) =>
    unnamed.filter((one) => one.assetClass === assetClass).map(({ symbol }) => symbol)
  return [
    `Titles of 24 hours by their own time of publication, of ${left?.join(", ") || "no source"}; no judgement of the articles.`,
    ...(out?.length === 0 ? [] : [`Withheld, as their terms are not known to allow resale: ${out?.join(", ")}.`]),
    ...assetClasses.flatMap((assetClass) =>
      of(assetClass).length === 0 ? [] : [`Without a headline (${assetClass}): ${of(assetClass).join(", ")}.`],
    ),
  ].join(" ")
}

/** Makes the reply of the view's data, without the inputs that are withheld. */
export const selectProSentiment = (
  full: ProSentimentFull,
  _: unknown,
  withheld: ReadonlySet<string>,
): Selection<ProSentiment> => {
  const headlines = distinctHeadlines(full.headlines.filter(({ input }) => !withheld.has(input)))
  const byTicker = sentimentByTicker(headlines, tickers)
  const index = withheld.has("index") ? null : full.index
  const markets = withheld.has("markets") ? null : full.markets
  const trending = byTicker.slice(0, TRENDING_MAX).map(trendingRow)
  const isLinkMissing =
    (markets ?? []).some(({ url }) => url === null) ||
    trending.some(({ sample_headlines: samples }) => samples.some(({ url }) => url === null))
  const allInputs: ReadonlyArray<SentimentInput> = [...headlineInputs, "index", "markets"]
  const why = (input: SentimentInput) => (withheld.has(input) ? WITHHELD_NOTE : "Not read yet.")
  return {
    data: {
      window: "24h",
      lexicon: "lexicon-1",
      market_indices: {
        crypto_fear_greed: index === null ? null : { ...index, source: FEAR_GREED_SOURCE },
        stocks_vix: null,
      },
      trending,
      prediction_markets_signals: markets ?? [],
      sample_size: {
        headlines_scanned: headlines.length,
        headlines_scored: headlines.filter(({ signal }) => signal !== null).length,
        tickers_with_mentions: byTicker.length,
      },
      notes: {
        crypto_fear_greed:
          index === null ? why("index") : "0 is extreme fear, 100 extreme greed; published once a day.",
        stocks_vix: "Removed from this service: always null.",
        trending: trendingNote(byTicker, withheld),
        sentiment_score:
          "Of words alone (AFINN-165 for financial news, and words of our own): irony, context and who gains are not seen.",
        prediction_markets_signals:
          markets === null
            ? why("markets")
            : "Polymarket: open markets by turnover of 24 hours; probabilities are the prices of the outcomes.",
        ...((markets ?? []).some(({ yes_probability: yes }) => yes === null)
          ? { yes_probability: "Null where the answers of a market are not Yes and No, or have no price yet." }
          : {}),
        ...(isLinkMissing ? { url: "Null where the source gives no address." } : {}),
      },
    },
    inputs: allInputs.filter((input) => !withheld.has(input)),
  }
}
