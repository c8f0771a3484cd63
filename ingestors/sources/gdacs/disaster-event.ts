import * as Schema from "effect/Schema"
import { XmlText } from "../../readers/formats.ts"
import { georssPoint, pointOrNull } from "../../readers/georss.ts"
import type { Point } from "../../readers/places.ts"
import { rfc822Ms } from "../../readers/text-dates.ts"
import { decimalOrNull } from "../../readers/text-numbers.ts"
import { Decimal, isoMs, maybe } from "../../readers/wire.ts"

const Flag = Schema.Union([Schema.Boolean, Schema.String])

/** https://www.gdacs.org/gdacsapi/swagger/index.html One shape of one event on the map: its centre, or a track or an area of it. */
export const Feature = Schema.Struct({
  geometry: maybe(Schema.Struct({ type: Schema.String, coordinates: Schema.Unknown })),
  properties: Schema.Struct({
    eventtype: Schema.String,
    eventid: Decimal,
    episodeid: Schema.optionalKey(Schema.Unknown),
    /** Of cyclones, volcanoes and some droughts. */
    eventname: maybe(Schema.String),
    alertlevel: Schema.String,
    iscurrent: maybe(Flag),
    country: maybe(Schema.String),
    iso3: maybe(Schema.String),
    /** ISO 8601 without a zone, in UTC. */
    fromdate: Schema.String,
    todate: maybe(Schema.String),
    datemodified: Schema.String,
    severitydata: maybe(
      Schema.Struct({
        severity: Schema.optionalKey(Schema.Unknown),
        severitytext: maybe(Schema.String),
        severityunit: maybe(Schema.String),
      }),
    ),
  }),
})
export type Feature = typeof Feature.Type

const optionalText = Schema.optionalKey(XmlText)

/** One event in the RSS feed. */
export const Item = Schema.Struct({
  pubDate: optionalText,
  "gdacs:eventtype": XmlText,
  "gdacs:eventid": XmlText,
  "gdacs:episodeid": optionalText,
  "gdacs:eventname": optionalText,
  "gdacs:alertlevel": XmlText,
  "gdacs:iscurrent": optionalText,
  "gdacs:country": optionalText,
  /** Empty for events at sea, whose "country" is a part of it. */
  "gdacs:iso3": optionalText,
  /** RFC 822, here and below. */
  "gdacs:fromdate": XmlText,
  "gdacs:todate": optionalText,
  "gdacs:datemodified": optionalText,
  /** Text with the attributes `unit` and `value`. */
  "gdacs:severity": Schema.optionalKey(Schema.Unknown),
  "georss:point": optionalText,
})
export type Item = typeof Item.Type

/**
 * An event in the form that both documents give alike. What they word differently (titles, addresses, lists of countries) is
 * not taken from either: an event must not change because the other document stands in.
 */
export interface DisasterEvent {
  readonly type: string
  readonly number: number | null
  readonly episode: number | null
  readonly eventName: string
  readonly level: string
  readonly current: boolean | string | null
  readonly country: string
  readonly isAtSea: boolean
  readonly fromMs: number | null
  readonly toMs: number | null
  readonly updatedMs: number | null
  readonly point: Point | null
  readonly severity: { readonly value: number | null; readonly unit: string; readonly text: string }
}

/** The number of a value that is one, or its text. */
const numberOrNull = (value: unknown): number | null =>
  typeof value === "number" ? value : typeof value === "string" ? decimalOrNull(value) : null

const utcMs = (text: string | null | undefined): number | null => isoMs(text) ?? isoMs(`${text}Z`)

/** The centre of an event; other shapes have none. */
const centreOf = ({ geometry }: Feature): Point | null => {
  if (geometry?.type !== "Point" || !Array.isArray(geometry.coordinates)) return null
  const [longitude, latitude] = geometry.coordinates.map((one: unknown) => (typeof one === "number" ? one : null))
  return pointOrNull(latitude ?? null, longitude ?? null)
}

/** The event of a shape on the map. */
export const eventOfFeature = (feature: Feature): DisasterEvent => {
  const { properties: event } = feature
  return {
    type: event.eventtype,
    number: event.eventid,
    episode: numberOrNull(event.episodeid),
    eventName: event.eventname ?? "",
    level: event.alertlevel,
    current: event.iscurrent ?? null,
    country: event.country ?? "",
    isAtSea: (event.iso3 ?? "") === "" && event.eventtype === "EQ",
    fromMs: utcMs(event.fromdate),
    toMs: utcMs(event.todate),
    updatedMs: utcMs(event.datemodified),
    point: centreOf(feature),
    severity: {
      value: numberOrNull(event.severitydata?.severity),
      unit: event.severitydata?.severityunit ?? "",
      text: event.severitydata?.severitytext ?? "",
    },
  }
}

/** An attribute of an element, or its text (`#text`); empty where it has none. */
const attribute = (element: unknown, name: string): string => {
  const members: ReadonlyArray<[string, unknown]> =
    typeof element === "object" && element !== null ? Object.entries(element) : []
  const value = members.find(([key]) => key === name)?.[1]
  return typeof value === "string" ? value : ""
}

/** The event of an item of the feed. */
export const eventOfItem = (item: Item): DisasterEvent => ({
  type: item["gdacs:eventtype"].trim(),
  number: decimalOrNull(item["gdacs:eventid"]),
  episode: decimalOrNull(item["gdacs:episodeid"]),
  eventName: item["gdacs:eventname"] ?? "",
  level: item["gdacs:alertlevel"],
  current: item["gdacs:iscurrent"] ?? null,
  country: item["gdacs:country"] ?? "",
  isAtSea: (item["gdacs:iso3"] ?? "") === "" && item["gdacs:eventtype"] === "EQ",
  fromMs: rfc822Ms(item["gdacs:fromdate"]),
  toMs: rfc822Ms(item["gdacs:todate"]),
  updatedMs: rfc822Ms(item["gdacs:datemodified"] ?? item.pubDate),
  point: georssPoint(item["georss:point"]),
  severity: {
    value: decimalOrNull(attribute(item["gdacs:severity"], "@_value")),
    unit: attribute(item["gdacs:severity"], "@_unit"),
    text: attribute(item["gdacs:severity"], "#text"),
  },
})
