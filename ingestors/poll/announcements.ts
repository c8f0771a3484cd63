import {
  ANNOUNCEMENT_MAX_CHARACTERS,
  ANNOUNCEMENTS_MAX,
  type Announcement,
  type AnnouncingHeader,
} from "../../schemas/events/observations.ts"
import type { AnnouncingHeaders } from "../http-client.port.ts"
import { instantOrNull } from "../readers/instants.ts"
import { cleanTextOrNull } from "../readers/text.ts"
import { asctimeMs, rfc822Ms } from "../readers/text-dates.ts"
import { isoMs } from "../readers/wire.ts"

/** A longer value of a header is cut before it is read. */
const VALUE_MAX_CHARACTERS = 4_096
/** Values of one header of one answer that are read. */
const VALUES_MAX = 4
/** Lines of the log are repeated after this time. */
const LOGGED_AGAIN_MS = 3_600_000
/** The order of announcements: dates before warnings, which an upstream may have any number of. */
const HEADERS: ReadonlyArray<AnnouncingHeader> = ["Sunset", "Deprecation", "Warning"]

/** One header of an answer, read: the instant that it names, or its words. */
type Reading = Omit<Announcement, "provider" | "document">

const SECONDS = /^@(\d{1,12})$/
/** `06-Nov-94`, the obsolete form of RFC 850. */
const DASHED_DAY = /(\d\d)-([a-z]{3})-(\d\d)/i

/** The instant of a date as RFC 9110 or RFC 9651 writes it, or as ISO 8601 has it; null for other texts. */
const dateOf = (value: string): string | null => {
  const [, seconds] = SECONDS.exec(value) ?? []
  if (seconds !== undefined) return instantOrNull(Number(seconds) * 1000)
  return instantOrNull(rfc822Ms(value.replace(DASHED_DAY, "$1 $2 $3")) ?? asctimeMs(value) ?? isoMs(value))
}

const dated = (header: AnnouncingHeader, value: string): Reading => {
  const at = dateOf(value)
  return { header, at, text: at === null ? cleanTextOrNull(value, ANNOUNCEMENT_MAX_CHARACTERS) : null }
}

const deprecation = (value: string): ReadonlyArray<Reading> => {
  if (value === "false" || value === "?0") return []
  return [
    value === "true" || value === "?1" ? { header: "Deprecation", at: null, text: null } : dated("Deprecation", value),
  ]
}

/** Code, agent, text and date of one warning (RFC 7234, 5.5); a header holds several. */
const WARNING = /(\d{3})\s+\S+\s+"((?:[^"\\]|\\.)*)"/g

/** Agent and date of a warning are dropped: they differ from answer to answer. */
const warnings = (value: string): ReadonlyArray<Reading> => {
  const matched = [...value.matchAll(WARNING)].map(([, code, text = ""]) => `${code} ${text.replace(/\\(.)/g, "$1")}`)
  return (matched.length === 0 ? [value] : matched).map((text) => ({
    header: "Warning",
    at: null,
    text: cleanTextOrNull(text, ANNOUNCEMENT_MAX_CHARACTERS),
  }))
}

/** The announcements of one answer, of a few values of each header. */
export const readAnnouncements = (headers: AnnouncingHeaders): ReadonlyArray<Reading> => {
  const values = (given: ReadonlyArray<string>): ReadonlyArray<string> =>
    given
      .slice(0, VALUES_MAX)
      .map((value) => value.slice(0, VALUE_MAX_CHARACTERS).trim())
      .filter((value) => value !== "")
  return [
    values(headers.sunset).map((value) => dated("Sunset", value)),
    values(headers.deprecation).flatMap(deprecation),
    values(headers.warning).flatMap(warnings),
  ].flatMap((readings) => readings.slice(0, VALUES_MAX))
}

/** What the answers to one source's requests announced. */
export interface AnnouncedByAnswers {
  readonly provider: string
  /** The names of all documents of the source. */
  readonly documents: ReadonlyArray<string>
  /** The documents that were answered in full. A 304 may leave such headers out, and so may a failure. */
  readonly whole: ReadonlySet<string>
  readonly announced: ReadonlyArray<Announcement>
}

/** Sorts by header, provider, document, date and words, of which a JSON array is the text to compare. */
const sortKey = ({ provider, document, header, at, text }: Announcement): string =>
  JSON.stringify([HEADERS.indexOf(header), provider, document, at, text])

const sorted = (all: ReadonlyArray<Announcement>): ReadonlyArray<Announcement> => {
  const byKey = new Map(all.map((one) => [sortKey(one), one]))
  return [...byKey.keys()]
    .sort()
    .slice(0, ANNOUNCEMENTS_MAX)
    .flatMap((key) => byKey.get(key) ?? [])
}

/** All announcements after the answers to one source: a document that was answered in full announces what its answers did. */
export const afterAnswers = (
  known: ReadonlyArray<Announcement>,
  { provider, documents, whole, announced }: AnnouncedByAnswers,
): ReadonlyArray<Announcement> => {
  const kept = known.filter(
    (one) => one.provider !== provider || (documents.includes(one.document) && !whole.has(one.document)),
  )
  return sorted([...kept, ...announced])
}

/** Whether two lists of `afterAnswers` are the same. */
export const areSame = (one: ReadonlyArray<Announcement>, other: ReadonlyArray<Announcement>): boolean =>
  one.length === other.length && without(one, other).length === 0

/** The announcements of one list that another one does not have. */
const without = (
  all: ReadonlyArray<Announcement>,
  others: ReadonlyArray<Announcement>,
): ReadonlyArray<Announcement> => {
  const keys = new Set(others.map(sortKey))
  return all.filter((one) => !keys.has(sortKey(one)))
}

const lineOf = ({ provider, document, header, at, text }: Announcement): string =>
  `${provider} announces for its document "${document}": ${[header, at, text === null ? null : JSON.stringify(text)]
    .filter((part) => part !== null)
    .join(" ")}`

/**
 * Makes the log lines of what is announced anew: each once an hour at most, and a few an hour of one header of a document,
 * however often an upstream changes it.
 */
export const makeAnnouncementLines = () => {
  /** The lines of this hour by provider, document and header, which code alone names. */
  const logged = new Map<string, { readonly sinceMs: number; readonly lines: ReadonlyArray<string> }>()
  return (
    announced: ReadonlyArray<Announcement>,
    before: ReadonlyArray<Announcement>,
    nowMs: number,
  ): ReadonlyArray<string> =>
    without(announced, before).flatMap((one) => {
      const header = JSON.stringify([one.provider, one.document, one.header])
      const known = logged.get(header)
      const { sinceMs, lines } =
        known !== undefined && nowMs - known.sinceMs < LOGGED_AGAIN_MS ? known : { sinceMs: nowMs, lines: [] }
      const line = lineOf(one)
      if (lines.includes(line) || lines.length >= VALUES_MAX) return []
      logged.set(header, { sinceMs, lines: [...lines, line] })
      return [line]
    })
}
