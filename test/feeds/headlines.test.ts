import { spawnSync } from "node:child_process"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { decodeDocument } from "../../ingestors/poll/read.ts"
import newsRss from "../../ingestors/sources/news-rss.ts"
import headlinesTable from "../../processors/tables/headlines/table.ts"
import proSentiment from "../../processors/views/pro-sentiment.ts"
import { headlines, OWN_OUTLETS_MAX, outletOf, ownOutletsOf } from "../../schemas/feeds/headlines.ts"
import { HEADLINE_MAX_CHARACTERS, HEADLINES_MAX } from "../../schemas/headline.ts"
import { cryptoHeadlines } from "../world/news.ts"
import simulated from "../world/upstreams/news-rss.ts"
import { worldAt } from "../world/world.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, readBy } from "./support/read.ts"
import { OBSERVED_AT, PROVIDER } from "./support/rows.ts"
import { observed, pollFailure, upstreamOf } from "./support/world.ts"

type Collected = Parameters<typeof newsRss.read>[0]

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const COINDESK = { outlet: "coindesk" }
const OWN = { outlet: "my-paper" }

const item = {
  title: "Bitcoin rises",
  link: "https://www.coindesk.com/markets/bitcoin-rises",
  publishedAt: "2026-11-20T10:00:00.000Z",
  publisher: null,
} as const
const row = {
  feed: "headlines",
  published_at: item.publishedAt,
  outlet: "coindesk",
  link: item.link,
  title: item.title,
  publisher: "",
  provider: PROVIDER,
  observed_at: OBSERVED_AT,
}
const channel = (link: string, ...items: ReadonlyArray<unknown>): Collected => ({
  rss: { channel: { link: [link], item: items } },
})
const ITEM = { title: "A", link: "https://www.coindesk.com/a", pubDate: "Fri, 20 Nov 2026 10:00:00 +0000" }

feedTest({
  feed: headlines,
  polls: [
    polled({
      source: newsRss,
      world: simulated,
      // Titles of CDATA: hostile ones have a test of their own below.
      freeText: false,
      breakRow: (feed) =>
        "rss" in feed ? channel("https://www.coindesk.com/", ...(feed.rss.channel.item ?? []), { title: "" }) : feed,
      refused: [
        ["the feed of another outlet", channel("https://www.marketwatch.com/", ITEM), /not a feed of coindesk\.com/],
        [
          "another feed that does not name its site",
          { rss: { channel: { item: [{ ...ITEM, link: "https://coindesk.com.example/a" }] } } },
          /not a feed of coindesk\.com/,
        ],
        ["a feed without items", channel("https://www.coindesk.com/"), /has no items/],
      ],
    }),
  ],
  views: [proSentiment],
  table: headlinesTable,
  rows: [
    { kind: "appeared", parameters: COINDESK, item, makes: row },
    {
      kind: "changed",
      parameters: OWN,
      item: { ...item, publisher: "Reuters" },
      makes: { ...row, outlet: "my-paper", publisher: "Reuters" },
    },
    { kind: "gone", parameters: COINDESK, item, makes: null },
  ],
})

/** What a source reads of a document in XML. */
const readXml = (xml: string, parameters: { readonly outlet: string }) => {
  const decoded = decodeDocument("feed", newsRss.documents.feed as never, Buffer.from(xml))
  if (Result.isFailure(decoded)) return decoded.failure.problem
  return normalised(newsRss, decoded.success as Collected, { parameters }).payload.items
}
const rss = (...items: ReadonlyArray<string>) =>
  `<rss version="2.0"><channel><title>T</title>${items.map((one) => `<item>${one}</item>`).join("")}</channel></rss>`
const DATE = "<pubDate>Fri, 20 Nov 2026 10:00:00 GMT</pubDate>"

