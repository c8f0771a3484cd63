import { pressReleases, type WorldHeadline, xmlText } from "../news.ts"
import { simulatedUpstream } from "../upstream.ts"
import type { World } from "../world.ts"

const SEC = "https://www.sec.gov"
const FED = "https://www.federalreserve.gov"
const EASTERN_HOURS = 4

// Titles begin with blanks and end with a newline; the creator is a blank.
const secItem = ({ title, slug, atMs }: WorldHeadline): string => {
  const eastern = new Date(atMs - EASTERN_HOURS * 3_600_000).toUTCString().replace("GMT", "-0400")
  return `<item>
  <title>    ${xmlText(title)}
</title>
  <link>${SEC}/newsroom/press-releases/${slug}</link>
  <description>The Securities and Exchange Commission today&amp;nbsp;said more…</description>
  <pubDate>${eastern}</pubDate>
    <dc:creator> </dc:creator>
    <guid isPermaLink="false">${slug}</guid>
    </item>`
}

const secFeed = (world: World): string => `<?xml version="1.0" encoding="utf-8"?>
<rss xmlns:dc="http://purl.org/dc/elements/1.1/" version="2.0" xml:base="${SEC}/">
  <channel>
    <title>Press Releases</title>
    <link>${SEC}/</link>
    <description>Official announcements.</description>
    <language>en</language>
    ${pressReleases(world, "sec", 25).map(secItem).join("\n")}
  </channel>
</rss>`

// Link, guid, description and date are CDATA.
const fedItem = ({ title, slug, atMs, category }: WorldHeadline): string => {
  const link = `<![CDATA[${FED}/newsevents/pressreleases/${slug}.htm]]>`
  return `        <item>
            <title>${xmlText(title)}</title>
            <link>${link}</link>
            <guid>${link}</guid>
            <description><![CDATA[${title}]]></description>
            <category>${category}</category>
            <pubDate><![CDATA[${new Date(atMs).toUTCString()}]]></pubDate>    
        </item>`
}

/** Begins with a byte order mark. */
const fedFeed = (world: World): string => `\ufeff<?xml version="1.0" encoding="utf-8" ?>
<rss version="2.0">
    <channel>
        <title>FRB: Press Release - All Releases</title>
        <link><![CDATA[${FED}/feeds/feeds.htm]]></link>
        <description><![CDATA[All recent press releases from the Federal Reserve Board]]></description>
        <language>en</language>
${pressReleases(world, "fed", 20).map(fedItem).join("\n")}
    </channel>
</rss>`

const XML_TYPE = "text/xml; charset=utf-8"

export default simulatedUpstream({
  name: "public-press",
  hosts: ["www.sec.gov", "www.federalreserve.gov"],
  answer: ({ host, path }, world) => {
    if (host === "www.sec.gov")
      return path === "/news/pressreleases.rss" ? { contentType: XML_TYPE, body: secFeed(world) } : null
    return path === "/feeds/press_all.xml" ? { contentType: XML_TYPE, body: fedFeed(world) } : null
  },
})
