import { simulatedUpstream } from "../upstream.ts"
import type { Happening, World } from "../world.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** How long a fire of the world burns at most. */
const BURN_MS = 3 * DAY_MS

const places = [
  { latitude: 40.8, longitude: -122.6 },
  { latitude: 44.6, longitude: -115.2 },
  { latitude: 43.1, longitude: -119.8 },
  { latitude: 33.9, longitude: -110.6 },
  { latitude: 26.4, longitude: -81.2 },
  { latitude: 64.4, longitude: -146.2 },
  { latitude: 54.6, longitude: -124.3 },
  { latitude: 58.2, longitude: -113.9 },
  { latitude: 51.2, longitude: -93.1 },
  { latitude: 28.3, longitude: -107.2 },
  { latitude: 17.1, longitude: -90.4 },
] as const

const boxes: Readonly<Record<string, Box>> = {
  Alaska: [-180, 50, -140, 72],
  Canada: [-150, 40, -49, 84],
  USA_contiguous_and_Hawaii: [-160, 17, -64, 50],
  Central_America: [-119, 7, -58, 33.5],
}

/** Each satellite's code and how many minutes it passes after 01:30 and 13:30 local solar time. */
const satellites: Readonly<Record<string, { readonly code: string; readonly lateMinutes: number }>> = {
  "noaa-20-viirs-c2/csv/J1": { code: "N20", lateMinutes: 0 },
  "noaa-21-viirs-c2/csv/J2": { code: "N21", lateMinutes: -50 },
  "suomi-npp-viirs-c2/csv/SUOMI": { code: "N", lateMinutes: 50 },
}

/** Further numbers in [0, 1) out of one: hashing each anew would cost more than the whole file. */
const further = (fraction: number, index: number): number => (fraction * 9973 ** index) % 1

const fixed = (value: number, places: number): string => String(Number(value.toFixed(places)))

/** One hot pixel of the world. */
export interface Detection {
  readonly latitude: number
  readonly longitude: number
  readonly atMs: number
  readonly day: boolean
  readonly frpMw: number
  readonly confidence: "low" | "nominal" | "high"
  readonly fraction: number
}

const detectionsOf = (burn: Happening, code: string, passMs: number, day: boolean): ReadonlyArray<Detection> => {
  const place = places[Math.floor(burn.random("place") * places.length)] ?? places[0]
  const size = 10 + Math.floor(burn.random("size") ** 2 * 180)
  const centre = {
    latitude: place.latitude + (burn.random("latitude") - 0.5) * 1.5,
    longitude: place.longitude + (burn.random("longitude") - 0.5) * 1.5,
  }
  return Array.from({ length: day ? size : Math.ceil(size / 3) }, (_, index) => {
    const fraction = burn.random(`${code}/${passMs}/${index}`)
    const share = further(fraction, 1)
    return {
      latitude: Number((centre.latitude + (fraction - 0.5) * 0.2).toFixed(5)),
      longitude: Number((centre.longitude + (share - 0.5) * 0.2).toFixed(5)),
      atMs: passMs,
      day,
      frpMw: Number((0.5 + (day ? 2 : 1) * 10 ** (2.3 * further(fraction, 2) ** 4)).toFixed(2)),
      confidence: share < 0.08 ? "low" : share < 0.9 ? "nominal" : "high",
      fraction,
    }
  })
}

type Box = readonly [west: number, south: number, east: number, north: number]
const within = (
  [west, south, east, north]: Box,
  at: { readonly latitude: number; readonly longitude: number },
  margin = 0,
) =>
  at.latitude >= south - margin &&
  at.latitude <= north + margin &&
  at.longitude >= west - margin &&
  at.longitude <= east + margin
/** How far from its place a fire of the world may reach, degrees, at most. */
const REACH_DEGREES = 1
const everywhere: Box = [-180, -90, 180, 90]

/** A satellite's detections in a box in the last 24 hours; a pass is published an hour later. */
export const detections = (
  world: World,
  code: string,
  lateMinutes: number,
  box: Box = everywhere,
): ReadonlyArray<Detection> => {
  const nowMs = Math.floor(world.nowMs / (15 * MINUTE_MS)) * 15 * MINUTE_MS
  return world.happenings("wildfire", 0.5, nowMs - BURN_MS - DAY_MS, nowMs).flatMap((burn) => {
    const place = places[Math.floor(burn.random("place") * places.length)] ?? places[0]
    if (!within(box, place, REACH_DEGREES)) return []
    const lastsMs = (0.3 + 0.7 * burn.random("lasts")) * BURN_MS
    const firstDayMs = Math.floor((nowMs - 2 * DAY_MS) / DAY_MS) * DAY_MS
    return Array.from({ length: 8 }, (_, half) => {
      const day = half % 2 === 1
      const localMs = (day ? 13.5 : 1.5) * HOUR_MS + lateMinutes * MINUTE_MS
      const passMs = firstDayMs + Math.floor(half / 2) * DAY_MS + localMs - (place.longitude / 15) * HOUR_MS
      return { day, passMs: Math.round(passMs / MINUTE_MS) * MINUTE_MS }
    })
      .filter(({ passMs }) => passMs >= nowMs - DAY_MS && passMs <= nowMs - HOUR_MS)
      .filter(({ passMs }) => passMs >= burn.atMs && passMs < burn.atMs + lastsMs)
      .flatMap(({ passMs, day }) => detectionsOf(burn, code, passMs, day))
      .filter((one) => within(box, one))
  })
}

const HEADER =
  "latitude,longitude,bright_ti4,scan,track,acq_date,acq_time,satellite,confidence,version,bright_ti5,frp,daynight"

const row = (code: string, one: Detection): string => {
  const iso = new Date(one.atMs).toISOString()
  // The sensor saturates at 367 kelvin, and a few saturated pixels fold over to 208.
  const brightness = one.frpMw > 120 ? (one.confidence === "low" ? "208" : "367") : fixed(300 + one.frpMw / 2, 2)
  return [
    fixed(one.latitude, 5),
    fixed(one.longitude, 5),
    brightness,
    fixed(0.38 + further(one.fraction, 3) * 0.4, 2),
    fixed(0.36 + further(one.fraction, 4) * 0.4, 2),
    iso.slice(0, 10),
    iso.slice(11, 16).replace(":", ""),
    code,
    one.confidence,
    "2.0NRT",
    fixed(280 + further(one.fraction, 5) * 20, 2),
    fixed(one.frpMw, 2),
    one.day ? "D" : "N",
  ].join(",")
}

const PATH = /^\/data\/active_fire\/([a-z0-9-]+\/csv\/[A-Z0-9]+)_VIIRS_C2_([A-Za-z_]+)_24h\.csv$/

export default simulatedUpstream({
  name: "nasa-firms",
  hosts: ["firms.modaps.eosdis.nasa.gov"],
  answer: ({ path }, world) => {
    const [, file = "", region = ""] = PATH.exec(path) ?? []
    const satellite = satellites[file]
    const box = boxes[region]
    if (satellite === undefined || box === undefined) return null
    const rows = detections(world, satellite.code, satellite.lateMinutes, box).map((one) => row(satellite.code, one))
    return { contentType: "text/csv", body: `${[HEADER, ...rows].join("\n")}\n` }
  },
})
