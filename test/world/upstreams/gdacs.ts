import { simulatedUpstream } from "../upstream.ts"
import { type Quake, quakes, type World } from "../world.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Quakes of the world are small; this is the weakest that is listed. */
const MAGNITUDE_MIN = 3
const QUAKES_LISTED_MS = 4 * DAY_MS

/** A disaster of the world. */
export interface WorldDisaster {
  readonly type: "EQ" | "TC" | "FL" | "VO" | "DR" | "WF"
  readonly number: number
  readonly episode: number
  readonly name: string
  readonly eventName: string
  readonly level: "Green" | "Orange" | "Red"
  readonly isCurrent: boolean
  readonly country: string
  /** Empty for a part of the sea. */
  readonly iso3: string
  readonly countries: ReadonlyArray<string>
  readonly fromMs: number
  readonly toMs: number
  readonly updatedMs: number
  readonly latitude: number
  readonly longitude: number
  readonly severity: { readonly value: number; readonly unit: string; readonly text: string }
}

const levelOf = (share: number): WorldDisaster["level"] => (share < 0.8 ? "Green" : share < 0.95 ? "Orange" : "Red")
const second = (ms: number): number => Math.floor(ms / 1000) * 1000

const ofQuake = (world: World, { id, atMs, magnitude, place, latitude, longitude, depthKm }: Quake): WorldDisaster => ({
  type: "EQ",
  number: Number.parseInt(id.slice(2, 8), 16),
  episode: 1,
  name: `Earthquake in ${place.replace(/^\d+ km \w+ of /, "South Of ")}`,
  eventName: "",
  level: levelOf(world.random("disaster", id)),
  isCurrent: atMs > world.nowMs - 2 * DAY_MS,
  country: place.replace(/^\d+ km \w+ of /, "South Of "),
  iso3: "",
  countries: [],
  fromMs: second(atMs),
  toMs: second(atMs),
  updatedMs: second(atMs + 20 * 60_000),
  latitude,
  longitude,
  severity: { value: magnitude, unit: "M", text: `Magnitude ${magnitude}M, Depth:${depthKm}km` },
})

const places = [
  ["Syldavia", "SYL", 45.2, 20.6],
  ["Borduria", "BDR", 46.1, 21.9],
  ["San Theodoros", "SNT", -12.4, -61.3],
  ["Khemed", "KHM", 27.5, 41.8],
  ["Qurac", "QRC", -4.459, 13.597],
] as const

/** Disasters that last: each begins once in a while, is reported on every day, and its level follows its course. */
const lasting = (
  world: World,
  type: "TC" | "FL" | "WF" | "VO",
  perHour: number,
  lastsDays: number,
): ReadonlyArray<WorldDisaster> =>
  world
    .happenings(`disaster ${type}`, perHour, world.nowMs - lastsDays * DAY_MS, world.nowMs)
    .map(({ id, atMs, random }) => {
      const [country, iso3, latitude, longitude] = places[Math.floor(random("place") * places.length)] ?? places[0]
      const daysOld = Math.floor((world.nowMs - atMs) / DAY_MS)
      const updatedMs = second(atMs + daysOld * DAY_MS)
      const area = Math.round(5_000 + random("area") * 20_000) + 500 * daysOld
      const wind = Math.round((70 + random("wind") * 120) * 1e4) / 1e4
      const eventName = type === "TC" ? `KESTREL-${id.slice(0, 2)}` : type === "VO" ? "Little Kurat" : ""
      return {
        type,
        number: 1_000_000 + Number.parseInt(id.slice(0, 6), 16),
        episode: daysOld + 1,
        name: {
          TC: `Tropical Cyclone ${eventName}`,
          FL: `Flood in ${country}`,
          WF: `Forest fires in ${country}`,
          VO: `Eruption ${eventName}`,
        }[type],
        eventName,
        level: levelOf(Math.min(0.99, random("level") + 0.02 * daysOld)),
        isCurrent: daysOld < lastsDays - 1,
        country: type === "TC" ? `${country}, Sondonesia` : country,
        iso3,
        countries: type === "WF" ? [] : type === "TC" ? [country, "Sondonesia"] : [country],
        fromMs: second(atMs),
        toMs: updatedMs,
        updatedMs,
        latitude,
        longitude,
        severity: {
          TC: { value: wind, unit: "km/h", text: `Tropical Storm (maximum wind speed of ${Math.round(wind)} km/h)` },
          FL: { value: 0, unit: "", text: "Magnitude 0 " },
          WF: { value: area, unit: "ha", text: `Green impact for forestfire in ${area} ha` },
          VO: { value: 0, unit: "", text: "" },
        }[type],
      }
    })

