import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { instant } from "../../schemas/event.ts"
import type { Parameters } from "../../schemas/feed.ts"
import { type Fire, wildfires } from "../../schemas/feeds/wildfires.ts"
import { document } from "../document.ts"
import { notOurs, type ReadContext, unreadable } from "../poll/read.ts"
import { csvTable } from "../readers/csv.ts"
import { newestMs } from "../readers/instants.ts"
import { cleanTextOrNull } from "../readers/text.ts"
import { isoMs } from "../readers/wire.ts"
import { listSource } from "../source.ts"
import { openTerms } from "../terms.ts"

const Cell = Schema.String
const OptionalCell = Schema.optionalKey(Schema.String)

/**
 * A detection, in each of the layouts: the keyless files of VIIRS and of MODIS, and those of the area interface, which
 * add columns and write confidence and time shorter. https://firms.modaps.eosdis.nasa.gov/descriptions/
 */
const Row = Schema.Struct({
  latitude: Cell,
  longitude: Cell,
  acq_date: Cell,
  acq_time: Cell,
  satellite: Cell,
  confidence: Cell,
  // Landsat's detections have no power.
  frp: OptionalCell,
  version: OptionalCell,
  daynight: OptionalCell,
  bright_ti4: OptionalCell,
  brightness: OptionalCell,
})
type Row = typeof Row.Type

const columns = ["latitude", "longitude", "acq_date", "acq_time", "satellite", "confidence"]

/** Files of the provider's regions that together cover North America; they overlap along the borders. */
const regions = ["Alaska", "Canada", "USA_contiguous_and_Hawaii", "Central_America"] as const

/** The provider's folder and file prefix of each satellite, and what its detections call it once read. */
const satellitesPolled: Readonly<Record<string, { readonly file: string; readonly name: string }>> = {
  "noaa-20": { file: "noaa-20-viirs-c2/csv/J1_VIIRS_C2", name: "NOAA-20" },
  "noaa-21": { file: "noaa-21-viirs-c2/csv/J2_VIIRS_C2", name: "NOAA-21" },
  "suomi-npp": { file: "suomi-npp-viirs-c2/csv/SUOMI_VIIRS_C2", name: "Suomi NPP" },
}

const detections = document({
  format: "csv",
  // An error is one line of text with status 200: without these columns it is none of our documents.
  wire: csvTable(columns, Schema.Unknown),
  url: ({ satellite = "noaa-20", region = "Canada" }: Parameters) =>
    `https://firms.modaps.eosdis.nasa.gov/data/active_fire/${satellitesPolled[satellite]?.file}_${region}_24h.csv`,
})

const satellites: Readonly<Record<string, string>> = {
  T: "Terra",
  A: "Aqua",
  N: "Suomi NPP",
  NPP: "Suomi NPP",
  N20: "NOAA-20",
  1: "NOAA-20",
  N21: "NOAA-21",
  2: "NOAA-21",
}

const DECIMAL = /^[+-]?\d{1,9}(\.\d{0,12})?$/

const number = (cell: string | undefined, minimum: number, maximum: number): number | null => {
  if (cell === undefined || !DECIMAL.test(cell)) return null
  const value = Number(cell)
  return value >= minimum && value <= maximum ? value : null
}

/** `acq_time` is HHMM, in some layouts without its leading zeros. */
const acquiredMs = ({ acq_date, acq_time }: Row): number | null => {
  const time = /^\d{1,4}$/.test(acq_time) ? acq_time.padStart(4, "0") : ""
  return isoMs(`${acq_date}T${time.slice(0, 2)}:${time.slice(2)}Z`)
}

const words: Readonly<Record<string, Fire["confidence"]>> = {
  l: "low",
  low: "low",
  n: "nominal",
  nominal: "nominal",
  m: "nominal",
  h: "high",
  high: "high",
}

