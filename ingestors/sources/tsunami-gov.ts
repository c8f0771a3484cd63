import * as Schema from "effect/Schema"
import { instant } from "../../schemas/event.ts"
import type { Parameters } from "../../schemas/feed.ts"
import {
  TSUNAMI_NOTE_LENGTH_MAX,
  TSUNAMI_TITLE_LENGTH_MAX,
  type TsunamiCategory,
  tsunami,
  tsunamiCentres,
} from "../../schemas/feeds/tsunami.ts"
import { document } from "../document.ts"
import { type ReadContext, unreadable } from "../poll/read.ts"
import { oneOrMany, XmlText } from "../readers/formats.ts"
import { within } from "../readers/numbers.ts"
import { cleanHtml, cleanText, cleanTextOrNull, httpUrl } from "../readers/text.ts"
import { IsoTime, maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { openTerms } from "../terms.ts"

/** The longest summary that is read, in characters. */
const SUMMARY_MAX_CHARACTERS = 20_000

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

const AtomFeed = Schema.Struct({
  title: XmlText,
  updated: IsoTime,
  link: Schema.optionalKey(oneOrMany(Link)),
  entry: Schema.optionalKey(oneOrMany(Entry)),
})
type AtomFeed = typeof AtomFeed.Type

/** The warning centre of an instance. */
export const centreOf = ({ centre }: Parameters) => tsunamiCentres.find((one) => one === centre) ?? "PAAQ"

const bulletins = document({
  format: "xml",
  wire: Schema.Struct({ feed: AtomFeed }),
  url: (parameters: Parameters) => `https://www.tsunami.gov/events/xml/${centreOf(parameters)}Atom.xml`,
  bodyBytesMax: 1024 * 1024,
})

const LABELLED = /<(strong|b)>([^<:]{1,100}):\s*<\/\1>([\s\S]*?)(?=<br\s*\/?>|<strong>|<b>|$)/gi

/** The values of a summary by their labels, in lower case. */
const labelled = (summary: string): ReadonlyMap<string, string> =>
  new Map(
    [...summary.slice(0, SUMMARY_MAX_CHARACTERS).matchAll(LABELLED)].map(([, , label = "", value = ""]) => [
      label.trim().toLowerCase(),
      cleanHtml(value, TSUNAMI_NOTE_LENGTH_MAX),
    ]),
  )

/**
 * The first number of a text, whole: a part of it would be another number. A hemisphere or the type of a magnitude may
 * follow, as in `7.6Mw`; with an exponent or other letters it is no plain number.
 */
const FIRST_NUMBER =
  /^\D*?(?<![.,+-])([+-]?\d{1,6}(?:\.\d{1,15})?)(?![.,]?\d)\s*°?\s*(?:([NSEW])\b|M[a-z]{0,3}\b|(?![a-z\d°]))/i

/** The first number of a text within bounds; south and west, where a letter says so, are negative. */
const numberIn = (text: string | null | undefined, minimum: number, maximum: number): number | null => {
  const [, digits, hemisphere = ""] = FIRST_NUMBER.exec(text ?? "") ?? []
  if (digits === undefined) return null
  return within(/[SW]/i.test(hemisphere) ? -Math.abs(Number(digits)) : Number(digits), minimum, maximum)
}

/**
 * Event, message number and product stand in the path of the bulletin alone, the ids of Atom change each time:
 * `/events/<centre>/<year>/<month>/<day>/<event>/<number>/<product>/`.
 */
const BULLETIN = /\/events\/[^/]+\/\d{4}\/\d\d\/\d\d\/([^/]{1,100})\/(\d{1,4})\/([A-Z0-9]{1,20})\//i

const pathOf = (links: ReadonlyArray<typeof Link.Type> | undefined) => {
  const found = (links ?? []).map((link) => BULLETIN.exec(link["@_href"] ?? "")).find((one) => one !== null)
  const [, event, number, product] = found ?? []
  return {
    event: cleanTextOrNull(event, 100),
    number: number === undefined ? null : Number(number),
    product: cleanTextOrNull(product?.toUpperCase(), 20),
  }
}

const NUMBER = /\bnumber\s+(\d{1,4})\b/i

/** A message of a feed: its entry, or the title of a feed without entries. */
interface Row {
  readonly feed: AtomFeed
  readonly entry: Entry | null
}

/** Words of the categories, the most severe last: the most severe word of a text counts. */
const words: ReadonlyArray<readonly [word: RegExp, category: TsunamiCategory]> = [
  [/\binformation\b/i, "information"],
  [/\bwatch(es)?\b/i, "watch"],
  [/\badvisor(y|ies)\b/i, "advisory"],
  [/\bthreats?\b/i, "threat"],
  [/\bwarnings?\b/i, "warning"],
]

/** An exercise message: one of these words in the category or the title. */
const TEST = /\b(test|exercise|drill)\b/i
const CANCELLED = /\b(cancel\w*|has ended|have ended|is over|ended|lifted|expired)\b/i
/** A statement that there is no threat (any more): "no tsunami threat", "the tsunami threat has passed". */
const NO_THREAT = /\bno\s+(\w+\s+){0,2}threat\b|\bthreat\b[^.;,]{0,40}\b(has|is)\s+(largely\s+)?passed\b/i
/** Separators of statements that are read independently. */
const CLAUSES = /[.;,]|\s(?:-+|but|while|with)\s|\n/i
/** "And" separates statements, unless it joins two subjects of one: "warnings and watches have been cancelled". */
const AND = /(?<!^\s*(?:the\s+)?(?:tsunami\s+)?(?:watch(?:es)?|advisor(?:y|ies)|warnings?|threats?))\s+(?:and|&)\s+/i

/** The most severe category in a text whose statement is not cancelled; null if no statement names a category. */
const categoryIn = (text: string): TsunamiCategory | null => {
  let standing = -1
  let cancelled = false
  let denied = false
  for (const clause of text.split(CLAUSES).flatMap((part) => part.split(AND))) {
    if (NO_THREAT.test(clause)) {
      denied = true
      continue
    }
    if (CANCELLED.test(clause)) {
      cancelled = true
      continue
    }
    standing = Math.max(
      standing,
      words.findLastIndex(([word]) => word.test(clause)),
    )
  }
  // "Advisory remains, Watch cancelled" is an advisory; "Information, no tsunami threat" is `no_threat`.
  const named = words[standing]?.[1]
  if (named !== undefined && !(denied && named === "information")) return named
  return denied ? "no_threat" : cancelled ? "cancellation" : null
}

/**
 * The category of a message, read from its category text, else from its title. Null if both are unknown: an unknown word may
 * be a new name of a danger.
 */
export const tsunamiCategoryOf = (category: string, title: string): TsunamiCategory | null =>
  TEST.test(category) || TEST.test(title) ? "test" : (categoryIn(category) ?? categoryIn(title))

const message = ({ feed, entry }: Row, { parameters }: ReadContext) => {
  const values = labelled(entry?.summary ?? "")
  const category = tsunamiCategoryOf(values.get("category") ?? "", feed.title)
  // An unknown word may be a new name of a danger: the last good answer, marked stale, is safer than a harmless one.
  if (category === null) return unreadable("its category is none that is known")
  const links = [...(entry?.link ?? []), ...(feed.link ?? [])]
  const { event, number, product } = pathOf(links)
  const [, numberInTitle] = NUMBER.exec(feed.title) ?? []
  const magnitude = values.get("preliminary magnitude") ?? values.get("magnitude")
  return {
    event,
    product,
    centre: centreOf(parameters),
    number: number ?? (numberInTitle === undefined ? null : Number(numberInTitle)),
    category,
    title: cleanText(feed.title, TSUNAMI_TITLE_LENGTH_MAX),
    place: cleanText(entry?.title ?? "", TSUNAMI_TITLE_LENGTH_MAX),
    issuedAt: instant(entry?.updated ?? feed.updated),
    latitude: numberIn(entry?.["geo:lat"], -90, 90),
    longitude: numberIn(entry?.["geo:long"], -180, 180),
    magnitude: numberIn(magnitude, -2, 11),
    magnitudeType: cleanTextOrNull(/\(([^)]{1,10})\)/.exec(magnitude ?? "")?.[1], 10),
    note: cleanTextOrNull(values.get("note"), TSUNAMI_NOTE_LENGTH_MAX),
    url: httpUrl(links.find((link) => link["@_rel"] === "alternate")?.["@_href"]),
  }
}

export default listSource({
  name: "tsunami-gov",
  provider: (parameters) => `NOAA.tsunami_${centreOf(parameters).toLowerCase()}`,
  fills: tsunami,
  every: "1 minute",
  documents: { bulletins },
  collect: (upstream, { parameters }) => upstream.fetch(bulletins, parameters),
  // A feed can hold no entry while a message is in force: its title and time are then the message.
  candidates: ({ feed }): ReadonlyArray<Row> =>
    feed.entry === undefined || feed.entry.length === 0
      ? [{ feed, entry: null }]
      : feed.entry.map((entry) => ({ feed, entry })),
  toItem: message,
  contentAtMs: ({ feed }) => feed.updated,
  attribution: {
    provider: "NOAA National Weather Service, U.S. Tsunami Warning System",
    licence: "Public domain (U.S. Government work)",
    url: "https://www.tsunami.gov/",
  },
  terms: openTerms("https://www.weather.gov/disclaimer", "Public domain (U.S. Government work)"),
})
