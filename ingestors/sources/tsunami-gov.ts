import { Schema } from "effect"
import { instant } from "../../schemas/event.ts"
import type { Parameters } from "../../schemas/feed.ts"
import {
  TSUNAMI_MESSAGES_MAX,
  TSUNAMI_NOTE_LENGTH_MAX,
  TSUNAMI_TITLE_LENGTH_MAX,
  type TsunamiCategory,
  type TsunamiMessage,
  tsunami,
  tsunamiCentres,
  tsunamiInstances,
} from "../../schemas/feeds/tsunami.ts"
import { oneOrMany, XmlText } from "../formats.ts"
import { document, source, UpstreamError } from "../source.ts"
import { cleanHtml, cleanText, cleanTextOrNull, httpUrl } from "../text.ts"
import { IsoTime, maybe } from "../wire.ts"

/** The longest summary that is read, in characters. */
const SUMMARY_LENGTH_MAX = 20_000

const Link = Schema.Struct({ "@_rel": maybe(Schema.String), "@_href": maybe(Schema.String) })

const Entry = Schema.Struct({
  id: XmlText,
  title: XmlText,
  updated: Schema.optionalKey(IsoTime),
  "geo:lat": maybe(XmlText),
  "geo:long": maybe(XmlText),
  /** A list of labels and values as XHTML; nothing else names the category. */
  summary: maybe(XmlText),
  link: Schema.optionalKey(oneOrMany(Link)),
})
type Entry = typeof Entry.Type

const centreOf = ({ centre }: Parameters) => tsunamiCentres.find((one) => one === centre) ?? "PAAQ"

const bulletins = document({
  format: "xml",
  wire: Schema.Struct({
    feed: Schema.Struct({
      title: XmlText,
      updated: IsoTime,
      entry: Schema.optionalKey(oneOrMany(Entry)),
    }),
  }),
  url: (parameters: Parameters) => `https://www.tsunami.gov/events/xml/${centreOf(parameters)}Atom.xml`,
  bodyBytesMax: 1024 * 1024,
})

/** The same message in the Common Alerting Protocol; not asked for, as it says nothing more that is shown. */
const cap = document({
  format: "xml",
  wire: Schema.Struct({
    alert: Schema.Struct({ identifier: XmlText, sent: XmlText, info: oneOrMany(Schema.Struct({ event: XmlText })) }),
  }),
  url: (parameters: Parameters) => `https://www.tsunami.gov/events/xml/${centreOf(parameters)}CAP.xml`,
})

const LABELLED = /<(strong|b)>([^<:]{1,100}):\s*<\/\1>([\s\S]*?)(?=<br\s*\/?>|<strong>|<b>|$)/gi

/** The values of a summary by their labels, in lower case. */
const labelled = (summary: string): ReadonlyMap<string, string> =>
  new Map(
    [...summary.slice(0, SUMMARY_LENGTH_MAX).matchAll(LABELLED)].map(([, , label = "", value = ""]) => [
      label.trim().toLowerCase(),
      cleanHtml(value, TSUNAMI_NOTE_LENGTH_MAX),
    ]),
  )

/** Words that name a category, the gravest last: of several words in a text the gravest counts. */
const words: ReadonlyArray<readonly [word: RegExp, category: TsunamiCategory]> = [
  [/\binformation\b/i, "information"],
  [/\bwatch\b/i, "watch"],
  [/\badvisory\b/i, "advisory"],
  [/\bthreat\b/i, "threat"],
  [/\bwarning\b/i, "warning"],
  // The cancellation of a warning names the warning too.
  [/\bcancel/i, "cancellation"],
]

const categoryOf = (...texts: ReadonlyArray<string | undefined>): TsunamiCategory | null => {
  for (const text of texts) {
    const found = words.findLast(([word]) => word.test(text ?? ""))
    if (found !== undefined) return found[1]
  }
  return null
}

const numberIn = (text: string | null | undefined, minimum: number, maximum: number): number | null => {
  const [found] = /[+-]?\d{1,6}(\.\d{1,6})?/.exec(text ?? "") ?? []
  const value = found === undefined ? Number.NaN : Number(found)
  return value >= minimum && value <= maximum ? value : null
}

/** The event and the message's number stand in the path of the bulletin alone: the ids of Atom change each time. */
const BULLETIN = /\/events\/[^/]+\/\d{4}\/\d\d\/\d\d\/([^/]{1,100})\/(\d{1,4})\//

const message = (
  entry: Entry,
  feed: { readonly title: string; readonly updated: number },
  centre: TsunamiMessage["centre"],
): TsunamiMessage | null => {
  const values = labelled(entry.summary ?? "")
  const category = categoryOf(values.get("category"), feed.title)
  if (category === null) return null
  const url = httpUrl(entry.link?.find((link) => link["@_rel"] === "alternate")?.["@_href"])
  const [, event, number] = BULLETIN.exec(url ?? "") ?? []
  const magnitude = values.get("preliminary magnitude") ?? values.get("magnitude")
  return {
    event: cleanText(event ?? entry.id, 100) || "unnamed",
    centre,
    number: number === undefined ? null : Number(number),
    category,
    title: cleanText(feed.title, TSUNAMI_TITLE_LENGTH_MAX),
    place: cleanText(entry.title, TSUNAMI_TITLE_LENGTH_MAX),
    issuedAt: instant(entry.updated ?? feed.updated),
    latitude: numberIn(entry["geo:lat"], -90, 90),
    longitude: numberIn(entry["geo:long"], -180, 180),
    magnitude: numberIn(magnitude, -2, 11),
    magnitudeType: cleanTextOrNull(/\(([^)]{1,10})\)/.exec(magnitude ?? "")?.[1], 10),
    note: cleanTextOrNull(values.get("note"), TSUNAMI_NOTE_LENGTH_MAX),
    url,
  }
}

export default source({
  name: "tsunami-gov",
  provider: (parameters) => `NOAA.tsunami_${centreOf(parameters).toLowerCase()}`,
  fills: tsunami,
  instances: tsunamiInstances,
  every: "1 minute",
  documents: { bulletins, cap },
  collect: (upstream, parameters) => upstream.get(bulletins, parameters),
  normalise: ({ feed }, { parameters }) => {
    const messages = (feed.entry ?? []).map((entry) => message(entry, feed, centreOf(parameters)))
    // An unknown word may be a new name of a danger: better the last good answer, marked old, than a harmless reading.
    if (messages.some((one) => one === null)) return new UpstreamError({ message: "a message of an unknown category" })
    const newestFirst = messages
      .filter((one) => one !== null)
      .sort((a, b) => (a.issuedAt < b.issuedAt ? 1 : a.issuedAt > b.issuedAt ? -1 : (b.number ?? 0) - (a.number ?? 0)))
    const seen = new Set<string>()
    const items = newestFirst.filter(({ event }) => !seen.has(event) && seen.add(event)).slice(0, TSUNAMI_MESSAGES_MAX)
    return { payload: { items }, contentAtMs: feed.updated }
  },
  attribution: {
    provider: "NOAA National Weather Service, U.S. Tsunami Warning System",
    licence: "Public domain (U.S. Government work)",
    url: "https://www.tsunami.gov/",
  },
})
