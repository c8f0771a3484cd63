import * as Schema from "effect/Schema"
import { HEADLINE_MAX_CHARACTERS, type Headline, PUBLISHER_MAX_CHARACTERS } from "../../../schemas/headline.ts"
import { document, UpstreamError } from "../../document.ts"
import { type Unreadable, unreadable } from "../../poll/read.ts"
import { oneOrMany, XmlText } from "../../readers/formats.ts"
import { instantOrNull } from "../../readers/instants.ts"
import { cleanHtml, cleanText, cleanTextOrNull, httpUrl } from "../../readers/text.ts"
import { rfc822Ms } from "../../readers/text-dates.ts"
import { isoMs } from "../../readers/wire.ts"

const optionalText = Schema.optionalKey(XmlText)

/** https://www.rssboard.org/rss-specification Of the optional members any may be missing or empty. */
const RssItem = Schema.Struct({
  title: XmlText,
  link: optionalText,
  guid: Schema.optionalKey(Schema.Unknown),
  pubDate: optionalText,
  "dc:date": optionalText,
  /** The publisher, where the outlet repeats headlines of others. */
  source: optionalText,
})

const AtomLink = Schema.Struct({
  "@_href": Schema.optionalKey(Schema.String),
  "@_rel": Schema.optionalKey(Schema.String),
})
const AtomTitle = Schema.Union([
  Schema.String,
  Schema.Struct({ "#text": optionalText, "@_type": Schema.optionalKey(Schema.String) }),
])

/** https://www.rfc-editor.org/rfc/rfc4287 */
const AtomEntry = Schema.Struct({
  title: AtomTitle,
  link: oneOrMany(AtomLink),
  published: optionalText,
  updated: optionalText,
})

const Rss = Schema.Struct({
  rss: Schema.Struct({
    channel: Schema.Struct({
      link: Schema.optionalKey(oneOrMany(XmlText)),
      item: Schema.optionalKey(oneOrMany(Schema.Unknown)),
    }),
  }),
})
const Atom = Schema.Struct({
  feed: Schema.Struct({
    link: Schema.optionalKey(oneOrMany(AtomLink)),
    entry: Schema.optionalKey(oneOrMany(Schema.Unknown)),
  }),
})

/** A feed of headlines. */
export const NewsFeed = Schema.Union([Rss, Atom])
export type NewsFeed = typeof NewsFeed.Type
/** A row of a feed, by the kind of the feed: an empty link of RSS would pass for one of Atom. */
export const NewsRow = Schema.Union([Schema.Struct({ item: RssItem }), Schema.Struct({ entry: AtomEntry })])
type NewsRow = typeof NewsRow.Type

/** The document of an outlet, by its address. */
export const newsDocument = document({ format: "xml", wire: NewsFeed, url: (address: string) => address })

/** Of the links of Atom the one to the page itself; without a relation a link is that. */
const pageOf = (links: ReadonlyArray<typeof AtomLink.Type>): string | undefined =>
  links.find(({ "@_rel": relation = "alternate" }) => relation === "alternate")?.["@_href"]

/** A guid is an address unless it says otherwise, and stands in where there is no link. */
const permalinkOf = (guid: unknown): string | null => {
  const text = Schema.decodeUnknownOption(XmlText)(guid)
  const isNone =
    typeof guid === "object" && guid !== null && "@_isPermaLink" in guid && guid["@_isPermaLink"] === "false"
  return text._tag === "None" || isNone ? null : httpUrl(text.value)
}

const linkOf = (row: NewsRow): string | null =>
  "entry" in row ? httpUrl(pageOf(row.entry.link)) : (httpUrl(row.item.link) ?? permalinkOf(row.item.guid))

/** Outlets that repeat headlines of others append the publisher to the title. */
const withoutSuffix = (title: string, publisher: string): string => {
  const [text, suffix] = [title.trimEnd(), ` - ${publisher.trim()}`]
  return publisher.trim() !== "" && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text
}

const titleOf = (row: NewsRow): string => {
  if ("item" in row) return cleanText(withoutSuffix(row.item.title, row.item.source ?? ""), HEADLINE_MAX_CHARACTERS)
  const { title } = row.entry
  const { "#text": text = "", "@_type": type = "text" } = typeof title === "string" ? { "#text": title } : title
  return (type === "text" ? cleanText : cleanHtml)(text, HEADLINE_MAX_CHARACTERS)
}

const dateMs = (text: string | undefined): number | null => rfc822Ms(text) ?? isoMs(text?.trim())

const timeMsOf = (row: NewsRow): number | null =>
  "entry" in row
    ? (dateMs(row.entry.published) ?? dateMs(row.entry.updated))
    : (dateMs(row.item.pubDate) ?? dateMs(row.item["dc:date"]))

/** Makes a headline of a row. */
export const headlineOf = (row: NewsRow): Headline | Unreadable => {
  const publisher = "item" in row ? cleanTextOrNull(row.item.source, PUBLISHER_MAX_CHARACTERS) : null
  const title = titleOf(row)
  const link = linkOf(row)
  const publishedAt = instantOrNull(timeMsOf(row))
  if (title === "" || link === null || publishedAt === null) return unreadable("it has no title, no link or no time")
  return { title, link, publishedAt, publisher }
}

/** The rows of a feed, which are not decoded yet. */
const newsRows = (feed: NewsFeed): ReadonlyArray<unknown> =>
  "rss" in feed
    ? (feed.rss.channel.item ?? []).map((item) => ({ item }))
    : (feed.feed.entry ?? []).map((entry) => ({ entry }))

const hostOf = (address: string | null | undefined): string | null => {
  const url = httpUrl(address)
  return url === null ? null : new URL(url).hostname
}

/** Whether a host is a site or a part of it. */
export const isOfSite = (host: string | null, site: string): boolean =>
  host !== null && (host === site || host.endsWith(`.${site}`))

/** The host that a feed says it belongs to: that of its own link, else that of its first row; null where neither says. */
export const siteOf = (feed: NewsFeed): string | null => {
  const own = "rss" in feed ? feed.rss.channel.link?.[0] : pageOf(feed.feed.link ?? [])
  const [first] = newsRows(feed)
  const row = Schema.decodeUnknownOption(NewsRow)(first)
  return hostOf(own) ?? (row._tag === "None" ? null : hostOf(linkOf(row.value)))
}

/** The rows of a feed, which must be of the given site; null for any site. */
export const newsRowsOf = (feed: NewsFeed, site: string | null): ReadonlyArray<unknown> | UpstreamError =>
  site === null || isOfSite(siteOf(feed), site)
    ? newsRows(feed)
    : new UpstreamError({ message: `the answer is not a feed of ${site}` })