describe("headlines", () => {
  it("of a feed in RSS take the guid for the address where there is no link, unless it says that it is none", () => {
    const [one, ...others] = readXml(
      rss(
        `<title>A</title><guid>https://paper.example/a</guid>${DATE}`,
        `<title>B</title><link/><guid isPermaLink="true">https://paper.example/b</guid>${DATE}`,
        `<title>C</title><guid isPermaLink="false">https://paper.example/c</guid>${DATE}`,
      ),
      OWN,
    ) as ReadonlyArray<{ readonly link: string }>
    expect([one?.link, others.map(({ link }) => link)]).toEqual([
      "https://paper.example/a",
      ["https://paper.example/b"],
    ])
  })
  it("have their time in any of the usual forms, and none is made up", () => {
    const dated = (date: string) =>
      `<title>${date.length}</title><link>https://paper.example/${date.length}</link>${date}`
    const items = readXml(
      rss(
        dated("<pubDate>2026-11-20T05:00:00-05:00</pubDate>"),
        dated("<dc:date>2026-11-20T10:00:00Z</dc:date>"),
        dated("<pubDate>20 Nov 2026 10:00 EST</pubDate>"),
        dated("<pubDate>yesterday</pubDate>"),
      ),
      OWN,
    ) as ReadonlyArray<{ readonly publishedAt: string }>
    expect(items.map(({ publishedAt }) => publishedAt)).toEqual([
      "2026-11-20T15:00:00.000Z",
      "2026-11-20T10:00:00.000Z",
      "2026-11-20T10:00:00.000Z",
    ])
  })
  it("of Atom take the title by its type, and the link to the page", () => {
    const entry = (title: string) =>
      `<feed xmlns="http://www.w3.org/2005/Atom"><entry>${title}<link rel="enclosure" href="https://paper.example/x.mp3"/><link href="https://paper.example/a"/><updated>2026-11-20T10:00:00Z</updated></entry></feed>`
    const titled = (title: string) => readXml(entry(title), OWN)
    const made = (title: string) => [
      { title, link: "https://paper.example/a", publishedAt: "2026-11-20T10:00:00.000Z", publisher: null },
    ]
    expect(titled("<title>Up &amp;amp; down</title>")).toEqual(made("Up & down"))
    expect(titled('<title type="html">&lt;b&gt;Up&lt;/b&gt; again</title>')).toEqual(made("Up again"))
    expect(titled('<title type="text">Vec&lt;T&gt; in Rust</title>')).toEqual(made("Vec<T> in Rust"))
  })
  it("keep a title that merely ends like its publisher's suffix", () => {
    const source = '<source url="https://a.example">Wire</source>'
    const items = readXml(
      rss(
        `<title> - Wire</title><link>https://paper.example/1</link>${DATE}${source}`,
        `<title>Live Wire</title><link>https://paper.example/2</link>${DATE}${source}`,
        `<title>Up - Wire</title><link>https://paper.example/3</link>${DATE}${source}`,
        `<title>${"x".repeat(198)} - Wire</title><link>https://paper.example/4</link>${DATE}${source}`,
      ),
      OWN,
    ) as ReadonlyArray<{ readonly title: string }>
    expect(items.map(({ title }) => title)).toEqual(["- Wire", "Live Wire", "Up", "x".repeat(198)])
  })
  it("never link to a script, hold no invisible text, and are bounded", () => {
    const many = Array.from({ length: HEADLINES_MAX + 20 }, (_, at) => ({
      ...ITEM,
      title: `${at}\u202e${"x".repeat(400)}`,
      link: `https://www.coindesk.com/${at}`,
    }))
    const feed = channel("https://www.coindesk.com/", { ...ITEM, link: "javascript:alert(1)" }, ...many)
    const { payload } = normalised(newsRss, feed, { parameters: COINDESK })
    expect(payload.items).toHaveLength(HEADLINES_MAX)
    for (const { title, link } of payload.items) {
      expect(title).toMatch(/^\d+x+$/)
      expect(title).toHaveLength(HEADLINE_MAX_CHARACTERS)
      expect(link).toMatch(/^https:/)
    }
    expect(readBy(newsRss, feed, { parameters: COINDESK }).unreadable).toHaveLength(1)
  })
  it("of the future are none", () => {
    const feed = channel("https://www.coindesk.com/", ITEM, {
      ...ITEM,
      link: "https://www.coindesk.com/b",
      pubDate: "Sat, 21 Nov 2026 10:00:00 GMT",
    })
    const { unreadable } = readBy(newsRss, feed, { parameters: COINDESK, observedAtMs: NOW_MS })
    expect(unreadable.map(({ problem }) => problem)).toEqual(["its time lies in the future"])
  })
  it("of the world are those that its outlet published", async () => {
    const { payload } = await observed(newsRss, simulated, NOW_MS, COINDESK)
    const expected = cryptoHeadlines(worldAt("test", NOW_MS))
    expect(expected).toHaveLength(25)
    expect(payload.items.map(({ title }) => title)).toEqual(expected.map(({ title }) => title))
  })
})

