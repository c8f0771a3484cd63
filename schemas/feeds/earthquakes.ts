import { Schema } from "effect"
import { Latitude, Longitude } from "../coordinates.ts"
import { choice, endpoint } from "../endpoint.ts"
import { Instant } from "../event.ts"
import { feed, type Parameters } from "../feed.ts"

/** One seismic event as a seismological agency has catalogued it, revised as it learns more. */
export const Earthquake = Schema.Struct({
  id: Schema.NonEmptyString,
  /** Null while the agency has not computed one. Negative for very small events. */
  magnitude: Schema.NullOr(Schema.Finite),
  magnitudeType: Schema.NullOr(Schema.String),
  place: Schema.NullOr(Schema.String),
  /** Origin time. */
  time: Instant,
  /** When the agency last revised the event. */
  revisedAt: Instant,
  latitude: Latitude,
  longitude: Longitude,
  depthKm: Schema.NullOr(Schema.Finite),
  tsunami: Schema.Boolean,
  /** PAGER impact colour. */
  alert: Schema.NullOr(Schema.Literals(["green", "yellow", "orange", "red"])),
  significance: Schema.NullOr(Schema.Int),
  status: Schema.String,
  url: Schema.NullOr(Schema.String),
})
export type Earthquake = typeof Earthquake.Type

/** Magnitude thresholds and periods of the selectable feeds. */
export const magnitudes = ["significant", "4.5", "2.5", "1.0", "all"] as const
export const periods = ["hour", "day", "week", "month"] as const

/** All twenty instances of the feed. */
export const earthquakeInstances: ReadonlyArray<Parameters> = periods.flatMap((period) =>
  magnitudes.map((magnitude) => ({ magnitude, period })),
)

/** The instance behind the plain endpoint, the briefing and the history of small quakes' bigger siblings. */
export const DAILY = { magnitude: "2.5", period: "day" } as const

export const earthquakes = feed({
  name: "earthquakes",
  description: "Earthquakes of a magnitude threshold and a period, newest first.",
  payload: Schema.Struct({ items: Schema.Array(Earthquake) }),
  items: (payload) => payload.items,
  key: (item) => item.id,
  revision: (item) => item.revisedAt,
  contentAgeMax: "30 minutes",
  // The instances overlap; the one that holds every quake of the last day tells of each change once.
  tellsChanges: ({ magnitude, period }) => magnitude === "all" && period === "day",
})

/** One earthquake as the plain endpoint and the briefing tell it. */
export const EarthquakeRow = Schema.Struct({
  magnitude: Schema.NullOr(Schema.Finite).annotate({ description: "Magnitude, as the agency prefers it" }),
  location: Schema.NullOr(Schema.String).annotate({ description: "Nearest place, in words" }),
  time: Instant.annotate({ description: "Origin time" }),
  depth_km: Schema.NullOr(Schema.Finite).annotate({ description: "Depth in kilometres" }),
})

const CatalogueRow = Schema.Struct({
  id: Schema.NonEmptyString,
  magnitude: Schema.NullOr(Schema.Finite),
  place: Schema.NullOr(Schema.String),
  time: Instant,
  depth_km: Schema.NullOr(Schema.Finite),
  lat: Latitude,
  lon: Longitude,
  tsunami: Schema.Boolean.annotate({ description: "Large event in an oceanic region; not that a tsunami exists" }),
  url: Schema.NullOr(Schema.String).annotate({ description: "Detail page" }),
})

export const earthquakeEndpoint = endpoint({
  path: "/api/earthquake",
  name: "earthquake",
  kind: "prepared",
  tier: "free",
  ttl: "2 minutes",
  summary: "Earthquakes of the last 24 hours, magnitude 2.5 and above",
  description: "Newest first, worldwide.",
  parameters: {},
  data: Schema.Struct({ count: Schema.Natural, earthquakes: Schema.Array(EarthquakeRow) }),
  example: {
    count: 1,
    earthquakes: [
      { magnitude: 4.6, location: "100 km S of Kodiak, Alaska", time: "2026-08-17T20:33:01.000Z", depth_km: 21.4 },
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
  }),
  example: {
    magnitude: "2.5",
    period: "day",
    count: 1,
    earthquakes: [
      {
        id: "ak026ajvbbqk",
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
