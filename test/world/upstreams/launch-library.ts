import { createHash } from "node:crypto"
import * as Schema from "effect/Schema"
import { Launch } from "../../../schemas/feeds/launches.ts"
import { givenFeed, givenId } from "../given.ts"
import { simulatedUpstream, type WorldReply, type WorldRequest } from "../upstream.ts"
import type { World } from "../world.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Launches stay in the list for a day. */
const SHOWN_AFTER_MS = DAY_MS
/** The time from a launch to its status Success. */
const FLIGHT_MS = 12 * MINUTE_MS
/** How far ahead launches are announced. */
const AHEAD_DAYS = 45
/** Launches further ahead may be dated to a month only. */
const FIRM_WITHIN_MS = 10 * DAY_MS

const vehicles = [
  ["Kestrel 3", "Northern Launch Company"],
  ["Albatros 2", "Syldavian Space Agency"],
  ["Long Heron 5B", "Borduria Aerospace"],
  ["Petrel Heavy", "Tidal Rockets"],
] as const
const missions = ["Survey Satellite", "Weather Relay", "Cargo to the Station", "Lighthouse Group", "Rideshare"] as const
const pads = [
  ["Pad 2", "Kodiak Launch Complex, Alaska, USA", 57.4358, -152.3378],
  ["Launch Area 1", "Kourou, French Guiana", 5.239, -52.768],
  ["LC-7", "Hualien Spaceport", 24.0, 121.61],
] as const

/** A launch of the world: one lifts off on each day, at an hour of its own. */
export interface WorldLaunch {
  readonly id: string
  readonly name: string
  /** The time of liftoff. */
  readonly atMs: number
  /** The time that is announced now; a placeholder where `isFirm` is false. */
  readonly netMs: number
  readonly isFirm: boolean
  readonly status: readonly [id: number, name: string, abbrev: string]
  readonly updatedMs: number
}

const endOfMonth = (ms: number): number => {
  const day = new Date(ms)
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)
}

/** The launch of a day, counted from the epoch, as the catalogue has it at the world's time. */
const launchOf = (world: World, day: number): WorldLaunch => {
  const { nowMs } = world
  const random = (label: string) => world.random("launch", day, label)
  const pick = <One>(all: ReadonlyArray<One>, label: string): One => all[Math.floor(random(label) * all.length)] as One
  const atMs = day * DAY_MS + HOUR_MS + Math.floor(random("minute") * 22 * 60) * MINUTE_MS
  // Every launch slips by some hours, which is announced two days before.
  const plannedMs = atMs - (1 + Math.floor(random("slip") * 20)) * HOUR_MS
  const slippedMs = (day - 2) * DAY_MS + Math.floor(random("notice") * 24 * 60) * MINUTE_MS
  const firmFromMs = random("firm") < 0.4 ? atMs - FIRM_WITHIN_MS : 0
  const isFirm = nowMs >= firmFromMs
  const netMs = !isFirm ? endOfMonth(atMs) : nowMs < slippedMs ? plannedMs : atMs
  const announcedMs = atMs - AHEAD_DAYS * DAY_MS
  const status =
    nowMs >= atMs + FLIGHT_MS
      ? random("outcome") < 0.05
        ? ([4, "Launch Failure", "Failure"] as const)
        : ([3, "Launch Successful", "Success"] as const)
      : nowMs >= atMs
        ? ([6, "Launch in Flight", "In Flight"] as const)
        : !isFirm
          ? ([2, "To Be Determined", "TBD"] as const)
          : random("confirmed") < 0.8
            ? ([1, "Go for Launch", "Go"] as const)
            : ([8, "To Be Confirmed", "TBC"] as const)
  const changes = [announcedMs, firmFromMs, slippedMs, atMs, atMs + FLIGHT_MS]
  const [vehicle] = pick(vehicles, "vehicle")
  return {
    id: createHash("sha256")
      .update(`${world.seed} launch ${day}`)
      .digest("hex")
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5"),
    name: `${vehicle} | ${pick(missions, "mission")} ${day % 100}`,
    atMs,
    netMs,
    isFirm,
    status,
    updatedMs: Math.max(...changes.filter((ms) => ms <= nowMs)),
  }
}

/** The launches that the catalogue lists now, by their announced time. */
export const upcomingLaunches = (world: World): ReadonlyArray<WorldLaunch> => {
  const today = Math.floor(world.nowMs / DAY_MS)
  return Array.from({ length: AHEAD_DAYS + 3 }, (_, index) => launchOf(world, today - 2 + index))
    .filter(({ atMs }) => atMs > world.nowMs - SHOWN_AFTER_MS && atMs <= world.nowMs + AHEAD_DAYS * DAY_MS)
    .sort((one, other) => one.netMs - other.netMs || (one.id < other.id ? -1 : 1))
}

const second = (ms: number): string => new Date(ms).toISOString().replace(".000Z", "Z")

