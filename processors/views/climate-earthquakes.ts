import {
  climateEarthquakesEndpoint,
  type Earthquake,
  earthquakeInstances,
  earthquakes,
  magnitudes,
  periods,
} from "../../schemas/feeds/earthquakes.ts"
import { changesOf, from, rowsBy, view } from "../view/view.ts"

const catalogueRow = (quake: Earthquake) => ({
  id: quake.id,
  type: quake.type,
  magnitude: quake.magnitude,
  place: quake.place,
  time: quake.time,
  depth_km: quake.depthKm,
  lat: quake.latitude,
  lon: quake.longitude,
  tsunami: quake.tsunami,
  url: quake.url,
})
const catalogueRows = rowsBy(catalogueRow)

export default view({
  endpoint: climateEarthquakesEndpoint,
  instances: earthquakeInstances,
  reads: { quakes: from(earthquakes, (parameters) => parameters) },
  changes: [changesOf(earthquakes, catalogueRow)],
  build: ({ quakes }, { parameters }) => ({
    magnitude: magnitudes.find((one) => one === parameters.magnitude) ?? "2.5",
    period: periods.find((one) => one === parameters.period) ?? "day",
    count: quakes.payload.items.length,
    earthquakes: catalogueRows(quakes.payload.items),
  }),
})
