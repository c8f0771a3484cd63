import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"
import { instant } from "../../schemas/event.ts"
import { KP_INTERVAL_MS, spaceWeather } from "../../schemas/feeds/space-weather.ts"
import { rounded } from "../../schemas/number.ts"
import { type CollectFailed, document, isOfDocument, UpstreamError } from "../document.ts"
import { civilMs } from "../readers/civil-time.ts"
import { AHEAD_MAX_MS } from "../readers/instants.ts"
import { recentKp } from "../readers/kp-intervals.ts"
import { within } from "../readers/numbers.ts"
import { IsoTime } from "../readers/wire.ts"
import { valueSource } from "../source.ts"
import { openTerms } from "../terms.ts"

const HOST = "https://kp.gfz.de/app"
const HOUR_MS = 3_600_000
/** How long the newest interval may be over: the next one, and an hour until it is known. */
const INDEX_AGE_MAX_MS = KP_INTERVAL_MS + HOUR_MS

/** The index of one interval of three hours, by its start; -1 where it is missing or still to come. */
const Intervals = Schema.Array(Schema.Struct({ startMs: Schema.Finite, index: Schema.Finite }))
type Intervals = typeof Intervals.Type

/** Year, month, day, start and middle in hours, both in days since 1932, Kp, ap, and whether the values are definitive. */
const COLUMNS = 10
const NUMBER = /^-?\d{1,8}(\.\d{1,8})?$/

const intervalOf = (line: string): ReadonlyArray<Intervals[number]> => {
  const cells = line.trim().split(/\s+/)
  if (cells.length !== COLUMNS || !cells.every((cell) => NUMBER.test(cell))) return []
  const [year = 0, month = 0, day = 0, hour = -1, , , , index = -1] = cells.map(Number)
  const startMs = civilMs({ year, month, day, hour, minute: 0, second: 0 })
  return startMs === null || startMs % KP_INTERVAL_MS !== 0 ? [] : [{ startMs, index }]
}

const intervalsOf = (text: string): Intervals =>
  text.split(/\r?\n/).flatMap((line) => (line.startsWith("#") ? [] : intervalOf(line)))

/** Thirty days of intervals below lines with "#". */
const nowcast = document({
  format: "text",
  wire: Schema.String.check(
    Schema.makeFilter((text: string) => intervalsOf(text).length > 0 || "no line is of an interval"),
  ).pipe(
    Schema.decodeTo(Intervals, {
      decode: SchemaGetter.transform(intervalsOf),
      encode: SchemaGetter.forbidden(() => "a file is read only"),
    }),
  ),
  url: `${HOST}/files/Kp_ap_nowcast.txt`,
})

const dayOfHour = (ms: number): string => `${instant(Math.floor(ms / HOUR_MS) * HOUR_MS).slice(0, 19)}Z`

/** The last two days by the service of the same index. */
const service = document({
  format: "json",
  wire: Schema.Struct({ datetime: Schema.Array(IsoTime), Kp: Schema.Array(Schema.NullOr(Schema.Finite)) })
    .check(Schema.makeFilter(({ datetime, Kp }) => datetime.length === Kp.length || "the lists have different lengths"))
    .pipe(
      Schema.decodeTo(Intervals, {
        decode: SchemaGetter.transform(
          ({ datetime, Kp }): Intervals => datetime.map((startMs, at) => ({ startMs, index: Kp[at] ?? -1 })),
        ),
        encode: SchemaGetter.forbidden(() => "an answer is read only"),
      }),
    ),
  url: (observedAtMs: number) =>
    `${HOST}/json/?start=${dayOfHour(observedAtMs - 48 * HOUR_MS)}&end=${dayOfHour(observedAtMs)}&index=Kp`,
})

/** The index alone: scales, alerts, solar wind and X-rays have no second source, and are null. */
export default valueSource({
  name: "gfz-kp",
  provider: "GFZ.kp_index",
  fills: spaceWeather,
  rank: 2,
  every: "15 minutes",
  documents: { nowcast, service },
  collect: (upstream, { observedAtMs }): Effect.Effect<Intervals, CollectFailed> =>
    Effect.catch(upstream.fetch(nowcast, undefined), (failed) =>
      isOfDocument(failed)
        ? Effect.mapError(upstream.fetch(service, observedAtMs), () => failed)
        : Effect.fail<CollectFailed>(failed),
    ),
  normalise: (intervals, { observedAtMs }) => {
    const known = intervals.flatMap(({ startMs, index }) => {
      const measured = within(index, 0, 9)
      return measured === null || startMs > observedAtMs + AHEAD_MAX_MS ? [] : [{ startMs, index: measured }]
    })
    const [first, ...others] = known
    if (first === undefined) return new UpstreamError({ message: "no interval has an index" })
    const newest = others.reduce((best, one) => (one.startMs > best.startMs ? one : best), first)
    if (newest.startMs + KP_INTERVAL_MS < observedAtMs - INDEX_AGE_MAX_MS)
      return new UpstreamError({ message: "the newest interval is long over" })
    return {
      payload: {
        measurements: {
          // In thirds; the agency that it stands in for writes two decimals.
          kp: { index: rounded(newest.index, 2), at: instant(newest.startMs) },
          kpEstimated: null,
          solarWind: null,
          xray: null,
        },
        alerts: null,
        ...recentKp(known),
      },
      // The feed's age limit is that of the solar wind, which is measured by the minute. The age of the index is checked above.
      contentAtMs: null,
    }
  },
  attribution: {
    provider: "GFZ Helmholtz Centre for Geosciences, geomagnetic Kp index (Matzka et al. 2021)",
    licence: "CC BY 4.0",
    url: "https://kp.gfz.de/",
  },
  terms: openTerms("https://kp.gfz.de/en/data", "CC BY 4.0, in the header of the file", {
    credit: "Geomagnetic Kp index: GFZ, Matzka et al. (2021), https://doi.org/10.5880/Kp.0001, CC BY 4.0",
  }),
})
