import { rounded } from "../number.ts"
import type { AssetClass, Ticker } from "../published/tickers.ts"

/** Whether a headline reads well, ill or neither. */
export const signals = ["+", "-", "neutral"] as const
export type Signal = (typeof signals)[number]

/** From the most negative to the most positive. */
export const sentimentLabels = [
  "negative",
  "moderately_negative",
  "neutral",
  "moderately_positive",
  "positive",
] as const
export type SentimentLabel = (typeof sentimentLabels)[number]

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
export interface TickerSentiment {
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
