import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { clause, counted, largest, marksOf, none, timeText, unknown } from "../contract/glance.ts"
import { choice } from "../contract/parameters.ts"
import { barSeries, countsBy } from "../contract/plot.ts"
import { Instant } from "../event.ts"
import { listFeed, type Parameters } from "../feed.ts"
import { Latitude, Longitude } from "../values.ts"

/** Natural events of the catalogue. Quarry blasts, explosions and sonic booms share it, and are left out. */
export const seismicEventTypes = [
  "earthquake",
  "volcanic eruption",
  "volcanic explosion",
  "landslide",
  "ice quake",
  "avalanche",
  "snow avalanche",
  "debris avalanche",
  "rock avalanche",
] as const
const SeismicEventType = Schema.Literals(seismicEventTypes)

/** Magnitudes and depths beyond these are mistakes: the largest ever measured is 9.5, the deepest some 750 km. */
export const MAGNITUDE_RANGE = { minimum: -2, maximum: 10 } as const
export const DEPTH_KM_RANGE = { minimum: -10, maximum: 800 } as const
const Magnitude = Schema.Finite.check(Schema.isBetween(MAGNITUDE_RANGE))
const DepthKm = Schema.Finite.check(Schema.isBetween(DEPTH_KM_RANGE))

/** Ids of one event, its own left out: one of each network that reported it. An event of more cannot be read. */
const OTHER_IDS_MAX = 100

/** One seismic event as a seismological agency has catalogued it, revised as it learns more. */
export const Earthquake = Schema.Struct({
  id: Schema.NonEmptyString,
  type: SeismicEventType,
  /** Null while the agency has not computed one. Negative for very small events. */
  magnitude: Schema.NullOr(Magnitude),
  magnitudeType: Schema.NullOr(Schema.String),
  place: Schema.NullOr(Schema.String),
  /** Origin time. */
  time: Instant,
  /** When the agency last revised the event. */
  revisedAt: Instant,
  latitude: Latitude,
  longitude: Longitude,
  /** Below sea level; negative above it. */
  depthKm: Schema.NullOr(DepthKm),
  tsunami: Schema.Boolean,
  /** PAGER impact colour. */
  alert: Schema.NullOr(Schema.Literals(["green", "yellow", "orange", "red"])),
  significance: Schema.NullOr(Schema.Int),
  status: Schema.String,
  url: Schema.NullOr(Schema.String),
  /**
   * Ids of the same event at other networks, present where there are any. When the preferred network changes, the event is
   * listed under another id, and its former one is among these.
   */
  otherIds: Schema.optionalKey(Schema.NonEmptyArray(Schema.NonEmptyString).check(Schema.isMaxLength(OTHER_IDS_MAX))),
})
export type Earthquake = typeof Earthquake.Type

/** Magnitude thresholds and periods of the selectable feeds. */
export const magnitudes = ["significant", "4.5", "2.5", "1.0", "all"] as const
export const periods = ["hour", "day", "week", "month"] as const

/** All twenty instances of the feed. */
export const earthquakeInstances: ReadonlyArray<Parameters> = periods.flatMap((period) =>
  magnitudes.map((magnitude) => ({ magnitude, period })),
)

/** Magnitude 2.5 and above, last day: served by `/api/earthquake` and the briefings. */
export const DAILY = { magnitude: "2.5", period: "day" } as const

/** Magnitude 4.5 and above, which is felt, last month: drawn by the day on the page of the feed. */
const MONTHLY = { magnitude: "4.5", period: "month" } as const

/** A month of all magnitudes holds some 12,000 events, that of a large aftershock sequence more. */
export const EARTHQUAKES_MAX = 20_000

export const earthquakes = listFeed({
  name: "earthquakes",
  instances: earthquakeInstances,
  description: "Earthquakes and other natural seismic events of a magnitude threshold and a period, newest first.",
  item: Earthquake,
  itemsMax: EARTHQUAKES_MAX,
  key: (item) => item.id,
  publishesGone: false,
  order: (one, other) => (one.time < other.time ? 1 : one.time > other.time ? -1 : 0),
  revision: (item) => item.revisedAt,
  happenedAt: (item) => item.time,
  contentAgeMax: "30 minutes",
  // The instances overlap: twenty windows on one catalogue. Only the one that holds every event of the last day publishes
  // changes.
  judgedAs: "one",
  publishesChanges: ({ magnitude, period }) => magnitude === "all" && period === "day",
})

const TypeMember = SeismicEventType.annotate({ description: "Kind of event, in the agency's words" })
const MagnitudeMember = Schema.NullOr(Magnitude).annotate({ description: "Magnitude, as the agency prefers it" })
const DepthMember = Schema.NullOr(DepthKm).annotate({ description: "Depth below sea level in kilometres" })

/** One earthquake in the plain endpoint and the briefing. */
export const EarthquakeRow = Schema.Struct({
  type: TypeMember,
  magnitude: MagnitudeMember,
  location: Schema.NullOr(Schema.String).annotate({ description: "Nearest place, in words" }),
  time: Instant.annotate({ description: "Origin time" }),
  depth_km: DepthMember,
})
export type EarthquakeRow = typeof EarthquakeRow.Type

/** One earthquake in the endpoint with all magnitudes and periods. */
export const CatalogueRow = Schema.Struct({
  id: Schema.NonEmptyString,
  type: TypeMember,
  magnitude: MagnitudeMember,
  place: Schema.NullOr(Schema.String),
  time: Instant,
  depth_km: DepthMember,
  lat: Latitude,
  lon: Longitude,
  tsunami: Schema.Boolean.annotate({ description: "Large event in an oceanic region; not that a tsunami exists" }),
  url: Schema.NullOr(Schema.String).annotate({ description: "Detail page" }),
})