/** Two droughts that never end: they are updated every day, and are never flagged as current. */
const droughts = (world: World): ReadonlyArray<WorldDisaster> =>
  places.slice(3).map(([country, iso3, latitude, longitude], index) => {
    const updatedMs = Math.floor((world.nowMs - 6 * HOUR_MS) / DAY_MS) * DAY_MS + 6 * HOUR_MS
    const area = 113_651 + index * 500_000
    return {
      type: "DR",
      number: 1_018_344 + index,
      episode: Math.floor(updatedMs / DAY_MS) % 1_000,
      name: `Drought in ${country}, Nuevo Rico`,
      eventName: `${country}-2025`,
      level: index === 0 ? "Green" : "Orange",
      isCurrent: false,
      country: `${country}, Nuevo Rico`,
      iso3,
      countries: [country, "Nuevo Rico"],
      fromMs: Math.floor((updatedMs - 200 * DAY_MS) / DAY_MS) * DAY_MS,
      toMs: Math.floor(updatedMs / DAY_MS) * DAY_MS,
      updatedMs,
      latitude,
      longitude,
      severity: { value: area, unit: "km2", text: `Minor impact for agricultural drought in ${area} km2` },
    }
  })

/** The disasters that the world's system lists, each once. */
export const listedDisasters = (world: World): ReadonlyArray<WorldDisaster> => {
  const strong = quakes(world, world.nowMs - QUAKES_LISTED_MS, world.nowMs - HOUR_MS).filter(
    ({ magnitude }) => magnitude >= MAGNITUDE_MIN,
  )
  const all = [
    ...strong.map((quake) => ofQuake(world, quake)),
    ...lasting(world, "WF", 0.2, 8),
    ...lasting(world, "FL", 0.05, 12),
    ...lasting(world, "TC", 0.02, 9),
    ...lasting(world, "VO", 0.01, 10),
    ...droughts(world),
  ]
  return [...new Map(all.map((one) => [`${one.type}${one.number}`, one])).values()]
}

const withoutZone = (ms: number): string => new Date(ms).toISOString().slice(0, 19)
const pageOf = ({ type, number, episode }: WorldDisaster): string =>
  `https://www.gdacs.org/report.aspx?eventid=${number}&episodeid=${episode}&eventtype=${type}`

/** The shapes of an event on the map: a cyclone has its cone and its track before its centre. */
const features = (one: WorldDisaster): ReadonlyArray<object> => {
  const shape = (label: string, geometry: object) => ({
    type: "Feature",
    geometry,
    properties: {
      eventtype: one.type,
      eventid: one.number,
      episodeid: one.episode,
      eventname: one.eventName,
      name: one.name,
      description: one.name,
      url: {
        report: pageOf(one),
        details: `https://www.gdacs.org/gdacsapi/api/events/geteventdata?eventid=${one.number}`,
      },
      alertlevel: one.level,
      episodealertlevel: one.level,
      istemporary: "false",
      iscurrent: String(one.isCurrent),
      country: one.country,
      fromdate: withoutZone(one.fromMs),
      todate: withoutZone(one.toMs),
      datemodified: withoutZone(one.updatedMs),
      iso3: one.iso3,
      polygonlabel: label,
      Class: `${label === "Centroid" ? "Point" : "Poly"}_${label}`,
      affectedcountries: one.countries.map((countryname) => ({ iso2: "", iso3: "", countryname })),
      severitydata: {
        severity: one.severity.value,
        severitytext: one.severity.text,
        severityunit: one.severity.unit,
      },
    },
  })
  const centre = shape("Centroid", { type: "Point", coordinates: [one.longitude, one.latitude] })
  const cone = shape("Cones", {
    type: "Polygon",
    coordinates: [
      [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 0],
      ],
    ],
  })
  return one.type === "TC" ? [cone, centre] : [centre]
}

