import { cryptoHeadlines, type WorldHeadline } from "../news.ts"
import { simulatedUpstream } from "../upstream.ts"
import type { World } from "../world.ts"

const SITE = "https://www.coindesk.com"

/** RFC 822 with a numeric zone, as the outlet writes it. */
const rfc822 = (atMs: number): string => new Date(atMs).toUTCString().replace("GMT", "+0000")

// The guid is no address, and some elements are always empty.
const item = ({ title, slug, atMs, category }: WorldHeadline): string =>
  [
    "    <item>",
    `      <title><![CDATA[${title}]]></title>`,
    `      <link>${SITE}/${category.toLowerCase()}/${slug}</link>`,
    `      <guid isPermaLink="false">${slug.slice(-10)}</guid>`,
    `      <pubDate>${rfc822(atMs)}</pubDate>`,
    "      <description><![CDATA[More in the article.]]></description>",
    "      <dc:creator>A. Reporter</dc:creator>",
    "      <content:encoded/>",
    "      <dc:description/>",
    `      <category domain="${SITE}/${category.toLowerCase()}"><![CDATA[${category}]]></category>`,
    "    </item>",
  ].join("\n")

const rss = (world: World): string => {
  const listed = cryptoHeadlines(world)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<rss xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:atom="http://www.w3.org/2005/Atom" version="2.0">',
    "  <channel>",
    "    <title>CoinDesk: Bitcoin, Ethereum, Crypto News and Price Data</title>",
    `    <link>${SITE}/</link>`,
    `    <atom:link rel="self" type="application/rss+xml" href="${SITE}/arc/outboundfeeds/rss"/>`,
    `    <lastBuildDate>${rfc822(listed[0]?.atMs ?? world.nowMs)}</lastBuildDate>`,
    ...listed.map(item),
    "  </channel>",
    "</rss>",
  ].join("\n")
}

export default simulatedUpstream({
  name: "news-rss",
  hosts: ["www.coindesk.com"],
  answer: ({ path }, world) =>
    path === "/arc/outboundfeeds/rss" ? { contentType: "application/rss+xml; charset=utf-8", body: rss(world) } : null,
})
