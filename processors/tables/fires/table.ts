import { wildfires } from "../../../schemas/feeds/wildfires.ts"
import { monthOf, table } from "../../table.ts"
import { approximateUsState } from "../../views/wildfires/us-state.ts"

export default table({
  name: "fires",
  feed: wildfires,
  // "gone" only means that the day of the detection is over: no row.
  rows: ({ kind, item, observedAt }) =>
    kind === "gone"
      ? []
      : [
          {
            acquired_at: item.acquiredAt,
            latitude: item.latitude,
            longitude: item.longitude,
            us_state: approximateUsState(item.latitude, item.longitude) ?? "",
            satellite: item.satellite,
            instrument: item.instrument ?? "",
            radiative_power_mw: item.radiativePowerMw,
            confidence: item.confidence ?? "",
            confidence_percent: item.confidencePercent,
            brightness_k: item.brightnessK,
            daytime: item.daytime,
            version: item.version ?? "",
            observed_at: observedAt,
          },
        ],
  partition: (row) => monthOf(row.acquired_at),
})
