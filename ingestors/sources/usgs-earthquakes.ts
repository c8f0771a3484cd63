import * as Schema from "effect/Schema"
import { instant } from "../../schemas/event.ts"
import type { Parameters } from "../../schemas/feed.ts"
import {
  DEPTH_KM_RANGE,
  type Earthquake,
  earthquakes,
  MAGNITUDE_RANGE,
  seismicEventTypes,
} from "../../schemas/feeds/earthquakes.ts"
import { document, UpstreamError } from "../document.ts"
import { notOurs, unreadable } from "../poll/read.ts"
import { within } from "../readers/numbers.ts"
import { cleanText, cleanTextOrNull, httpUrl } from "../readers/text.ts"
import { EpochMs } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { openTerms } from "../terms.ts"

/** One feature of the GeoJSON summary feeds (`metadata.api` 1.5 to 2.7.0): https://earthquake.usgs.gov/earthquakes/feed/v1.0/geojson.php */
const Feature = Schema.Struct({
  id: Schema.NonEmptyString,
  geometry: Schema.Struct({ coordinates: Schema.Array(Schema.NullOr(Schema.Finite)) }),
  properties: Schema.Struct({
    mag: Schema.NullOr(Schema.Finite),
    place: Schema.NullOr(Schema.String),
    time: EpochMs,
    updated: EpochMs,
    url: Schema.optionalKey(Schema.NullOr(Schema.String)),
    alert: Schema.optionalKey(Schema.NullOr(Schema.String)),
    status: Schema.optionalKey(Schema.NullOr(Schema.String)),
    tsunami: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
    sig: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
    magType: Schema.optionalKey(Schema.NullOr(Schema.String)),
    type: Schema.optionalKey(Schema.NullOr(Schema.String)),
    ids: Schema.optionalKey(Schema.NullOr(Schema.String)),
  }),
})

const FeatureCollection = Schema.Struct({
  type: Schema.Literal("FeatureCollection"),
  metadata: Schema.Struct({
    generated: EpochMs,
    count: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
    url: Schema.optionalKey(Schema.NullOr(Schema.String)),
  }),
  features: Schema.Array(Schema.Unknown),
})

const summary = document({
  format: "json",
  wire: FeatureCollection,
  url: ({ magnitude, period }: Parameters) =>
    `https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/${magnitude}_${period}.geojson`,
  // All magnitudes of a month after a large quake: 9 MB in quiet times.
  bodyBytesMax: 16 * 1024 * 1024,
})

const SUMMARY_URL = /\/summary\/([a-z0-9.]{1,20})_([a-z]{1,20})\.geojson$/

/** The magnitude and period in the address that a list names; null if it names none. */
const listedIn = (url: string | null | undefined): Parameters | null => {
  const [, magnitude, period] = SUMMARY_URL.exec(url ?? "") ?? []
  return magnitude === undefined || period === undefined ? null : { magnitude, period }
}

const isAskedList = (url: string | null | undefined, asked: Parameters): boolean => {
  const listed = listedIn(url)
  const isUnnamed = listed === null || asked.magnitude === undefined
  return isUnnamed || (listed.magnitude === asked.magnitude && listed.period === asked.period)
}

const ID_MAX_CHARACTERS = 64
const WORD_MAX_CHARACTERS = 32
const PLACE_MAX_CHARACTERS = 200

/** The other ids of an event in a list such as `,us6000ldqd,at00s25h5f,`; undefined where there are none. */
const otherIdsOf = (id: string, ids: string | null | undefined): Earthquake["otherIds"] => {
  const [first, ...others] = new Set(
    (ids ?? "")
      .split(",")
      .map((one) => cleanText(one, ID_MAX_CHARACTERS))
      .filter((one) => one !== "" && one !== id),
  )
  return first === undefined ? undefined : [first, ...others]
}

const alerts = ["green", "yellow", "orange", "red"] as const

const earthquake = ({ id, geometry, properties }: typeof Feature.Type) => {
  const type = (properties.type ?? "earthquake").toLowerCase()
  const natural = seismicEventTypes.find((one) => one === type)
  // Quarry blasts, explosions and sonic booms share the catalogue.
  if (natural === undefined) return notOurs
  const [longitude, latitude, depthKm] = geometry.coordinates
  // Some rows of the smallest events have no epicentre.
  if (typeof latitude !== "number" || typeof longitude !== "number") return unreadable("it has no epicentre")
  const otherIds = otherIdsOf(cleanText(id, ID_MAX_CHARACTERS), properties.ids)
  return {
    id: cleanText(id, ID_MAX_CHARACTERS),
    type: natural,
    magnitude: within(properties.mag, MAGNITUDE_RANGE.minimum, MAGNITUDE_RANGE.maximum),
    magnitudeType: cleanTextOrNull(properties.magType, WORD_MAX_CHARACTERS),
    place: cleanTextOrNull(properties.place, PLACE_MAX_CHARACTERS),
    time: instant(properties.time),
    revisedAt: instant(properties.updated),
    latitude,
    longitude,
    depthKm: within(depthKm, DEPTH_KM_RANGE.minimum, DEPTH_KM_RANGE.maximum),
    tsunami: properties.tsunami === 1,
    alert: alerts.find((one) => one === properties.alert) ?? null,
    significance: within(properties.sig, -100_000, 100_000) === null ? null : Math.round(properties.sig ?? 0),
    status: cleanText(properties.status ?? "", WORD_MAX_CHARACTERS),
    url: httpUrl(properties.url),
    ...(otherIds === undefined ? {} : { otherIds }),
  }
}

/** The summary feeds are rebuilt about once a minute; asking for the long ones as often as that would gain nothing. */
const everyByPeriod: Readonly<Record<string, "1 minute" | "2 minutes" | "5 minutes" | "15 minutes">> = {
  hour: "1 minute",
  day: "1 minute",
  week: "5 minutes",
  month: "15 minutes",
}

export default listSource({
  name: "usgs-earthquakes",
  provider: "USGS.earthquakes",
  fills: earthquakes,
  every: ({ period }) => everyByPeriod[period ?? "day"] ?? "1 minute",
  documents: { summary },
  collect: (upstream, { parameters }) => upstream.fetch(summary, parameters),
  rows: ({ metadata, features }, { parameters }) => {
    if (!isAskedList(metadata.url, parameters))
      return new UpstreamError({ message: "the list is of another magnitude or period" })
    return features.length === 0 && (metadata.count ?? 0) > 0
      ? new UpstreamError({ message: "the list is empty, and counts events" })
      : features
  },
  row: Feature,
  toItem: earthquake,
  contentAtMs: ({ metadata }) => metadata.generated,
  recordedParameters: (wire) => {
    const list = Schema.decodeUnknownOption(FeatureCollection)(wire)
    return list._tag === "None" ? null : listedIn(list.value.metadata.url)
  },
  attribution: {
    provider: "U.S. Geological Survey, Earthquake Hazards Program",
    licence: "Public domain (U.S. Government work)",
    url: "https://earthquake.usgs.gov/earthquakes/feed/",
  },
  terms: openTerms(
    "https://www.usgs.gov/information-policies-and-instructions/copyrights-and-credits",
    "Public domain (U.S. Government work)",
  ),
})
