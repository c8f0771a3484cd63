import { instant } from "../../schemas/event.ts"
import { FIRES_SHOWN_MAX, type Fire, wildfires, wildfiresEndpoint } from "../../schemas/feeds/wildfires.ts"
import { changesOf, fromEvery, onceByItem, rowsBy, view } from "../view/view.ts"
import { approximateUsState } from "./wildfires/us-state.ts"

const DAY_MS = 86_400_000

const power = (fire: Fire): number => fire.radiativePowerMw ?? -1

/** Memoised, as a look-up tests up to two dozen outlines. */
const stateOf = onceByItem(({ latitude, longitude }: Fire) => approximateUsState(latitude, longitude))

const fireRow = (fire: Fire) => ({
  lat: fire.latitude,
  lon: fire.longitude,
  state: stateOf(fire),
  radiative_power_mw: fire.radiativePowerMw,
  confidence: fire.confidence,
  satellite: fire.satellite,
  acquired_at: fire.acquiredAt,
  daytime: fire.daytime,
})
const fireRows = rowsBy(fireRow)

export default view({
  endpoint: wildfiresEndpoint,
  reads: { satellites: fromEvery(wildfires) },
  changes: [changesOf(wildfires, fireRow)],
  build: ({ satellites }) => {
    const all = satellites.flatMap(({ reading }) => reading?.payload.items ?? [])
    const newest = all.reduce((best, { acquiredAt }) => (acquiredAt > best ? acquiredAt : best), "")
    // Each file covers 24 hours. When the file of one satellite fails, its last good detections grow older than those of the
    // others and would displace current fires.
    const since = newest === "" ? "" : instant(Date.parse(newest) - DAY_MS)
    const strongest = all
      .filter(({ acquiredAt }) => acquiredAt >= since)
      // The sort is stable: equal powers keep the order of the instances, so the bytes are deterministic.
      .sort((a, b) => power(b) - power(a))
      .slice(0, FIRES_SHOWN_MAX)
    return { count: strongest.length, fires: fireRows(strongest) }
  },
})
