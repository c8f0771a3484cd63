import { instant } from "../../schemas/event.ts"
import { KP_INTERVAL_MS, KP_INTERVALS_MAX, type SpaceWeather } from "../../schemas/feeds/space-weather.ts"
import { rounded } from "../../schemas/number.ts"

/**
 * The index of the newest intervals of three hours, by their starts; absent where none has one. An interval without an index
 * between two others is null.
 */
export const recentKp = (
  intervals: ReadonlyArray<{ readonly startMs: number; readonly index: number }>,
): Pick<SpaceWeather, "kpRecent"> => {
  const known = new Map(
    intervals.flatMap(({ startMs, index }) =>
      startMs % KP_INTERVAL_MS === 0 ? [[startMs / KP_INTERVAL_MS, rounded(index, 2)]] : [],
    ),
  )
  if (known.size === 0) return {}
  const last = Math.max(...known.keys())
  const first = Math.min(...[...known.keys()].filter((at) => at > last - KP_INTERVALS_MAX))
  const indexes = Array.from({ length: last - first + 1 }, (_, place) => known.get(first + place) ?? null)
  return { kpRecent: { begin: instant(first * KP_INTERVAL_MS), indexes } }
}