const rfc822 = (ms: number): string => new Date(ms).toUTCString()

const item = (one: WorldDisaster): string => {
  const { value, unit, text } = one.severity
  const severity = `<gdacs:severity unit="${unit}" value="${value}"${text === "" ? " />" : `>${text}</gdacs:severity>`}`
  return [
    "    <item>",
    `      <title>${one.level} alert: ${one.name}</title>`,
    `      <description>${one.name}, with its consequences.</description>`,
    "      <gdacs:temporary>false</gdacs:temporary>",
    `      <link>${pageOf(one).replaceAll("&", "&amp;")}</link>`,
    `      <pubDate>${rfc822(one.updatedMs)}</pubDate>`,
    `      <gdacs:datemodified>${rfc822(one.updatedMs)}</gdacs:datemodified>`,
    `      <gdacs:iscurrent>${one.isCurrent}</gdacs:iscurrent>`,
    `      <gdacs:fromdate>${rfc822(one.fromMs)}</gdacs:fromdate>`,
    `      <gdacs:todate>${rfc822(one.toMs)}</gdacs:todate>`,
    `      <guid isPermaLink="false">${one.type}${one.number}</guid>`,
    `      <geo:Point>\r\n        <geo:lat>${one.latitude}</geo:lat>\r\n        <geo:long>${one.longitude}</geo:long>\r\n      </geo:Point>`,
    `      <georss:point>${one.latitude} ${one.longitude}</georss:point>`,
    `      <gdacs:eventtype>${one.type}</gdacs:eventtype>`,
    `      <gdacs:alertlevel>${one.level}</gdacs:alertlevel>`,
    one.eventName === "" ? "      <gdacs:eventname />" : `      <gdacs:eventname>${one.eventName}</gdacs:eventname>`,
    `      <gdacs:eventid>${one.number}</gdacs:eventid>`,
    `      <gdacs:episodeid>${one.episode}</gdacs:episodeid>`,
    `      ${severity}`,
    one.iso3 === "" ? "      <gdacs:iso3 />" : `      <gdacs:iso3>${one.iso3}</gdacs:iso3>`,
    `      <gdacs:country>${one.country}</gdacs:country>`,
    "    </item>",
  ].join("\r\n")
}

const rss = (world: World): string =>
  [
    '\ufeff<?xml version="1.0" encoding="utf-8"?>',
    '<rss version="2.0" xmlns:geo="http://www.w3.org/2003/01/geo/wgs84_pos#" xmlns:gdacs="http://www.gdacs.org" xmlns:georss="http://www.georss.org/georss">',
    "  <channel>",
    "    <title>GDACS RSS information</title>",
    `    <pubDate>${rfc822(world.nowMs)}</pubDate>`,
    ...listedDisasters(world).map(item),
    "  </channel>",
    "</rss>",
  ].join("\r\n")

export default simulatedUpstream({
  name: "gdacs",
  hosts: ["www.gdacs.org"],
  answer: ({ path }, world) => {
    if (path === "/gdacsapi/api/events/geteventlist/MAP")
      return { body: { type: "FeatureCollection", features: listedDisasters(world).flatMap(features) } }
    return path === "/xml/rss.xml" ? { contentType: "text/xml", body: rss(world) } : null
  },
})
