import { proSentimentEndpoint } from "../../schemas/endpoints/pro-sentiment.ts"
import { fearGreed } from "../../schemas/feeds/fear-greed.ts"
import { headlines, outletOf } from "../../schemas/feeds/headlines.ts"
import { type PredictionMarket, predictions, yesAndNo } from "../../schemas/feeds/predictions.ts"
import { officeOf, pressReleases } from "../../schemas/feeds/press-releases.ts"
import { type Story, techNews } from "../../schemas/feeds/tech-news.ts"
import type { Headline } from "../../schemas/headline.ts"
import {
  HEADLINES_SCANNED_MAX,
  type HeadlineInput,
  headlineInputs,
  type ProSentimentFull,
  type SentimentInput,
  SIGNAL_MARKETS_MAX,
} from "../../schemas/payloads/pro-sentiment.ts"
import { mentionsOf, signalOf } from "../sentiment/headline-words.ts"
import { RECENT_CHANGES_MAX, type RecentChange } from "../view/memory.ts"
import { type Input, nextAfter, onceByItem, optionally, recent, until, view } from "../view/view.ts"
import { fearGreedData } from "./fear-greed.ts"

const WINDOW_MS = 24 * 60 * 60_000
/** What is in the memory was observed within the window, so everything that was published within it is. */
const remembered = { windowMs: WINDOW_MS, max: RECENT_CHANGES_MAX } as const

type Entry = ProSentimentFull["headlines"][number]

/** What the words of a title say, found once for each item: a memory keeps items for a day. */
const wordsOf = onceByItem(({ title }: { readonly title: string }) => ({
  signal: signalOf(title),
  symbols: mentionsOf(title),
}))

const storyEntry = ({ item }: RecentChange<Story>): Entry => ({
  input: "stories",
  title: item.title,
  url: item.url ?? item.discussionUrl,
  source: "hacker-news",
  publishedAt: item.postedAt,
  ...wordsOf(item),
})

const headlineEntry = (input: HeadlineInput, source: string, item: Headline): Entry => ({
  input,
  title: item.title,
  url: item.link,
  source,
  publishedAt: item.publishedAt,
  ...wordsOf(item),
})

/** The last state of each item: outlets reword their headlines, and a story may come back to the front page. */
const latestOf = <Item>(changes: ReadonlyArray<RecentChange<Item>>): ReadonlyArray<RecentChange<Item>> => [
  ...new Map(changes.map((change) => [JSON.stringify([change.parameters, change.key]), change])).values(),
]

const compared = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** The newest first, in an order that does not depend on when they were observed. */
const byTime = (one: Entry, other: Entry): number =>
  compared(other.publishedAt, one.publishedAt) ||
  compared(one.source, other.source) ||
  compared(one.url ?? "", other.url ?? "")

const signalMarkets = (markets: ReadonlyArray<PredictionMarket>): ProSentimentFull["markets"] =>
  markets
    .flatMap((market) => {
      const { question, volume24hUsd, url } = market
      const yes = yesAndNo(market)?.yes ?? null
      return volume24hUsd === null ? [] : [{ question, yes_probability: yes, volume_24h: volume24hUsd, url }]
    })
    .slice(0, SIGNAL_MARKETS_MAX)

/** The entries of the window, of each input the newest, so that no input crowds out another. */
const withinWindow = (entries: ReadonlyArray<Entry>, max: number, nowMs: number): ReadonlyArray<Entry> =>
  entries
    .filter(({ publishedAt }) => Date.parse(publishedAt) > nowMs - WINDOW_MS)
    .sort(byTime)
    .slice(0, max)

export default view({
  endpoint: proSentimentEndpoint,
  reads: {
    stories: recent(techNews, { ...remembered, kinds: ["appeared"] }),
    news: recent(headlines, { ...remembered, kinds: ["appeared", "changed"] }),
    press: recent(pressReleases, { ...remembered, kinds: ["appeared", "changed"] }),
    index: optionally(fearGreed),
    markets: optionally(predictions),
  } satisfies Readonly<Record<SentimentInput, Input>>,
  clock: true,
  build: ({ stories, news, press, index, markets }, { nowMs }) => {
    // A backlog counts too: what was published within the window is news of it, whenever it was first observed.
    const entries: Readonly<Record<HeadlineInput, ReadonlyArray<Entry>>> = {
      stories: latestOf(stories).map(storyEntry),
      news: latestOf(news).map(({ item, parameters }) => headlineEntry("news", outletOf(parameters), item)),
      press: latestOf(press).map(({ item, parameters }) => headlineEntry("press", officeOf(parameters), item)),
    }
    const scanned = headlineInputs.flatMap((input) => withinWindow(entries[input], HEADLINES_SCANNED_MAX[input], nowMs))
    const full: ProSentimentFull = {
      headlines: scanned,
      index: index === null ? null : fearGreedData(index.payload.items[0]),
      markets: markets === null ? null : signalMarkets(markets.payload.items),
    }
    const leaveAtMs = scanned.map(({ publishedAt }) => Date.parse(publishedAt) + WINDOW_MS)
    return until(full, nextAfter(nowMs, leaveAtMs))
  },
})
