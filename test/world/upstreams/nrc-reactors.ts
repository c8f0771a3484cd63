import { dayOf } from "../../../schemas/day.ts"
import { simulatedUpstream } from "../upstream.ts"
import type { World } from "../world.ts"

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** The real file holds 365 days in 1.3 MB; the world is polled far more often. */
const DAYS = 30
/** The report of a day is published at this time of it. */
const PUBLISHED_MS = 12 * HOUR_MS
/** A unit refuels once in so many days, and is offline for so long. */
const CYCLE_DAYS = 540
const OUTAGE_DAYS = 35
/** Before it refuels its power falls by about a percent a day. */
const COAST_DAYS = 12
/** Units may run at reduced power for such a stretch. */
const STRETCH_DAYS = 5

const names = ["Albatros", "Cormorant", "Dunlin", "Gannet", "Heron", "Kestrel", "Lapwing", "Osprey", "Petrel", "Tern"]
const places = ["Bay", "Creek", "Ferry", "Point", "Ridge"]

/** The units of the world, two at a plant, by name. */
export const reactorUnits = names
  .flatMap((name) => places.flatMap((place) => [1, 2].map((number) => `${name} ${place} ${number}`)))
  .slice(0, 95)

/** The power of a unit on a day, counted from the epoch, in percent. Some units are always offline. */
const powerOf = (world: World, index: number, day: number): number => {
  const toOutage =
    CYCLE_DAYS - 1 - ((day + Math.floor((index * CYCLE_DAYS) / reactorUnits.length)) % CYCLE_DAYS) - OUTAGE_DAYS
  if (toOutage < 0) return 0
  if (toOutage < COAST_DAYS) return 100 - COAST_DAYS + toOutage
  const draw = world.random("reactor", index, Math.floor(day / STRETCH_DAYS))
  return draw < 0.04 ? 40 + Math.floor(draw * 1_400) : draw > 0.999 ? 101 : 100
}

/** The newest day that is reported now, counted from the epoch. */
const newestDay = ({ nowMs }: World): number => Math.floor((nowMs - PUBLISHED_MS) / DAY_MS)

/** The report of a day, counted from the epoch: one unit is missing, another one each day. */
const reportOf = (world: World, day: number) => {
  const missing = Math.floor(world.random("reactor missing", day) * reactorUnits.length)
  return reactorUnits.flatMap((unit, index) => (index === missing ? [] : [{ unit, power: powerOf(world, index, day) }]))
}

/** The newest report. */
export const newestReport = (world: World) => {
  const day = newestDay(world)
  return { date: dayOf(day * DAY_MS), units: reportOf(world, day) }
}

/** A day in the order of the United States, without leading zeros. */
const american = (day: number): string => {
  const date = new Date(day * DAY_MS)
  return `${date.getUTCMonth() + 1}/${date.getUTCDate()}/${date.getUTCFullYear()} 12:00:00 AM`
}

export default simulatedUpstream({
  name: "nrc-reactors",
  hosts: ["www.nrc.gov"],
  answer: ({ path }, world) => {
    if (!path.endsWith("/reactor-status/PowerReactorStatusForLast365Days.txt")) return null
    const newest = newestDay(world)
    const lines = Array.from({ length: DAYS }, (_, index) => newest - index).flatMap((day) =>
      reportOf(world, day).map(({ unit, power }) => `${american(day)}|${unit}|${power}`),
    )
    // The real file ends with a line of one blank.
    return { contentType: "text/plain", body: `${["ReportDt|Unit|Power", ...lines, " "].join("\r\n")}\r\n` }
  },
})
