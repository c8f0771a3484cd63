import { LAUNCHES_SHOWN_MAX, type Launch, launches, launchesEndpoint } from "../../schemas/feeds/launches.ts"
import { changesOf, from, nextAfter, rowsBy, until, view } from "../view/view.ts"

/** Statuses of launches that are listed whatever their time: one on hold has none, one in flight has passed it. */
const LISTED_AT_ANY_TIME = new Set(["Hold", "In Flight"])

const launchRow = (launch: Launch) => ({
  id: launch.id,
  name: launch.name,
  provider: launch.provider,
  vehicle: launch.vehicle,
  mission: launch.mission,
  status: launch.status,
  status_abbrev: launch.statusAbbreviation,
  net: launch.net,
  net_precision: launch.netPrecision,
  window_start: launch.windowStart,
  window_end: launch.windowEnd,
  pad: launch.pad,
  location: launch.location,
  lat: launch.latitude,
  lon: launch.longitude,
  probability: launch.probabilityPercent,
  webcast_live: launch.webcastLive,
  url: launch.url,
})

/** Launches as replies show them. */
export const launchRows = rowsBy(launchRow)

/** Whether a launch is still to come at `nowMs`, on hold or in flight. */
export const isUpcoming = ({ net, statusAbbreviation }: Launch, nowMs: number): boolean =>
  LISTED_AT_ANY_TIME.has(statusAbbreviation) || (net !== null && Date.parse(net) > nowMs)

/** The listed launches at `nowMs`. One leaves the list at its time, also without a new observation. */
export const listedLaunches = (items: ReadonlyArray<Launch>, nowMs: number) => {
  const upcoming = items.filter((launch) => isUpcoming(launch, nowMs))
  const times = upcoming.flatMap(({ net }) => (net === null ? [] : [Date.parse(net)]))
  return until(launchRows(upcoming.slice(0, LAUNCHES_SHOWN_MAX)), nextAfter(nowMs, times))
}

export default view({
  endpoint: launchesEndpoint,
  reads: { catalogue: from(launches) },
  clock: true,
  changes: [changesOf(launches, launchRow)],
  build: ({ catalogue }, { nowMs }) => {
    const { data: rows, changesAtMs } = listedLaunches(catalogue.payload.items, nowMs)
    return until({ count: rows.length, launches: rows }, changesAtMs)
  },
})
