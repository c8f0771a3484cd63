import {
  DAILY,
  type Earthquake,
  type EarthquakeRow,
  earthquakeEndpoint,
  earthquakes,
} from "../../schemas/feeds/earthquakes.ts"
import { from, rowsBy, view } from "../view/view.ts"

/** Seismic events as the plain endpoint and the briefing state them. */
export const earthquakeRows = rowsBy(
  ({ type, magnitude, place, time, depthKm }: Earthquake): EarthquakeRow => ({
    type,
    magnitude,
    location: place,
    time,
    depth_km: depthKm,
  }),
)

export default view({
  endpoint: earthquakeEndpoint,
  reads: { quakes: from(earthquakes, DAILY) },
  build: ({ quakes }) => ({
    count: quakes.payload.items.length,
    earthquakes: earthquakeRows(quakes.payload.items),
  }),
})
