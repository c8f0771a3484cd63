import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { instant } from "../../schemas/event.ts"
import { type SpaceMeasurements, spaceWeather } from "../../schemas/feeds/space-weather.ts"
import { asSingle } from "../../schemas/number.ts"
import { document, independently, UpstreamError } from "../document.ts"
import { AHEAD_MAX_MS } from "../readers/instants.ts"
import { recentKp } from "../readers/kp-intervals.ts"
import { within } from "../readers/numbers.ts"
import { standingAlerts } from "../readers/space-messages.ts"
import { Decimal, isoMs, maybe } from "../readers/wire.ts"
import { valueSource } from "../source.ts"
import { openTerms } from "../terms.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const ORIGIN = "https://services.swpc.noaa.gov"

const ZONED = /(Z|[+-]\d\d:?\d\d)$/
/** The agency's times are UTC, most of them without saying so. */
const utcMs = (text: string): number | null => isoMs(ZONED.test(text) ? text : `${text}Z`)

export const UtcTime: Schema.Codec<number, unknown> = Schema.String.check(
  Schema.makeFilter((text: string) => utcMs(text) !== null || "not a time"),
).pipe(
  Schema.decodeTo(Schema.Finite, {
    decode: SchemaGetter.transform((text: string) => utcMs(text) ?? 0),
    encode: SchemaGetter.transform((ms: number) => instant(ms)),
  }),
)

/** A reading of an instrument: null where there is none. The member is required, which distinguishes the documents. */
export const Reading = Schema.NullOr(Decimal)

const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)

/**
 * Rows of one of the agency's tables, in both of its generations: objects with numbers, and (until the end of March 2026
 * for most tables) arrays of texts below an array of column names.
 */
export const rowsOf = <Row>(row: Schema.Codec<Row, unknown>): Schema.Codec<ReadonlyArray<Row>, unknown> =>
  Schema.Unknown.pipe(
    Schema.decodeTo(Schema.Array(row), {
      decode: SchemaGetter.transform((value: unknown): ReadonlyArray<unknown> => {
        if (!isList(value) || !isList(value[0])) return value as ReadonlyArray<unknown>
        const [columns, ...rows] = value
        return rows.map((cells) =>
          isList(columns) && isList(cells)
            ? Object.fromEntries(columns.map((name, index) => [String(name), cells[index] ?? null]))
            : cells,
        )
      }),
      encode: SchemaGetter.transform((rows: ReadonlyArray<unknown>): unknown => rows),
    }),
  )

/** A table of the agency. Its writer is Python's, which leaves bare NaN in it: seen since August 2026. */
export const table = <Row>(path: string, row: Schema.Codec<Row, unknown>) =>
  document({ format: "python-json", wire: rowsOf(row), url: `${ORIGIN}${path}`, bodyBytesMax: 4 * 1024 * 1024 })

const kp = table(
  "/products/noaa-planetary-k-index.json",
  // Older files round `Kp` and add the exact value beside it.
  Schema.Struct({ time_tag: UtcTime, Kp: Reading, Kp_fraction: maybe(Decimal) }),
)

const kpMinutes = table(
  "/json/planetary_k_index_1m.json",
  Schema.Struct({ time_tag: UtcTime, kp_index: Reading, estimated_kp: maybe(Decimal) }),
)

const wind = table(
  "/json/rtsw/rtsw_wind_1m.json",
  Schema.Struct({
    time_tag: UtcTime,
    active: maybe(Schema.Boolean),
    proton_speed: Reading,
    proton_density: maybe(Decimal),
    proton_temperature: maybe(Decimal),
  }),
)

const xrays = table(
  "/json/goes/primary/xrays-1-day.json",
  Schema.Struct({ time_tag: UtcTime, energy: Schema.String, flux: Reading }),
)

const alerts = table(
  "/products/alerts.json",
  Schema.Struct({ product_id: Schema.String, issue_datetime: UtcTime, message: Schema.String }),
)

/** Rows that are not in the future: a future row would stay the newest for ever. */
const until = <Row extends { readonly time_tag: number }>(rows: ReadonlyArray<Row>, nowMs: number) =>
  rows.filter(({ time_tag }) => time_tag <= nowMs + AHEAD_MAX_MS)

const newest = <Row extends { readonly time_tag: number }>(rows: ReadonlyArray<Row>): Row | null =>
  rows.reduce<Row | null>((best, row) => (best === null || row.time_tag > best.time_tag ? row : best), null)

const highest = <Row>(rows: ReadonlyArray<Row>, of: (row: Row) => number): Row | null =>
  rows.reduce<Row | null>((best, row) => (best === null || of(row) > of(best) ? row : best), null)

const last = <Row extends { readonly time_tag: number }>(rows: ReadonlyArray<Row>, periodMs: number) => {
  const end = newest(rows)?.time_tag ?? 0
  return rows.filter((row) => row.time_tag > end - periodMs)
}

