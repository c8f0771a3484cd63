import { simulatedUpstream } from "../upstream.ts"
import type { Happening, World } from "../world.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const clamp = (value: number, minimum: number, maximum: number): number => Math.min(maximum, Math.max(minimum, value))
const floorTo = (ms: number, stepMs: number): number => Math.floor(ms / stepMs) * stepMs
const places = (value: number, count: number): number => Number(value.toFixed(count))

/** A time in the form of most of the provider's files: UTC without a zone designator. */
const bare = (ms: number): string => new Date(ms).toISOString().slice(0, 19)
const spaced = (ms: number): string => new Date(ms).toISOString().replace("T", " ").slice(0, 23)
const zoned = (ms: number): string => `${bare(ms)}Z`
/** `2026 Sep 08 1751 UTC`, as messages write it. */
const worded = (ms: number): string => {
  const [, , day, month, year, time] = /^(\w+), (\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(ms).toUTCString()) ?? []
  return `${year} ${month} ${day} ${(time ?? "").slice(0, 5).replace(":", "")} UTC`
}

/** The planetary K index of the world at a time, in thirds, 0 to 9. */
export const kpAt = (world: World, atMs: number): number =>
  places(Math.round(clamp(world.wander("kp", 2.8, 3.6, 2.3 * DAY_MS, atMs), 0, 9) * 3) / 3, 2)

const flaresOf = (world: World, fromMs: number, toMs: number): ReadonlyArray<Happening> =>
  world.happenings("flare", 0.4, fromMs - 3 * HOUR_MS, toMs)

const flareFlux = ({ atMs, random }: Happening, timeMs: number): number => {
  const sinceMs = timeMs - atMs
  if (sinceMs < 0) return 0
  const peak = 10 ** (-6.5 + random("size") ** 3 * 2.5)
  return (
    peak *
    (sinceMs < 8 * MINUTE_MS ? sinceMs / (8 * MINUTE_MS) : Math.exp((8 * MINUTE_MS - sinceMs) / (25 * MINUTE_MS)))
  )
}

/** X-ray flux at 0.1 to 0.8 nm of each minute in [fromMs, toMs), W/m2. */
export const xrayFluxes = (world: World, fromMs: number, toMs: number) => {
  const flares = flaresOf(world, fromMs, toMs)
  const backgrounds = new Map<number, number>()
  const background = (atMs: number) => {
    const hourMs = floorTo(atMs, HOUR_MS)
    const known = backgrounds.get(hourMs) ?? 10 ** world.wander("xray", -6.6, 0.4, 9 * DAY_MS, hourMs)
    backgrounds.set(hourMs, known)
    return known
  }
  return Array.from({ length: Math.max(0, Math.floor((toMs - fromMs) / MINUTE_MS)) }, (_, index) => {
    const atMs = fromMs + index * MINUTE_MS
    return { atMs, flux: flares.reduce((sum, flare) => sum + flareFlux(flare, atMs), background(atMs)) }
  })
}

const kpProduct = (world: World) => {
  const lastMs = floorTo(world.nowMs, 3 * HOUR_MS) - 3 * HOUR_MS
  return Array.from({ length: 56 }, (_, index) => {
    const atMs = lastMs - (55 - index) * 3 * HOUR_MS
    const kp = kpAt(world, atMs)
    return { time_tag: bare(atMs), Kp: kp, a_running: Math.round(kp ** 2 * 2.1), station_count: 8 }
  })
}

const kpMinutes = (world: World) => {
  const endMs = floorTo(world.nowMs, MINUTE_MS)
  return Array.from({ length: 358 }, (_, index) => {
    const atMs = endMs - (358 - index) * MINUTE_MS
    // Each interval's estimate starts low and rises to what the interval will have been.
    const share = (atMs % (3 * HOUR_MS)) / (3 * HOUR_MS)
    const estimate = places(Math.round(kpAt(world, floorTo(atMs, 3 * HOUR_MS)) * Math.min(1, share * 4) * 3) / 3, 2)
    const whole = Math.round(estimate)
    const third = estimate > whole ? "P" : estimate < whole ? "M" : "Z"
    return { time_tag: bare(atMs), kp_index: whole, estimated_kp: estimate, kp: `${whole}${third}` }
  })
}

/** Speed (km/s) and density (per cm3) of the world's solar wind at a time. */
export const windAt = (world: World, atMs: number) => ({
  speed: places(world.wander("wind speed", 460, 130, 4 * DAY_MS, atMs), 2),
  density: places(Math.max(0.1, world.wander("wind density", 5, 4.5, 8 * HOUR_MS, atMs)), 2),
})

const spacecraft = [
  { source: "IMAP", active: false, offset: 0.93 },
  { source: "SOLAR1", active: true, offset: 1 },
] as const

