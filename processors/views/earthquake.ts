import { DAILY, earthquakeEndpoint, earthquakes } from "../../schemas/feeds/earthquakes.ts"
import { from, view } from "../view.ts"

export default view({
  endpoint: earthquakeEndpoint,
  reads: { quakes: from(earthquakes, DAILY) },
  build: ({ quakes }) => ({
    count: quakes.payload.items.length,
    earthquakes: quakes.payload.items.map((quake) => ({
      type: quake.type,
      magnitude: quake.magnitude,
      location: quake.place,
      time: quake.time,
      depth_km: quake.depthKm,
    })),
  }),
})
