import * as Schema from "effect/Schema"
import { CatalogueRow, EarthquakeRow } from "../../../schemas/feeds/earthquakes.ts"
import { givenFeed, givenId } from "../given.ts"
import { simulatedUpstream, type WorldReply } from "../upstream.ts"
import { quakes } from "../world.ts"

const MINUTE_MS = 60_000
const periodMs: Readonly<Record<string, number>> = {
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
  month: 2_592_000_000,
}
const PATH = /^\/earthquakes\/feed\/v1\.0\/summary\/(significant|4\.5|2\.5|1\.0|all)_(hour|day|week|month)\.geojson$/

/** An entry of the catalogue. */
interface Entry {
  readonly id: string
  readonly type: string
  readonly atMs: number
  readonly revisedAtMs: number
  readonly magnitude: number | null
  readonly latitude: number
  readonly longitude: number
  readonly depthKm: number | null
  readonly place: string | null
  readonly isTsunamigenic: boolean
  readonly url: string | null
}

const entryUrl = (id: string): string => `https://earthquake.usgs.gov/earthquakes/eventpage/${id}`

const feature = ({ id, magnitude, place, type, ...entry }: Entry) => ({
  type: "Feature",
  properties: {
    mag: magnitude,
    place,
    time: entry.atMs,
    updated: entry.revisedAtMs,
    tz: null,
    url: entry.url,
    detail: `https://earthquake.usgs.gov/earthquakes/feed/v1.0/detail/${id}.geojson`,
    felt: null,
    cdi: null,
    mmi: null,
    alert: magnitude === null || magnitude < 4.5 ? null : magnitude >= 6 ? "yellow" : "green",
    status: "reviewed",
    tsunami: entry.isTsunamigenic ? 1 : 0,
    sig: magnitude === null ? null : Math.round(magnitude ** 2 * 15.4),
    net: "tw",
    code: id.slice(2),
    ids: `,${id},`,
    sources: ",tw,",
    types: ",origin,phase-data,",
    nst: 24,
    dmin: 0.3,
    rms: 0.4,
    gap: 80,
    magType: "mww",
    type,
    title: `M ${magnitude ?? "?"} - ${place ?? "unknown place"}`,
  },
  geometry: { type: "Point", coordinates: [entry.longitude, entry.latitude, entry.depthKm] },
  id,
})

/** A list of the catalogue at an instant; null for a path that is none. `between` gives its entries of a stretch, oldest first. */
const listAt = (
  path: string,
  nowMs: number,
  between: (fromMs: number, toMs: number) => ReadonlyArray<Entry>,
): WorldReply | null => {
  const [, magnitude = "", period = ""] = PATH.exec(path) ?? []
  const windowMs = periodMs[period]
  if (windowMs === undefined) return null
  const least = magnitude === "significant" ? 5 : magnitude === "all" ? Number.NEGATIVE_INFINITY : Number(magnitude)
  // The provider rebuilds its files once a minute.
  const generatedMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS
  const features = between(generatedMs - windowMs, generatedMs)
    .filter((entry) => (entry.magnitude ?? Number.NEGATIVE_INFINITY) >= least)
    .reverse()
    .map(feature)
  return {
    body: {
      type: "FeatureCollection",
      metadata: {
        generated: generatedMs,
        url: `https://earthquake.usgs.gov${path}`,
        title: `USGS Magnitude ${magnitude} Earthquakes, Past ${period}`,
        status: 200,
        api: "1.14.1",
        count: features.length,
      },
      features,
    },
  }
}

const { id, type, magnitude, place, time, depth_km, lat, lon, tsunami, url } = CatalogueRow.fields
/** A row of either endpoint: what it leaves out is null, an earthquake, or at the place where both coordinates are 0. */
const GivenQuake = Schema.Struct({
  magnitude,
  time,
  id: Schema.optionalKey(id),
  type: Schema.optionalKey(type),
  place: Schema.optionalKey(place),
  location: Schema.optionalKey(EarthquakeRow.fields.location),
  depth_km: Schema.optionalKey(depth_km),
  lat: Schema.optionalKey(lat),
  lon: Schema.optionalKey(lon),
  tsunami: Schema.optionalKey(tsunami),
  url: Schema.optionalKey(url),
})

const entryOfGiven = (row: typeof GivenQuake.Type): Entry => ({
  id: row.id ?? givenId(row),
  type: row.type ?? "earthquake",
  atMs: Date.parse(row.time),
  revisedAtMs: Date.parse(row.time),
  magnitude: row.magnitude,
  latitude: row.lat ?? 0,
  longitude: row.lon ?? 0,
  depthKm: row.depth_km ?? null,
  place: row.place ?? row.location ?? null,
  isTsunamigenic: row.tsunami ?? false,
  url: row.url ?? null,
})

export default simulatedUpstream({
  name: "usgs-earthquakes",
  hosts: ["earthquake.usgs.gov"],
  answer: ({ path }, world) =>
    listAt(path, world.nowMs, (fromMs, toMs) =>
      quakes(world, fromMs, toMs).map((quake) => ({
        ...quake,
        type: "earthquake",
        isTsunamigenic: quake.magnitude >= 6.5,
        url: entryUrl(quake.id),
      })),
    ),
  given: givenFeed({
    paths: ["/api/earthquake", "/api/climate/earthquakes"],
    item: GivenQuake,
    answer: (rows) => {
      const entries = rows.map(entryOfGiven).sort((one, other) => one.atMs - other.atMs)
      return ({ path }, world) =>
        listAt(path, world.nowMs, (fromMs, toMs) => entries.filter(({ atMs }) => atMs >= fromMs && atMs < toMs))
    },
  }),
})