/** A magnitude as seismologists write it: "M 6.1". */
const magnitudeText = (magnitude: number): string => `M ${magnitude.toFixed(1)}`

/** One event in one line. */
const quakeTitle = ({ type, magnitude, place }: typeof CatalogueRow.Type): string =>
  clause(magnitude === null ? type : magnitudeText(magnitude), place)

/** The thresholds in words. */
const magnitudeWords: Readonly<Record<(typeof magnitudes)[number], string>> = {
  significant: "significant",
  "4.5": "from magnitude 4.5",
  "2.5": "from magnitude 2.5",
  "1.0": "from magnitude 1.0",
  all: "of all magnitudes",
}

export const earthquakeEndpoint = endpoint({
  path: "/api/earthquake",
  name: "earthquake",
  kind: "prepared",
  tier: "free",
  subject: "earth",
  ttl: "2 minutes",
  summary: "Earthquakes of the last 24 hours, magnitude 2.5 and above",
  description: "Newest first, worldwide. Volcanic eruptions, landslides, ice quakes and avalanches are listed too.",
  parameters: {},
  data: Schema.Struct({ count: Schema.Natural, earthquakes: Schema.Array(EarthquakeRow) }),
  glance: {
    title: "Strongest earthquake",
    headline: ({ count, earthquakes }) => {
      if (count === 0) return none("No earthquake of magnitude 2.5 or above in 24 hours")
      const all = `of ${counted(count, "event")} of 24 hours`
      const strongest = largest(earthquakes, ({ magnitude }) => magnitude)
      if (strongest === null) return unknown(`No magnitude ${all} is known yet`)
      const { location, time } = strongest.item
      return { value: magnitudeText(strongest.value), unit: null, note: clause(location, timeText(time), all) }
    },
    plots: ({ earthquakes }) => [
      barSeries(
        "Quakes of magnitude 2.5 and above an hour, by when they happened",
        null,
        countsBy(
          "hour",
          earthquakes.map(({ time }) => time),
        ),
      ),
    ],
  },
  example: {
    count: 1,
    earthquakes: [
      {
        type: "earthquake",
        magnitude: 4.6,
        location: "100 km S of Kodiak, Alaska",
        time: "2026-08-17T20:33:01.000Z",
        depth_km: 21.4,
      },
    ],
  },
})

const cacheByPeriod: Readonly<Record<string, string>> = {
  hour: "60 seconds",
  day: "120 seconds",
  week: "300 seconds",
  month: "900 seconds",
}

export const climateEarthquakesEndpoint = endpoint({
  path: "/api/climate/earthquakes",
  name: "climate_earthquakes",
  kind: "prepared",
  tier: "free",
  subject: "earth",
  ttl: ({ period }) => (cacheByPeriod[period ?? "day"] ?? "120 seconds") as `${number} seconds`,
  summary: "Earthquakes by magnitude threshold and period",
  description: "Twenty selectable feeds, newest first, with coordinates and a tsunami flag.",
  parameters: {
    magnitude: choice(magnitudes, {
      default: "2.5",
      description: "Least magnitude, or those that the agency calls significant",
    }),
    period: choice(periods, { default: "day", description: "How far back the list goes" }),
  },
  data: Schema.Struct({
    magnitude: Schema.Literals(magnitudes),
    period: Schema.Literals(periods),
    count: Schema.Natural,
    earthquakes: Schema.Array(CatalogueRow),
    total: Schema.optionalKey(
      Schema.Natural.annotate({ description: "How many the whole list holds; with limit or cursor only" }),
    ),
    next: Schema.optionalKey(
      Schema.NullOr(Schema.NonEmptyString).annotate({
        description: "Address of the next page; null on the last one. With limit or cursor only",
      }),
    ),
  }),
  paging: { list: "earthquakes", by: "time", key: "id", limitMax: 1_000 },
  changes: [{ feed: earthquakes, magnitude: "magnitude", latitude: "lat", longitude: "lon", title: quakeTitle }],
  glance: {
    title: "Earthquakes",
    headline: ({ magnitude, period, count, earthquakes: [latest] }) => {
      const which = `${magnitudeWords[magnitude]}, last ${period}`
      return latest === undefined
        ? none(which)
        : { value: count, unit: null, note: clause(which, `the latest ${quakeTitle(latest)}`) }
    },
    marks: ({ earthquakes }) =>
      marksOf(earthquakes, (quake) => ({
        title: quakeTitle(quake),
        // Magnitude 2 is hardly felt, 8 destroys.
        weight: quake.magnitude === null ? 0 : (quake.magnitude - 2) / 6,
        at: quake.time,
      })),
    plotsOf: [
      {
        parameters: MONTHLY,
        plots: ({ earthquakes }) => [
          barSeries(
            `Quakes of magnitude ${MONTHLY.magnitude} and above a day, by when they happened`,
            null,
            countsBy(
              "day",
              earthquakes.map(({ time }) => time),
            ),
          ),
        ],
      },
    ],
  },
  example: {
    magnitude: "2.5",
    period: "day",
    count: 1,
    earthquakes: [
      {
        id: "ak026ajvbbqk",
        type: "earthquake",
        magnitude: 4.6,
        place: "100 km S of Kodiak, Alaska",
        time: "2026-08-17T20:33:01.000Z",
        depth_km: 21.4,
        lat: 57.2,
        lon: -154.8,
        tsunami: false,
        url: "https://earthquake.usgs.gov/earthquakes/eventpage/ak026ajvbbqk",
      },
    ],
  },
})
