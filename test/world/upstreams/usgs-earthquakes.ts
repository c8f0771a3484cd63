import { simulatedUpstream } from "../upstream.ts"
import { quakes } from "../world.ts"

const periodMs: Readonly<Record<string, number>> = {
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
  month: 2_592_000_000,
}
const PATH = /^\/earthquakes\/feed\/v1\.0\/summary\/(significant|4\.5|2\.5|1\.0|all)_(hour|day|week|month)\.geojson$/

export default simulatedUpstream({
  name: "usgs-earthquakes",
  hosts: ["earthquake.usgs.gov"],
  answer: ({ path }, world) => {
    const [, magnitude = "", period = ""] = PATH.exec(path) ?? []
    const windowMs = periodMs[period]
    if (windowMs === undefined) return null
    const least = magnitude === "significant" ? 5 : magnitude === "all" ? -10 : Number(magnitude)
    // The provider rebuilds its files once a minute.
    const generatedMs = Math.floor(world.nowMs / 60_000) * 60_000
    const features = quakes(world, generatedMs - windowMs, generatedMs)
      .filter((quake) => quake.magnitude >= least)
      .reverse()
      .map((quake) => ({
        type: "Feature",
        properties: {
          mag: quake.magnitude,
          place: quake.place,
          time: quake.atMs,
          updated: quake.revisedAtMs,
          tz: null,
          url: `https://earthquake.usgs.gov/earthquakes/eventpage/${quake.id}`,
          detail: `https://earthquake.usgs.gov/earthquakes/feed/v1.0/detail/${quake.id}.geojson`,
          felt: null,
          cdi: null,
          mmi: null,
          alert: quake.magnitude >= 6 ? "yellow" : quake.magnitude >= 4.5 ? "green" : null,
          status: "reviewed",
          tsunami: quake.magnitude >= 6.5 ? 1 : 0,
          sig: Math.round(quake.magnitude ** 2 * 15.4),
          net: "tw",
          code: quake.id.slice(2),
          ids: `,${quake.id},`,
          sources: ",tw,",
          types: ",origin,phase-data,",
          nst: 24,
          dmin: 0.3,
          rms: 0.4,
          gap: 80,
          magType: "mww",
          type: "earthquake",
          title: `M ${quake.magnitude} - ${quake.place}`,
        },
        geometry: { type: "Point", coordinates: [quake.longitude, quake.latitude, quake.depthKm] },
        id: quake.id,
      }))
    return {
      body: {
        type: "FeatureCollection",
        metadata: {
          generated: generatedMs,
          url: `https://earthquake.usgs.gov${path}`,
          title: `USGS Magnitude ${magnitude} Earthquakes, Past ${period}`,
          status: 200,
          api: "1.14.1",
          count: features.length,
        },
        features,
      },
    }
  },
})