describe("outlets of a setting", () => {
  it("are added by their names, sorted and bounded; press offices and wrong names are none", () => {
    const text =
      "zeit=https://z.example, a-b=https://a.example,coindesk=https://c.example,sec=https://s.example,A=x,nothing"
    expect(ownOutletsOf(text)).toEqual(["a-b", "zeit"])
    expect(ownOutletsOf("")).toEqual([])
    const many = Array.from({ length: 30 }, (_, at) => `o${at}=https://a.example`).join(",")
    expect(ownOutletsOf(many)).toHaveLength(OWN_OUTLETS_MAX)
  })
  it("are instances of the feed, which each process reads as it starts", () => {
    const module = new URL("../../schemas/feeds/headlines.ts", import.meta.url).href
    const settings = new URL("../../infra/config/installation.ts", import.meta.url).href
    const program = `import { installFrom } from "${settings}"
      installFrom(process.env)
      const { headlines } = await import("${module}")
      process.stdout.write(JSON.stringify(headlines.instances))`
    const configured = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      env: { NEWS_RSS_URLS: "my-paper=https://paper.example/rss,coindesk=https://mirror.example/rss" },
      encoding: "utf8",
    })
    expect(configured.stderr).toBe("")
    expect(JSON.parse(configured.stdout)).toEqual([COINDESK, OWN])
    expect(headlines.instances).toEqual([COINDESK])
  })
  it("have names of their own in _meta", () => {
    expect(newsRss.provider(COINDESK)).toBe("CoinDesk.headlines")
    expect(newsRss.provider({ outlet: "my-paper" })).toBe("NewsRss.my_paper")
    for (const outlet of ["sec", "__proto__", "", "A", "x".repeat(41)])
      expect(() => outletOf({ outlet })).toThrow(TypeError)
  })
  it("are asked at their own addresses; a known one at another address must still be its own", async () => {
    const asked: Array<string> = []
    const upstream = upstreamOf(simulated, worldAt("test", NOW_MS))
    const recording: typeof upstream = {
      ...upstream,
      fetch: (document, input) => {
        asked.push(document.url(input))
        return Effect.fail(undefined as never)
      },
    }
    const addresses = { "my-paper": "https://paper.example/rss", coindesk: "https://mirror.example/coindesk" }
    for (const parameters of [OWN, COINDESK, { outlet: "reddit" }])
      await Effect.runPromiseExit(
        newsRss.collect(recording, { parameters, observedAtMs: NOW_MS, key: null, addresses }),
      )
    expect(asked).toEqual([
      "https://paper.example/rss",
      "https://mirror.example/coindesk",
      "https://www.reddit.com/r/wallstreetbets/top.rss",
    ])
    expect(await pollFailure(newsRss, upstream, { outlet: "nowhere" })).toMatchObject({
      value: { _tag: "UpstreamError", message: "NEWS_RSS_URLS names no address of nowhere" },
    })
  })
})
