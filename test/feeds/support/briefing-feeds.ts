import { instanceKey } from "../../../schemas/feed.ts"
import { type Earthquake, earthquakes } from "../../../schemas/feeds/earthquakes.ts"

/** The instance of the quakes in a briefing. */
export const DAILY = { magnitude: "2.5", period: "day" }
/** The key of their instance. */
export const QUAKES = instanceKey(earthquakes.name, DAILY)

/** A quake with a magnitude and a place; all other members are null. */
export const quake = (magnitude: number | null, place: string | null): Earthquake => ({
  id: String(place),
  type: "earthquake",
  magnitude,
  magnitudeType: null,
  place,
  time: "2026-11-20T12:00:00.000Z",
  revisedAt: "2026-11-20T12:00:00.000Z",
  latitude: 0,
  longitude: 0,
  depthKm: null,
  tsunami: false,
  alert: null,
  significance: null,
  status: "automatic",
  url: null,
})