const confidenceOf = (cell: string): Pick<Fire, "confidence" | "confidencePercent"> => {
  const percent = number(cell, 0, 100)
  if (percent === null) return { confidence: words[cell.trim().toLowerCase()] ?? null, confidencePercent: null }
  // The agency's own classes of the MODIS percentage.
  return { confidence: percent < 30 ? "low" : percent < 80 ? "nominal" : "high", confidencePercent: percent }
}

/** 208 K is the value of a saturated VIIRS pixel, not a temperature. */
const brightnessOf = ({ bright_ti4, brightness }: Row): number | null => {
  const kelvin = number(bright_ti4 ?? brightness, 200, 2000)
  return kelvin === 208 && bright_ti4 !== undefined ? null : kelvin
}

const instrumentOf = ({ bright_ti4, brightness }: Row): Fire["instrument"] =>
  bright_ti4 !== undefined ? "VIIRS" : brightness !== undefined ? "MODIS" : null

/** From Panama to the Arctic, with Hawaii and the Antilles; the files reach into South America too. */
const inNorthAmerica = ({ latitude, longitude }: Pick<Fire, "latitude" | "longitude">): boolean =>
  latitude >= 7 && longitude <= -50 && !(latitude < 12.6 && longitude > -77.3)

/** The satellite that a recorded answer is of, by its first row. */
const recordedSatellite = (wire: unknown): Parameters | null => {
  const table = Schema.decodeUnknownOption(Schema.Struct({ rows: Schema.Array(Row) }))(wire)
  const code = table._tag === "None" ? undefined : table.value.rows[0]?.satellite
  const found = Object.entries(satellitesPolled).find(([, { name }]) => name === satellites[code ?? ""])
  return found === undefined ? null : { satellite: found[0] }
}

const fireOf = (row: Row, { parameters }: ReadContext) => {
  const latitude = number(row.latitude, -90, 90)
  const longitude = number(row.longitude, -180, 180)
  const atMs = acquiredMs(row)
  const code = cleanTextOrNull(row.satellite, 40)
  if (latitude === null || longitude === null || atMs === null || code === null)
    return unreadable("its place, time or satellite cannot be read")
  const satellite = satellites[code] ?? code
  const asked = satellitesPolled[parameters.satellite ?? ""]
  if (asked !== undefined && asked.name !== satellite)
    return unreadable("it is of another satellite than was asked for")
  if (!inNorthAmerica({ latitude, longitude })) return notOurs
  return {
    latitude,
    longitude,
    acquiredAt: instant(atMs),
    satellite,
    instrument: instrumentOf(row),
    ...confidenceOf(row.confidence),
    radiativePowerMw: number(row.frp, 0, 100_000),
    brightnessK: brightnessOf(row),
    daytime: row.daynight === "D" ? true : row.daynight === "N" ? false : null,
    version: cleanTextOrNull(row.version, 20),
  }
}

export default listSource({
  name: "nasa-firms",
  provider: ({ satellite = "" }) => `NASA.fires_${satellite.replaceAll("-", "_")}`,
  fills: wildfires,
  every: "15 minutes",
  documents: { detections },
  collect: (upstream, { parameters }) =>
    Effect.forEach(regions, (region) => upstream.fetch(detections, { ...parameters, region }), { concurrency: 2 }),
  rows: (tables) => tables.flatMap(({ rows }) => rows),
  row: Row,
  toItem: fireOf,
  contentAtMs: (_, read) => newestMs(read.map(({ item }) => item.acquiredAt)),
  recordedParameters: recordedSatellite,
  attribution: {
    provider: "NASA LANCE FIRMS",
    licence: "Free and open (NASA EOSDIS data use policy), acknowledgement requested",
    url: "https://www.earthdata.nasa.gov/data/tools/firms",
  },
  terms: openTerms(
    "https://www.earthdata.nasa.gov/learn/use-data/data-use-policy",
    "Free and open (NASA EOSDIS data use policy), acknowledgement requested",
    {
      credit:
        "We acknowledge the use of data from NASA's FIRMS (https://earthdata.nasa.gov/firms), part of NASA's Earth Science Data and Information System (ESDIS).",
    },
  ),
})