const wire = (world: World, version: Version, launch: WorldLaunch) => {
  const old = version === "2.2.0"
  const [vehicle, mission = ""] = launch.name.split(" | ")
  const provider = vehicles.find(([name]) => name === vehicle)?.[1] ?? ""
  const [pad, location, latitude, longitude] = pads[
    Math.floor(world.random("pad", launch.id) * pads.length)
  ] as (typeof pads)[number]
  const [id, name, abbrev] = launch.status
  return {
    id: launch.id,
    url: `https://ll.thespacedevs.com/${version}/${old ? "launch" : "launches"}/${launch.id}/`,
    name: launch.name,
    slug: launch.name.toLowerCase().replace(/[^a-z0-9]+/g, "-"),
    status: { id, name, abbrev, description: "" },
    last_updated: second(Math.floor(launch.updatedMs / 1000) * 1000),
    net: second(launch.netMs),
    net_precision: launch.isFirm
      ? { id: 1, name: "Minute", abbrev: "MIN", description: "The T-0 is accurate to the minute." }
      : { id: 7, name: "Month", abbrev: "M", description: "The T-0 is expected to fall within the given month." },
    window_start: second(launch.netMs),
    window_end: second(launch.netMs + (launch.isFirm ? 4 * HOUR_MS : 0)),
    probability: world.random("probability", launch.id) < 0.5 ? null : old ? -1 : 85,
    weather_concerns: null,
    failreason: "",
    hashtag: null,
    webcast_live: id === 6,
    image: null,
    launch_service_provider: { id: 1, name: provider, type: old ? "Commercial" : { id: 3, name: "Commercial" } },
    rocket: { id: 1, configuration: { id: 1, name: vehicle, full_name: vehicle, variant: "" } },
    mission:
      world.random("unknown mission", launch.id) < 0.05
        ? null
        : {
            id: 1,
            name: mission,
            description: "Carries what its name says.\r\nWeather permitting.",
            type: "Earth Science",
          },
    pad: {
      id: 1,
      name: pad,
      latitude: old ? String(latitude) : latitude,
      longitude: old ? String(longitude) : longitude,
      location: { id: 1, name: location },
    },
  }
}

type Version = "2.2.0" | "2.3.0"
const versions: Readonly<Record<string, Version>> = {
  "/2.3.0/launches/upcoming/": "2.3.0",
  "/2.2.0/launch/upcoming/": "2.2.0",
}

/** A page of the list; null for a path that is none. */
const pageOf = (
  { path, query }: WorldRequest,
  entries: (version: Version) => ReadonlyArray<object>,
): WorldReply | null => {
  const version = versions[path]
  if (version === undefined) return null
  const all = entries(version)
  const limit = Math.min(100, Number(query.get("limit") ?? 10))
  return {
    body: {
      count: all.length,
      next: all.length > limit ? `https://ll.thespacedevs.com${path}?limit=${limit}&offset=${limit}` : null,
      previous: null,
      results: all.slice(0, limit),
    },
  }
}

const { fields } = Launch
/** A row of the endpoint: what it leaves out is null, and its status Go. */
const GivenLaunch = Schema.Struct({
  name: fields.name,
  net: fields.net,
  id: Schema.optionalKey(fields.id),
  provider: Schema.optionalKey(fields.provider),
  vehicle: Schema.optionalKey(fields.vehicle),
  mission: Schema.optionalKey(fields.mission),
  status: Schema.optionalKey(fields.status),
  status_abbrev: Schema.optionalKey(fields.statusAbbreviation),
  net_precision: Schema.optionalKey(fields.netPrecision),
  window_start: Schema.optionalKey(fields.windowStart),
  window_end: Schema.optionalKey(fields.windowEnd),
  pad: Schema.optionalKey(fields.pad),
  location: Schema.optionalKey(fields.location),
  lat: Schema.optionalKey(fields.latitude),
  lon: Schema.optionalKey(fields.longitude),
  probability: Schema.optionalKey(fields.probabilityPercent),
  webcast_live: Schema.optionalKey(fields.webcastLive),
  url: Schema.optionalKey(fields.url),
})

const named = (name: string | null | undefined) => (name == null ? null : { name })
const degrees = (version: Version, value: number | null | undefined) =>
  value == null ? null : version === "2.2.0" ? String(value) : value

const wireOfGiven = (version: Version, row: typeof GivenLaunch.Type) => ({
  id: row.id ?? givenId(row),
  url: row.url ?? null,
  name: row.name,
  status: { name: row.status ?? "Go for Launch", abbrev: row.status_abbrev ?? "Go" },
  net: row.net,
  net_precision: named(row.net_precision),
  window_start: row.window_start ?? null,
  window_end: row.window_end ?? null,
  probability: row.probability ?? null,
  webcast_live: row.webcast_live ?? null,
  last_updated: null,
  launch_service_provider: named(row.provider),
  rocket: { configuration: { name: row.vehicle ?? null } },
  mission: named(row.mission),
  pad: {
    name: row.pad ?? null,
    latitude: degrees(version, row.lat),
    longitude: degrees(version, row.lon),
    location: named(row.location),
  },
})

export default simulatedUpstream({
  name: "launch-library",
  hosts: ["ll.thespacedevs.com"],
  answer: (request, world) =>
    pageOf(request, (version) => upcomingLaunches(world).map((launch) => wire(world, version, launch))),
  given: givenFeed({
    paths: ["/api/launches"],
    item: GivenLaunch,
    answer: (rows) => (request) => pageOf(request, (version) => rows.map((row) => wireOfGiven(version, row))),
  }),
})