const wind = (world: World) => {
  const endMs = floorTo(world.nowMs, MINUTE_MS) - 2 * MINUTE_MS
  return Array.from({ length: 150 }, (_, index) => endMs - index * MINUTE_MS).flatMap((atMs) => {
    const { speed, density } = windAt(world, atMs)
    return spacecraft.map(({ source, active, offset }) => ({
      time_tag: bare(atMs),
      active,
      source,
      proton_speed: places(speed * offset, 2),
      proton_temperature: Math.round(speed * 180),
      proton_density: places(density * offset, 2),
      proton_vx_gse: null,
      proton_vy_gse: null,
      proton_vz_gse: null,
      proton_sample_size: 1,
      alpha_speed: null,
      alpha_temperature: null,
      alpha_density: null,
      max_telemetry_flag: 0,
      overall_quality: 0,
    }))
  })
}

const xrays = (world: World) => {
  const endMs = floorTo(world.nowMs, MINUTE_MS)
  return xrayFluxes(world, endMs - DAY_MS, endMs).flatMap(({ atMs, flux }) =>
    [
      { energy: "0.05-0.4nm", flux: flux / 12, contaminated: true },
      { energy: "0.1-0.8nm", flux, contaminated: false },
    ].map(({ energy, flux, contaminated }) => ({
      time_tag: zoned(atMs),
      satellite: 18,
      // The wire carries 32-bit floats.
      flux: Math.fround(flux),
      observed_flux: Math.fround(flux * 1.1),
      electron_correction: Math.fround(flux * 0.1),
      electron_contaminaton: contaminated,
      energy,
    })),
  )
}

const impacts =
  "\r\n\r\nNOAA Space Weather Scale descriptions can be found at\r\nwww.swpc.noaa.gov/noaa-scales-explanation\r\n\r\nPotential Impacts: Area of impact primarily poleward of 60 degrees Geomagnetic Latitude."

const message = (product: string, code: string, serial: number, issuedMs: number, text: string) => ({
  product_id: product,
  issue_datetime: spaced(issuedMs),
  message: `Space Weather Message Code: ${code}\r\nSerial Number: ${serial}\r\nIssue Time: ${worded(issuedMs)}\r\n\r\n${text}`,
})

/** Messages of the last eight days: K-index alerts of disturbed intervals, with their warnings, and electron alerts. */
const alerts = (world: World) => {
  const intervals = Array.from({ length: 64 }, (_, index) => floorTo(world.nowMs, 3 * HOUR_MS) - index * 3 * HOUR_MS)
  const storms = intervals.flatMap((startMs) => {
    const level = Math.floor(kpAt(world, startMs))
    if (level < 4) return []
    const serial = 2000 + (Math.floor(startMs / (3 * HOUR_MS)) % 1000)
    const scale = level >= 5 ? `\nNoaa Scale: G${Math.min(5, level - 4)} - Minor` : ""
    const code = `K0${level}`
    return [
      message(
        `${code}A`,
        `ALT${code}`,
        serial,
        startMs + 70 * MINUTE_MS,
        `ALERT: Geomagnetic K-index of ${level} \nThreshold Reached: ${worded(startMs + 68 * MINUTE_MS)}\nActive Warning: YES${scale}\nComment: ${impacts}`,
      ),
      message(
        `${code}W`,
        `WAR${code}`,
        serial,
        startMs + 10 * MINUTE_MS,
        `WARNING: Geomagnetic K-index of ${level} expected\nValid From: ${worded(startMs)}\nValid To: ${worded(startMs + 9 * HOUR_MS)}\nWarning Condition: Onset${scale}${impacts}`,
      ),
    ]
  })
  const electrons = Array.from({ length: 8 }, (_, index) => floorTo(world.nowMs, DAY_MS) - index * DAY_MS).flatMap(
    (dayMs) =>
      world.random("electrons", dayMs) < 0.4
        ? [
            message(
              "EF3A",
              "ALTEF3",
              3000 + (Math.floor(dayMs / DAY_MS) % 1000),
              dayMs + 6 * HOUR_MS,
              "CONTINUED ALERT: Electron 2MeV Integral Flux exceeded 1,000pfu\nYesterday Maximum 2MeV Flux: 1828 pfu",
            ),
          ]
        : [],
  )
  const now = spaced(world.nowMs)
  return [...storms, ...electrons]
    .filter(({ issue_datetime }) => issue_datetime <= now)
    .sort((a, b) => (a.issue_datetime < b.issue_datetime ? 1 : -1))
    .slice(0, 28)
}

const files: Readonly<Record<string, (world: World) => object>> = {
  "/products/noaa-planetary-k-index.json": kpProduct,
  "/json/planetary_k_index_1m.json": kpMinutes,
  "/json/rtsw/rtsw_wind_1m.json": wind,
  "/json/goes/primary/xrays-1-day.json": xrays,
  "/products/alerts.json": alerts,
}

export default simulatedUpstream({
  name: "noaa-swpc",
  hosts: ["services.swpc.noaa.gov"],
  answer: ({ path }, world) => {
    const file = files[path]
    return file === undefined ? null : { body: file(world) }
  },
})