const kpOf = (rows: ReadonlyArray<{ readonly time_tag: number; readonly index: number | null }>) =>
  rows.flatMap(({ time_tag, index }) => {
    const known = within(index, 0, 9)
    return known === null ? [] : [{ time_tag, index: known, at: instant(time_tag) }]
  })

const indexesOf = (rows: typeof kp.wire.Type) =>
  kpOf(rows.map(({ time_tag, Kp, Kp_fraction }) => ({ time_tag, index: Kp_fraction ?? Kp })))

const latestKp = (indexes: ReturnType<typeof indexesOf>): SpaceMeasurements["kp"] => {
  const found = newest(indexes)
  return found === null ? null : { index: found.index, at: found.at }
}

const estimatedKp = (rows: typeof kpMinutes.wire.Type): SpaceMeasurements["kpEstimated"] => {
  const estimates = kpOf(
    rows.map(({ time_tag, kp_index, estimated_kp }) => ({ time_tag, index: estimated_kp ?? kp_index })),
  )
  const found = highest(last(estimates, 3 * HOUR_MS), ({ index }) => index)
  return found === null ? null : { index: found.index, at: found.at }
}

const solarWind = (rows: typeof wind.wire.Type): SpaceMeasurements["solarWind"] => {
  // Two or three spacecraft report each minute; `active` marks the one that the agency uses.
  const found = newest(
    rows.filter(({ active, proton_speed }) => active !== false && within(proton_speed, 1, 5000) !== null),
  )
  if (found === null || found.proton_speed === null) return null
  return {
    speedKmPerS: found.proton_speed,
    densityPerCm3: within(found.proton_density, 0, 1e4),
    temperatureK: within(found.proton_temperature, 0, 1e9),
    at: instant(found.time_tag),
  }
}

const xrayFlux = (rows: typeof xrays.wire.Type): SpaceMeasurements["xray"] => {
  const long = rows.flatMap(({ time_tag, energy, flux }) => {
    const known = within(flux, Number.MIN_VALUE, 1)
    return energy === "0.1-0.8nm" && known !== null ? [{ time_tag, flux: known }] : []
  })
  const latest = newest(long)
  const peak = highest(last(long, DAY_MS), ({ flux }) => flux)
  if (latest === null || peak === null) return null
  return {
    fluxWPerM2: asSingle(latest.flux),
    at: instant(latest.time_tag),
    peakFluxWPerM2: asSingle(peak.flux),
    peakAt: instant(peak.time_tag),
  }
}

/** The oldest of the newest readings, so that one frozen document is not hidden by the others. */
const contentAt = (...lists: ReadonlyArray<ReadonlyArray<{ readonly time_tag: number }>>): number | null => {
  const times = lists.flatMap((rows) => newest(rows)?.time_tag ?? [])
  return times.length === 0 ? null : Math.min(...times)
}

export default valueSource({
  name: "noaa-swpc",
  provider: "NOAA.space_weather",
  fills: spaceWeather,
  every: "5 minutes",
  documents: { kp, kpMinutes, wind, xrays, alerts },
  collect: (upstream) =>
    independently({
      kp: upstream.fetch(kp, undefined),
      kpMinutes: upstream.fetch(kpMinutes, undefined),
      wind: upstream.fetch(wind, undefined),
      xrays: upstream.fetch(xrays, undefined),
      alerts: upstream.fetch(alerts, undefined),
    }),
  normalise: (wire, { observedAtMs }) => {
    const collected = {
      kp: until(wire.kp ?? [], observedAtMs),
      kpMinutes: until(wire.kpMinutes ?? [], observedAtMs),
      wind: until(wire.wind ?? [], observedAtMs),
      xrays: until(wire.xrays ?? [], observedAtMs),
    }
    // Null too if the list is empty or in another form: "no alert" is said only of messages that were read.
    const standing =
      wire.alerts === null
        ? null
        : standingAlerts(
            wire.alerts.map(({ product_id, issue_datetime, message }) => ({
              productId: product_id,
              issuedMs: issue_datetime,
              text: message,
            })),
            observedAtMs,
          )
    const indexes = indexesOf(collected.kp)
    const measurements: SpaceMeasurements = {
      kp: latestKp(indexes),
      kpEstimated: estimatedKp(collected.kpMinutes),
      solarWind: solarWind(collected.wind),
      xray: xrayFlux(collected.xrays),
    }
    if (standing === null && Object.values(measurements).every((one) => one === null))
      return new UpstreamError({ message: "none of the documents holds a usable reading" })
    return {
      payload: {
        measurements,
        alerts: standing,
        ...recentKp(indexes.map(({ time_tag, index }) => ({ startMs: time_tag, index }))),
      },
      contentAtMs: contentAt(collected.kpMinutes, collected.wind, collected.xrays),
    }
  },
  attribution: {
    provider: "NOAA Space Weather Prediction Center",
    licence: "Public domain (U.S. Government work)",
    url: "https://www.swpc.noaa.gov/",
  },
  terms: openTerms("https://www.weather.gov/disclaimer", "Public domain (U.S. Government work)"),
})
