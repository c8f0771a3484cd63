import type { Selection } from "../contract/endpoint-kinds.ts"
import { WITHHELD_NOTE } from "../contract/provenance.ts"
import { type AssetClass, assetClasses, tickers } from "../published/tickers.ts"
import {
  type HeadlineInput,
  headlineInputs,
  type ProSentiment,
  type ProSentimentFull,
  SAMPLE_HEADLINES_MAX,
  type SentimentInput,
  TRENDING_MAX,
} from "./pro-sentiment.ts"
import { distinctHeadlines, sentimentByTicker, type TickerSentiment } from "./sentiment-by-ticker.ts"

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
