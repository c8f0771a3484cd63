import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Parameters } from "../../schemas/feed.ts"
import { headlines, outletOf } from "../../schemas/feeds/headlines.ts"
import { UpstreamError } from "../document.ts"
import { newsRss } from "../providers/news-rss.ts"
import { newestMs } from "../readers/instants.ts"
import { listSource } from "../source.ts"
import { termsOf } from "../terms.ts"
import { headlineOf, isOfSite, NewsFeed, NewsRow, newsDocument, newsRowsOf, siteOf } from "./news-rss/news-feed.ts"

interface Outlet {
  readonly site: string
  readonly url: string
}

/**
 * Outlets with known feeds. Of these only CoinDesk is followed unless the operator names others: the terms of the others
 * allow no service like this one, or their hosts refuse programs.
 */
const outlets: Readonly<Record<string, Outlet>> = {
  coindesk: { site: "coindesk.com", url: "https://www.coindesk.com/arc/outboundfeeds/rss" },
  "google-news": { site: "news.google.com", url: "https://news.google.com/rss/search?q=markets" },
  marketwatch: { site: "marketwatch.com", url: "https://feeds.content.dowjones.io/public/rss/mw_topstories" },
  nasdaq: { site: "nasdaq.com", url: "https://www.nasdaq.com/feed/rssoutbound?category=Markets" },
  reddit: { site: "reddit.com", url: "https://www.reddit.com/r/wallstreetbets/top.rss" },
  "yahoo-finance": { site: "finance.yahoo.com", url: "https://finance.yahoo.com/news/rssindex" },
}
const knownOutlet = (outlet: string): Outlet | null =>
  Object.hasOwn(outlets, outlet) ? (outlets[outlet] ?? null) : null

const siteOfInstance = (parameters: Parameters): string | null => knownOutlet(outletOf(parameters))?.site ?? null

const isNewsFeed = Schema.is(NewsFeed)

export default listSource({
  name: "news-rss",
  provider: (parameters) => {
    const outlet = outletOf(parameters)
    return outlet === "coindesk" ? "CoinDesk.headlines" : `NewsRss.${outlet.replaceAll("-", "_")}`
  },
  fills: headlines,
  every: "5 minutes",
  access: newsRss,
  documents: { feed: newsDocument },
  collect: (upstream, { parameters, addresses }) => {
    const outlet = outletOf(parameters)
    const address = addresses?.[outlet] ?? knownOutlet(outlet)?.url
    return address === undefined
      ? Effect.fail(new UpstreamError({ message: `NEWS_RSS_URLS names no address of ${outlet}` }))
      : upstream.fetch(newsDocument, address)
  },
  // A known outlet is asked by whatever address is named for it, so what is answered must be its own.
  rows: (feed, { parameters }) => newsRowsOf(feed, siteOfInstance(parameters)),
  row: NewsRow,
  toItem: headlineOf,
  contentAtMs: (_, read) => newestMs(read.map(({ item }) => item.publishedAt)),
  recordedParameters: (wire) => {
    const host = isNewsFeed(wire) ? siteOf(wire) : null
    const [outlet] = Object.entries(outlets).find(([, { site }]) => isOfSite(host, site)) ?? []
    return outlet === undefined ? null : { outlet }
  },
  attribution: {
    provider: "CoinDesk, and the outlets that the operator names",
    licence: "All rights reserved; title, outlet and link only",
    url: "https://www.coindesk.com/",
  },
  // Whether headlines may be sold depends on each outlet's contract: not, until one says so.
  terms: termsOf({ use: "provider", url: "https://www.coindesk.com/terms", sold: "no" }),
})
