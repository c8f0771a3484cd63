import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { instant } from "../../schemas/event.ts"
import {
  ALERT_AREA_MAX_CHARACTERS,
  ALERT_DESCRIPTION_MAX_CHARACTERS,
  alertCertainties,
  alertMessageTypes,
  alertSeverities,
  alertStatuses,
  alertUrgencies,
  weatherAlerts,
} from "../../schemas/feeds/weather-alerts.ts"
import { type CollectFailed, document, type Upstream, UpstreamError } from "../document.ts"
import { unreadable } from "../poll/read.ts"
import { instantOrNull } from "../readers/instants.ts"
import { cleanText, cleanTextOrNull, httpUrl } from "../readers/text.ts"
import { IsoTime, isoMs, maybe } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { openTerms } from "../terms.ts"

/**
 * https://www.weather.gov/documentation/services-web-api GeoJSON of the alerts in force. Words that the standard does not
 * know count as Unknown; a status or a kind of message that it does not know makes the alert unreadable.
 */
const Alert = Schema.Struct({
  properties: Schema.Struct({
    id: Schema.NonEmptyString,
    areaDesc: Schema.String,
    geocode: maybe(Schema.Struct({ UGC: maybe(Schema.Array(Schema.String)) })),
    sent: IsoTime,
    effective: IsoTime,
    onset: maybe(Schema.String),
    expires: IsoTime,
    ends: maybe(Schema.String),
    status: Schema.Literals(alertStatuses),
    messageType: Schema.Literals(alertMessageTypes),
    category: maybe(Schema.String),
    severity: maybe(Schema.String),
    certainty: maybe(Schema.String),
    urgency: maybe(Schema.String),
    event: Schema.String,
    senderName: maybe(Schema.String),
    headline: maybe(Schema.String),
    description: maybe(Schema.String),
    web: maybe(Schema.String),
  }),
})
type Alert = typeof Alert.Type

const Page = Schema.Struct({
  title: Schema.String,
  updated: maybe(Schema.String),
  features: Schema.Array(Schema.Unknown),
  pagination: maybe(Schema.Struct({ next: maybe(Schema.String) })),
})
type Page = typeof Page.Type

const FIRST = "https://api.weather.gov/alerts/active"
/** Addresses of further pages must have this form, so that an answer cannot choose another host. */
const PAGE = /^https:\/\/api\.weather\.gov\/alerts(\/active)?\?[^\s#]{1,2000}$/
const PAGES_MAX = 10
/** The title of the list; other lists, such as that of one zone, have another title. */
const TITLE = /^current watches, warnings,? and advisories/i

const page = document({
  format: "json",
  wire: Page,
  url: (next: string | null) => next ?? FIRST,
  headers: { accept: "application/geo+json" },
  // An alert is some 4.5 KB: as many as a payload holds may come in one page.
  bodyBytesMax: 16 * 1024 * 1024,
})

const known = <const Words extends ReadonlyArray<string>>(
  words: Words,
  text: string | null | undefined,
): Words[number] | "Unknown" => words.find((word) => word === text) ?? "Unknown"

const ZONE = /^[A-Z]{2}[CZ](\d{3}|ALL)$/

const weatherAlert = ({ properties: alert }: Alert) => {
  const areaDescription = cleanText(alert.areaDesc, ALERT_AREA_MAX_CHARACTERS)
  const event = cleanText(alert.event, 100)
  if (event === "" || areaDescription === "") return unreadable("it names no event or no area")
  // With an unreadable end the alert would end with its message, possibly before the hazard does.
  if (typeof alert.ends === "string" && isoMs(alert.ends) === null) return unreadable("its end is no time")
  return {
    id: cleanText(alert.id, 200),
    event,
    status: alert.status,
    messageType: alert.messageType,
    severity: known(alertSeverities, alert.severity),
    urgency: known(alertUrgencies, alert.urgency),
    certainty: known(alertCertainties, alert.certainty),
    category: cleanText(alert.category ?? "", 40) || "Unknown",
    headline: cleanTextOrNull(alert.headline, 280),
    description: cleanTextOrNull(alert.description, ALERT_DESCRIPTION_MAX_CHARACTERS),
    areaDescription,
    zones: [...new Set(alert.geocode?.UGC ?? [])].filter((zone) => ZONE.test(zone)),
    sent: instant(alert.sent),
    effective: instant(alert.effective),
    onset: instantOrNull(isoMs(alert.onset)),
    expires: instant(alert.expires),
    ends: instantOrNull(isoMs(alert.ends)),
    senderName: cleanText(alert.senderName ?? "", 120) || "National Weather Service",
    web: httpUrl(alert.web),
  }
}

const newest = (pages: ReadonlyArray<Page>): number | null => {
  const times = pages.flatMap(({ updated }) => isoMs(updated) ?? [])
  return times.length === 0 ? null : Math.max(...times)
}

const collect = Effect.fnUntraced(function* (upstream: Upstream): Effect.fn.Return<ReadonlyArray<Page>, CollectFailed> {
  const pages: Array<Page> = []
  let next: string | null = null
  do {
    const one: Page = yield* upstream.fetch(page, next)
    pages.push(one)
    next = one.pagination?.next ?? null
    if (next !== null && !PAGE.test(next))
      return yield* new UpstreamError({ message: "the next page is not one of this list" })
  } while (next !== null && pages.length < PAGES_MAX)
  // A list that is too long is refused, not cut: a missing alert misleads.
  return next === null ? pages : yield* new UpstreamError({ message: `the list has more than ${PAGES_MAX} pages` })
})

export default listSource({
  name: "nws-alerts",
  provider: "NWS.alerts",
  fills: weatherAlerts,
  every: "1 minute",
  documents: { page },
  collect,
  rows: (pages) =>
    pages.some(({ title }) => !TITLE.test(title))
      ? new UpstreamError({ message: "the answer is not the list of all active alerts" })
      : pages.flatMap(({ features }) => features),
  row: Alert,
  toItem: weatherAlert,
  contentAtMs: newest,
  // An alert that moves from one page to the next while they are fetched stands in both.
  facts: (_, read) => ({ total: new Set(read.map(({ item }) => item.id)).size }),
  attribution: {
    provider: "US National Weather Service",
    licence: "US government work, public domain",
    url: "https://www.weather.gov/documentation/services-web-api",
  },
  terms: openTerms("https://www.weather.gov/disclaimer", "US government work, public domain"),
})
