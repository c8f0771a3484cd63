import { FIRES_SHOWN_MAX, type Fire, fireInstances, fires, wildfiresEndpoint } from "../../schemas/feeds/fires.ts"
import { approximateUsState } from "../us-state.ts"
import { fromEvery, view } from "../view.ts"

const DAY_MS = 86_400_000

const power = (fire: Fire): number => fire.radiativePowerMw ?? -1

export default view({
  endpoint: wildfiresEndpoint,
  reads: { satellites: fromEvery(fires, fireInstances) },
  // A detection leaves the 24 hours by itself, also while the upstream is silent.
  followsClock: true,
  build: ({ satellites }, { nowMs }) => {
    const strongest = satellites
      .flatMap(({ reading }) => reading?.payload.items ?? [])
      .filter(({ acquiredAt }) => nowMs - Date.parse(acquiredAt) < DAY_MS)
      // Equal powers keep the order of the instances, so that the bytes are the same each time.
      .sort((a, b) => power(b) - power(a))
      .slice(0, FIRES_SHOWN_MAX)
    return {
      count: strongest.length,
      fires: strongest.map((fire) => ({
        lat: fire.latitude,
        lon: fire.longitude,
        state: approximateUsState(fire.latitude, fire.longitude),
        radiative_power_mw: fire.radiativePowerMw,
        confidence: fire.confidence,
        satellite: fire.satellite,
        acquired_at: fire.acquiredAt,
        daytime: fire.daytime,
      })),
    }
  },
})
