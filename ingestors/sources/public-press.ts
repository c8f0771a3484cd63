import * as Schema from "effect/Schema"
import { officeOf, type PressOffice, pressOffices, pressReleases } from "../../schemas/feeds/press-releases.ts"
import { notOurs, Unreadable } from "../poll/read.ts"
import { newestMs } from "../readers/instants.ts"
import { listSource } from "../source.ts"
import { openTerms } from "../terms.ts"
import { headlineOf, isOfSite, NewsFeed, NewsRow, newsDocument, newsRowsOf, siteOf } from "./news-rss/news-feed.ts"

const offices: Readonly<
  Record<PressOffice, { readonly site: string; readonly url: string; readonly provider: string }>
> = {
  "federal-reserve": {
    site: "federalreserve.gov",
    url: "https://www.federalreserve.gov/feeds/press_all.xml",
    provider: "FederalReserve.press_releases",
  },
  sec: {
    site: "sec.gov",
    url: "https://www.sec.gov/news/pressreleases.rss",
    provider: "SEC.press_releases",
  },
}

const isNewsFeed = Schema.is(NewsFeed)

export default listSource({
  name: "public-press",
  recordedIn: "news-rss",
  provider: (parameters) => offices[officeOf(parameters)].provider,
  fills: pressReleases,
  every: "5 minutes",
  documents: { releases: newsDocument },
  collect: (upstream, { parameters }) => upstream.fetch(newsDocument, offices[officeOf(parameters)].url),
  rows: (feed, { parameters }) => newsRowsOf(feed, offices[officeOf(parameters)].site),
  row: NewsRow,
  // Only what the office publishes itself is in the public domain.
  toItem: (row, { parameters }) => {
    const headline = headlineOf(row)
    return headline instanceof Unreadable ||
      isOfSite(new URL(headline.link).hostname, offices[officeOf(parameters)].site)
      ? headline
      : notOurs
  },
  contentAtMs: (_, read) => newestMs(read.map(({ item }) => item.publishedAt)),
  recordedParameters: (wire) => {
    const host = isNewsFeed(wire) ? siteOf(wire) : null
    const office = pressOffices.find((one) => isOfSite(host, offices[one].site))
    return office === undefined ? null : { office }
  },
  attribution: {
    provider: "U.S. Securities and Exchange Commission; Board of Governors of the Federal Reserve System",
    licence: "Public domain (U.S. Government work)",
    url: "https://www.sec.gov/newsroom/press-releases",
  },
  terms: openTerms("https://www.usa.gov/government-copyright", "Public domain (U.S. Government work)"),
})
