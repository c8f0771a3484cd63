import { earthquakes } from "../../../schemas/feeds/earthquakes.ts"
import { monthOf, table } from "../../table.ts"

export default table({
  name: "earthquakes",
  feed: earthquakes,
  // "gone" only means that the quake is too old for the daily list: no row.
  rows: ({ kind, item, observedAt }) =>
    kind === "gone"
      ? []
      : [
          {
            id: item.id,
            revised_at: item.revisedAt,
            time: item.time,
            magnitude: item.magnitude,
            magnitude_type: item.magnitudeType ?? "",
            place: item.place ?? "",
            latitude: item.latitude,
            longitude: item.longitude,
            depth_km: item.depthKm,
            tsunami: item.tsunami,
            alert: item.alert ?? "",
            significance: item.significance,
            status: item.status,
            observed_at: observedAt,
          },
        ],
  partition: (row) => monthOf(row.time),
})
