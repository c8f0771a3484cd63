import { describe, expect, it } from "vitest"
import publicPress from "../../ingestors/sources/public-press.ts"
import headlinesTable from "../../processors/tables/headlines/table.ts"
import proSentiment from "../../processors/views/pro-sentiment.ts"
import { officeOf, pressReleases } from "../../schemas/feeds/press-releases.ts"
import { pressReleases as releasesOf } from "../world/news.ts"
import simulated from "../world/upstreams/public-press.ts"
import { worldAt } from "../world/world.ts"
import { capturesAbsent, collectedCapture } from "./support/captures.ts"
import { feedTest, polled } from "./support/feed-test.ts"
import { normalised, readBy, refusedBy } from "./support/read.ts"
import { OBSERVED_AT, PROVIDER } from "./support/rows.ts"
import { observed } from "./support/world.ts"

type Collected = Parameters<typeof publicPress.read>[0]

const NOW_MS = Date.parse("2026-11-20T12:34:56.789Z")
const FED = { office: "federal-reserve" }
const SEC = { office: "sec" }

const item = {
  title: "SEC Publishes Draft Strategic Plan",
  link: "https://www.sec.gov/newsroom/press-releases/2026-51",
  publishedAt: "2026-06-02T14:30:00.000Z",
  publisher: null,
} as const
const channel = (link: string, ...items: ReadonlyArray<unknown>): Collected => ({
  rss: { channel: { link: [link], item: items } },
})
const ITEM = { title: "A", link: "https://www.federalreserve.gov/a.htm", pubDate: "Fri, 20 Nov 2026 10:00:00 GMT" }

feedTest({
  feed: pressReleases,
  polls: [
    polled({
      source: publicPress,
      world: simulated,
      freeText: true,
      breakRow: (feed) =>
        "rss" in feed
          ? channel(feed.rss.channel.link?.[0] ?? "", ...(feed.rss.channel.item ?? []), { title: "" })
          : feed,
      refused: [
        ["the feed of another office", channel("https://www.sec.gov/", ITEM), /not a feed of federalreserve\.gov/],
        ["a feed without releases", channel("https://www.federalreserve.gov/"), /has no items/],
      ],
    }),
  ],
  views: [proSentiment],
  table: headlinesTable,
  rows: [
    {
      kind: "appeared",
      parameters: SEC,
      item,
      makes: {
        feed: "press-releases",
        published_at: "2026-06-02T14:30:00.000Z",
        outlet: "sec",
        link: item.link,
        title: item.title,
        publisher: "",
        provider: PROVIDER,
        observed_at: OBSERVED_AT,
      },
    },
    { kind: "gone", parameters: FED, item, makes: null },
  ],
})

describe.skipIf(capturesAbsent)("captured press releases", () => {
  const read = (file: string, parameters: typeof FED) => {
    const { payload, contentAtMs } = normalised(publicPress, collectedCapture(publicPress, "releases", file), {
      parameters,
    })
    return { items: payload.items, contentAtMs }
  }
  const sec = "sec-press-releases-25-items-2026-06-12.xml"
  const fed = "federal-reserve-press-all-20-items-2026-04-27.xml"

  it("of the SEC have titles without the blanks and newlines around them, and times of their zone", () => {
    const { items, contentAtMs } = read(sec, SEC)
    expect(items).toHaveLength(25)
    expect(items[0]).toEqual({
      title: "SEC Appoints John Moses as Director of the Office of Investor Education and Assistance",
      link: "https://www.sec.gov/newsroom/press-releases/2026-55-sec-appoints-john-moses-director-office-investor-education-assistance",
      publishedAt: "2026-06-12T16:30:00.000Z",
      publisher: null,
    })
    expect(items[1]?.publishedAt).toBe("2026-06-11T14:55:00.000Z")
    expect(items.at(-1)?.publishedAt).toBe("2026-03-27T20:04:54.000Z")
    expect(contentAtMs).toBe(Date.parse("2026-06-12T16:30:00Z"))
  })
  it("of the Federal Reserve are read behind the byte order mark, with links and dates of CDATA", () => {
    const { items, contentAtMs } = read(fed, FED)
    expect(items).toHaveLength(20)
    expect(items[0]).toEqual({
      title: "Federal Reserve Board announces approval of application by OceanFirst Financial Corp.",
      link: "https://www.federalreserve.gov/newsevents/pressreleases/orders20260424a.htm",
      publishedAt: "2026-04-24T20:00:00.000Z",
      publisher: null,
    })
    // A day of one digit, and a title that begins with a blank.
    expect(items.map(({ publishedAt }) => publishedAt)).toContain("2026-04-09T15:00:00.000Z")
    expect(items.find(({ link }) => link.endsWith("enforcement20260416a.htm"))?.title).toBe(
      "Federal Reserve Board issues enforcement action with Community Bankshares, Inc.",
    )
    expect(contentAtMs).toBe(Date.parse("2026-04-24T20:00:00Z"))
  })
  it.each([
    [sec, SEC, FED],
    [fed, FED, SEC],
  ])("%s is of %o, and refused for %o", (file, own, other) => {
    const feed = collectedCapture(publicPress, "releases", file)
    expect(publicPress.recordedParameters(feed)).toEqual(own)
    expect(refusedBy(publicPress, feed, { parameters: other })?.message).toMatch(/not a feed of/)
  })
  it("are not what a news outlet publishes", () => {
    const feed = collectedCapture(publicPress, "releases", "coindesk-2026-09-25.xml")
    expect(publicPress.recordedParameters(feed)).toBeNull()
  })
})

describe("press releases", () => {
  it("are those of the office alone: what others publish is not in the public domain", () => {
    const feed = channel(
      "https://www.federalreserve.gov/",
      ITEM,
      { ...ITEM, link: "https://www.federalreserve.gov.example/b.htm" },
      { ...ITEM, link: "https://news.example/c" },
    )
    const { payload } = normalised(publicPress, feed, { parameters: FED })
    expect(payload.items.map(({ link }) => link)).toEqual(["https://www.federalreserve.gov/a.htm"])
    expect(readBy(publicPress, feed, { parameters: FED }).unreadable).toEqual([])
  })
  it("may be silent for weeks: the longest gap that was recorded is of twelve days", () => {
    expect(pressReleases.contentAgeMaxMs(SEC)).toBeGreaterThan(12 * 86_400_000)
  })
  it("belong to an office of the feed", () => {
    for (const office of ["coindesk", "__proto__", ""]) expect(() => officeOf({ office })).toThrow(TypeError)
  })
  it.each([
    [SEC, "sec", 25, "SEC.press_releases"],
    [FED, "fed", 20, "FederalReserve.press_releases"],
  ] as const)("of the world are those that %o published", async (parameters, office, max, provider) => {
    const { payload } = await observed(publicPress, simulated, NOW_MS, parameters)
    const expected = releasesOf(worldAt("test", NOW_MS), office, max)
    expect(expected).toHaveLength(max)
    expect(payload.items.map(({ title }) => title)).toEqual(expected.map(({ title }) => title))
    expect(publicPress.provider(parameters)).toBe(provider)
  })
})
