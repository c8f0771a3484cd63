import { instant } from "../../schemas/event.ts"
import {
  flareLetters,
  KP_INTERVAL_MS,
  SPACE_ALERTS_SHOWN_MAX,
  type SpaceWeather,
  spaceWeather,
  spaceWeatherEndpoint,
} from "../../schemas/feeds/space-weather.ts"
import { changesOf, from, nextAfter, until, view } from "../view/view.ts"

/** Lower bound of class A, in watts per square metre; each next class begins at ten times as much. Lower fluxes are A too. */
const FLUX_OF_A = 1e-8

/**
 * The flare class of a flux at 0.1 to 0.8 nm. Digits behind the first decimal are cut, not rounded, as the agency does;
 * class X has no upper bound.
 */
const flareClass = (fluxWPerM2: number) => {
  // A rounding error of floating point must not put a flux of exactly 1e-6 into class B.
  const decade = Math.floor(Math.log10(fluxWPerM2 / FLUX_OF_A) + 1e-9)
  const index = Math.min(Math.max(decade, 0), flareLetters.length - 1)
  const letter = flareLetters[index] ?? "A"
  const tenths = Math.floor((fluxWPerM2 / (FLUX_OF_A * 10 ** index)) * 10 + 1e-6)
  return { letter, text: `${letter}${(tenths / 10).toFixed(1)}` }
}

/** The index of the newest intervals, each with its start; null where it is not known. */
const kpHistory = ({ kpRecent }: SpaceWeather) =>
  kpRecent?.indexes.map((kp, place) => ({ time: instant(Date.parse(kpRecent.begin) + place * KP_INTERVAL_MS), kp })) ??
  null

/** The data at `nowMs`, without the intervals before the newest one, which rows of changes leave out. */
const spaceWeatherData = ({ measurements, alerts }: SpaceWeather, nowMs: number) => {
  const { kp, kpEstimated, solarWind, xray } = measurements
  const flare = xray === null ? null : flareClass(xray.peakFluxWPerM2)
  return {
    kp_index: kp?.index ?? null,
    kp_time: kp?.at ?? null,
    kp_estimated: kpEstimated?.index ?? null,
    solar_wind_speed_km_s: solarWind?.speedKmPerS ?? null,
    solar_wind_density_cm3: solarWind?.densityPerCm3 ?? null,
    solar_wind_time: solarWind?.at ?? null,
    flare_class: flare?.letter ?? null,
    flare_peak: flare?.text ?? null,
    flare_peak_flux_w_m2: xray?.peakFluxWPerM2 ?? null,
    flare_peak_time: xray?.peakAt ?? null,
    active_alerts:
      alerts
        ?.filter(({ activeUntil }) => Date.parse(activeUntil) > nowMs)
        .slice(0, SPACE_ALERTS_SHOWN_MAX)
        .map(({ code, kind, headline, scale, issuedAt, activeUntil }) => ({
          code,
          kind,
          headline,
          scale,
          issued_at: issuedAt,
          active_until: activeUntil,
        })) ?? null,
  }
}

export default view({
  endpoint: spaceWeatherEndpoint,
  reads: { weather: from(spaceWeather) },
  // An alert stops being active at its time, whether or not the upstream answers.
  clock: true,
  changes: [changesOf(spaceWeather, (weather, { nowMs }) => spaceWeatherData(weather, nowMs))],
  build: ({ weather: { payload } }, { nowMs }) =>
    until(
      { ...spaceWeatherData(payload, nowMs), kp_history: kpHistory(payload) },
      nextAfter(
        nowMs,
        (payload.alerts ?? []).map(({ activeUntil }) => Date.parse(activeUntil)),
      ),
    ),
})
