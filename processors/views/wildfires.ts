import { instant } from "../../schemas/event.ts"
import {
  FIRES_SHOWN_MAX,
  type Fire,
  fireInstances,
  wildfires,
  wildfiresEndpoint,
} from "../../schemas/feeds/wildfires.ts"
import { rowsBy } from "../rows-by.ts"
import { approximateUsState } from "../us-state.ts"
import { fromEvery, view } from "../view.ts"

const DAY_MS = 86_400_000

const power = (fire: Fire): number => fire.radiativePowerMw ?? -1

const fireRows = rowsBy((fire: Fire) => ({
  lat: fire.latitude,
  lon: fire.longitude,
  state: approximateUsState(fire.latitude, fire.longitude),
  radiative_power_mw: fire.radiativePowerMw,
  confidence: fire.confidence,
  satellite: fire.satellite,
  acquired_at: fire.acquiredAt,
  daytime: fire.daytime,
}))

export default view({
  endpoint: wildfiresEndpoint,
  reads: { satellites: fromEvery(wildfires, fireInstances) },
  build: ({ satellites }) => {
    const all = satellites.flatMap(({ reading }) => reading?.payload.items ?? [])
    const newest = all.reduce((best, { acquiredAt }) => (acquiredAt > best ? acquiredAt : best), "")
    // Each file holds 24 hours. What one satellite saw before those of the others is the last good answer of a file that
    // fails, and would crowd out what burns now.
    const since = newest === "" ? "" : instant(Date.parse(newest) - DAY_MS)
    const strongest = all
      .filter(({ acquiredAt }) => acquiredAt >= since)
      // Equal powers keep the order of the instances, so that the bytes are the same each time.
      .sort((a, b) => power(b) - power(a))
      .slice(0, FIRES_SHOWN_MAX)
    return { count: strongest.length, fires: fireRows(strongest) }
  },
})
