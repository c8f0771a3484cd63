import { describe, expect, it } from "vitest"
import type { Source } from "../../ingestors/source.ts"
import newsRss from "../../ingestors/sources/news-rss.ts"
import { capturesAbsent, collectedCapture, decodedCapture } from "./support/captures.ts"
import { normalised, refusedBy } from "./support/read.ts"

describe.skipIf(capturesAbsent)("captured feeds", () => {
  const read = (file: string, outlet: string) => {
    const { payload, contentAtMs } = normalised(newsRss, collectedCapture(newsRss, "feed", file), {
      parameters: { outlet },
    })
    return { items: payload.items, contentAtMs }
  }
  it("of CoinDesk hold titles of CDATA", () => {
    const { items, contentAtMs } = read("coindesk-2026-09-25.xml", "coindesk")
    expect(items.map(({ title, publishedAt }) => [publishedAt, title])).toEqual([
      [
        "2026-09-25T14:41:53.000Z",
        "Circle and Tether step in to freeze hacker wallet after massive Bitget crypto heist",
      ],
      ["2026-09-25T14:37:32.000Z", "Tokenization is moving faster than Washington"],
      ["2026-09-25T14:32:48.000Z", "Tether confirms minimal EQIBank exposure following $89M US asset seizure"],
    ])
    expect(items[1]?.link).toBe(
      "https://www.coindesk.com/opinion/2026/09/25/tokenization-is-moving-faster-than-washington",
    )
    expect(contentAtMs).toBe(Date.parse("2026-09-25T14:41:53Z"))
  })
  it("of Google News name the publisher, which is no part of the title", () => {
    expect(read("google-news-search-2026-07-16.xml", "google-news").items).toEqual([
      {
        title: "S&P 500, Nasdaq fall as chip stocks weaken; earnings in focus",
        link: "https://news.google.com/rss/articles/CBMitwFBVV95cUxPWA?oc=5",
        publishedAt: "2026-07-16T14:15:07.000Z",
        publisher: "Reuters",
      },
    ])
  })
  it("of Yahoo have times of ISO 8601, and links to other sites", () => {
    expect(read("yahoo-finance-general-2025-12-31.xml", "yahoo-finance").items).toEqual([
      {
        title: "Gold, Silver Plunge as Traders Book Profit from Record Rallies",
        link: "https://finance.yahoo.com/news/silver-pulls-back-record-historic-075048633.html",
        publishedAt: "2025-12-29T21:12:30.000Z",
        publisher: "Bloomberg",
      },
      {
        title: "Airbus Signs Deal With Two Chinese Airlines",
        link: "https://www.investors.com/news/x",
        publishedAt: "2025-12-29T21:08:53.000Z",
        publisher: "Investor's Business Daily",
      },
    ])
  })
  it("of MarketWatch and Nasdaq name no site of their own, and have their elements in any order", () => {
    expect(read("marketwatch-topstories-2026-07-16.xml", "marketwatch").items).toEqual([
      {
        title: "The No. 1 decision for aging retirees: stay home or move?",
        link: "https://www.marketwatch.com/story/the-no-1-decision-4ea23d02?mod=mw_rss_topstories",
        publishedAt: "2026-07-16T15:33:00.000Z",
        publisher: null,
      },
    ])
    expect(read("nasdaq-markets-2026-07-16.xml", "nasdaq").items[0]).toMatchObject({
      title: "Thursday 7/16 Insider Buying Report: FULC, ECAT",
      publishedAt: "2026-07-16T15:23:22.000Z",
    })
  })
  it("of Reddit are Atom: the time of publication, and the link of each post", () => {
    const { items } = read("reddit-subreddit-top-2026-07.atom", "reddit")
    expect(items.length).toBeGreaterThan(20)
    expect(items).toContainEqual({
      title: "Rigid frame with flat bars. My kinda bike! RIP Alex Pretti",
      link: "https://www.reddit.com/r/gravelcycling/comments/1qm7i79/rigid_frame_with_flat_bars_my_kinda_bike_rip_alex/",
      publishedAt: "2026-01-25T03:07:14.000Z",
      publisher: null,
    })
  })
  it("of Reddit as JSON are known, though never requested", () => {
    const { data } = decodedCapture<{
      readonly data: { readonly children: ReadonlyArray<{ readonly data: { readonly created_utc: number } }> }
    }>(newsRss as Source, "listing", "reddit-listing-json-2026-05.json")
    expect(data.children).toHaveLength(10)
  })
  it.each([
    ["coindesk-2026-09-25.xml", "coindesk"],
    ["google-news-search-2026-07-16.xml", "google-news"],
    ["yahoo-finance-general-2025-12-31.xml", "yahoo-finance"],
    ["marketwatch-topstories-2026-07-16.xml", "marketwatch"],
    ["nasdaq-markets-2026-07-16.xml", "nasdaq"],
    ["reddit-subreddit-top-2026-07.atom", "reddit"],
    ["sec-press-releases-25-items-2026-06-12.xml", undefined],
  ])("%s is of %s, and refused for every other outlet", (file, outlet) => {
    const feed = collectedCapture(newsRss, "feed", file)
    expect(newsRss.recordedParameters(feed)?.outlet).toBe(outlet)
    for (const other of ["coindesk", "google-news", "yahoo-finance", "marketwatch", "nasdaq", "reddit"])
      expect(refusedBy(newsRss, feed, { parameters: { outlet: other } }) === undefined).toBe(other === outlet)
  })
})
