import { simulatedUpstream } from "../upstream.ts"
import type { Happening, World } from "../world.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** The minutes of each day (UTC) in which all is clear: a few polls, as tests of the service run at any time. */
const CLEAR_FROM_MS = 5 * HOUR_MS + 20 * MINUTE_MS
const CLEAR_MS = 10 * MINUTE_MS

const airports = ["SFO", "JFK", "ORD", "DEN", "ATL", "SEA", "BOS", "LAX", "MIA", "DFW"] as const
const reasons = ["low ceilings", "thunderstorms", "VOL:Compacted Demand", "wind", "TM Initiatives:SWAP:WX"] as const

/** A closure or restriction of the world, in the words of its notice. */
interface WorldNotice {
  readonly airport: string
  readonly notice: string
  readonly startMs: number
  readonly endMs: number
}
/** A stop, program or delay of the world: `minutes` are its shortest, mean or longest delay. */
interface WorldHindrance {
  readonly airport: string
  readonly reason: string
  readonly startMs: number
  readonly endMs: number
  readonly direction: "Arrival" | "Departure"
  readonly minutes: number
}

/** What the list holds at the world's time, each airport once in a list. */
export interface WorldStatus {
  readonly stops: ReadonlyArray<WorldHindrance>
  readonly programs: ReadonlyArray<WorldHindrance>
  readonly delays: ReadonlyArray<WorldHindrance>
  readonly closures: ReadonlyArray<WorldNotice>
  readonly restrictions: ReadonlyArray<WorldNotice>
}

const hindrance = ({ atMs, random }: Happening, lastsMs: number): WorldHindrance => ({
  airport: airports[Math.floor(random("airport") * airports.length)] ?? airports[0],
  reason: reasons[Math.floor(random("reason") * reasons.length)] ?? reasons[0],
  startMs: atMs,
  endMs: atMs + Math.floor((0.4 + 0.6 * random("length")) * lastsMs),
  direction: random("direction") < 0.3 ? "Arrival" : "Departure",
  minutes: 16 + Math.floor(random("minutes") * 80),
})

const hindrances = (world: World, kind: string, perHour: number, lastsMs: number): ReadonlyArray<WorldHindrance> => {
  const current = world
    .happenings(`airport ${kind}`, perHour, world.nowMs - lastsMs, world.nowMs)
    .map((happening) => hindrance(happening, lastsMs))
    .filter(({ endMs }) => endMs > world.nowMs)
  return [...new Map(current.map((one) => [one.airport, one])).values()]
}

const digits = (ms: number): string => new Date(ms).toISOString().replace(/\D/g, "").slice(2, 12)
const dayOf = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS

const notice = (airport: string, number: string, words: string, startMs: number, endMs: number): WorldNotice => ({
  airport,
  notice: `!${airport} ${number} ${airport} AD AP CLSD ${words} ${digits(startMs)}-${digits(endMs)}`,
  startMs,
  endMs,
})

/** One airport is closed every night, one on working days, and each day another one for some hours. */
const closuresOf = ({ nowMs, random }: World): ReadonlyArray<WorldNotice> => {
  const todayMs = dayOf(nowMs)
  const monthMs = todayMs - (new Date(nowMs).getUTCDate() - 1) * DAY_MS
  const startMs = todayMs + Math.floor(random("closure", todayMs) * 18 * 60) * MINUTE_MS
  const once = notice(
    "LFT",
    `${new Date(nowMs).getUTCMonth() + 1}/101`.padStart(6, "0"),
    "EXC EMERG",
    startMs,
    startMs + 3 * HOUR_MS,
  )
  return [
    notice("PVD", "01/028", "EXC HEL DLY 0430-0945", monthMs + 4.5 * HOUR_MS, monthMs + 40 * DAY_MS + 9.75 * HOUR_MS),
    notice("SNA", "01/047", "MON-FRI 2330-0415", monthMs - DAY_MS, monthMs + 40 * DAY_MS),
    ...(nowMs >= startMs - HOUR_MS && nowMs < once.endMs ? [once] : []),
  ]
}

/** The list at the world's time. */
export const airportStatus = (world: World): WorldStatus => {
  const { nowMs } = world
  const ofDayMs = nowMs - dayOf(nowMs)
  if (ofDayMs >= CLEAR_FROM_MS && ofDayMs < CLEAR_FROM_MS + CLEAR_MS)
    return { stops: [], programs: [], delays: [], closures: [], restrictions: [] }
  const yearMs = Date.UTC(new Date(nowMs).getUTCFullYear(), 0, 1)
  return {
    stops: hindrances(world, "stop", 0.8, 2 * HOUR_MS),
    programs: hindrances(world, "program", 0.6, 5 * HOUR_MS),
    delays: hindrances(world, "delay", 3, 90 * MINUTE_MS),
    closures: closuresOf(world),
    restrictions: [
      notice(
        "LAX",
        "05/277",
        "TO NON SKED TRANSIENT GA ACFT EXC 24HR PPR CTC TIDEWATER AVIATION 310-555-0184",
        yearMs - 219 * DAY_MS,
        yearMs + 400 * DAY_MS,
      ),
      notice("HNL", "06/658", "TO ACFT WINGSPAN MORE THAN 214FT", yearMs - 5 * DAY_MS, yearMs + 400 * DAY_MS),
    ],
  }
}

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ")
const days = "Sun Mon Tue Wed Thu Fri Sat".split(" ")
const two = (number: number): string => String(number).padStart(2, "0")

/** `Wed Jul  1 14:41:01 2026 GMT`, as C writes it. */
const asctime = (ms: number): string => {
  const at = new Date(ms)
  const clock = at.toISOString().slice(11, 19)
  return `${days[at.getUTCDay()]} ${months[at.getUTCMonth()]} ${String(at.getUTCDate()).padStart(2, " ")} ${clock} ${at.getUTCFullYear()} GMT`
}
/** `Jul 07 at 04:30 UTC.` */
const withoutYear = (ms: number): string => {
  const at = new Date(ms)
  return `${months[at.getUTCMonth()]} ${two(at.getUTCDate())} at ${at.toISOString().slice(11, 16)} UTC.`
}
const duration = (minutes: number): string => {
  const hours = Math.floor(minutes / 60)
  const rest = `${minutes % 60} minutes`
  return hours === 0 ? rest : `${hours} hour${hours === 1 ? "" : "s"}${minutes % 60 === 0 ? "" : ` and ${rest}`}`
}
const wall = new Intl.DateTimeFormat("en-US", {
  timeZone: "America/New_York",
  hour: "numeric",
  minute: "2-digit",
  timeZoneName: "short",
})
const localTime = (ms: number): string => wall.format(ms).replace("AM", "am").replace("PM", "pm").replace("\u202f", " ")

const block = (name: string, list: string, entries: ReadonlyArray<string>): string =>
  entries.length === 0 ? "" : `<Delay_type><Name>${name}</Name><${list}>${entries.join("")}</${list}></Delay_type>`

const closure = ({ airport, notice: reason, startMs, endMs }: WorldNotice): string =>
  `<Airport><ARPT>${airport}</ARPT><Reason>${reason}&#xd;</Reason><Start>${withoutYear(startMs)}</Start><Reopen>${withoutYear(endMs)}</Reopen></Airport>`

const xml = (world: World): string => {
  const { stops, programs, delays, closures, restrictions } = airportStatus(world)
  const head = ({ airport, reason }: WorldHindrance) => `<ARPT>${airport}</ARPT><Reason>${reason}</Reason>`
  return [
    `<AIRPORT_STATUS_INFORMATION><Update_Time>${asctime(Math.floor(world.nowMs / MINUTE_MS) * MINUTE_MS)}</Update_Time>`,
    "<Dtd_File>http://www.fly.faa.gov/AirportStatus.dtd</Dtd_File>",
    block(
      "Ground Stop Programs",
      "Ground_Stop_List",
      stops.map((one) => `<Program>${head(one)}<End_Time>${localTime(one.endMs)}</End_Time></Program>`),
    ),
    block(
      "Ground Delay Programs",
      "Ground_Delay_List",
      programs.map(
        (one) =>
          `<Ground_Delay>${head(one)}<Avg>${duration(one.minutes)}</Avg><Max>${duration(one.minutes * 2)}</Max></Ground_Delay>`,
      ),
    ),
    block(
      "General Arrival/Departure Delay Info",
      "Arrival_Departure_Delay_List",
      delays.map(
        (one) =>
          `<Delay>${head(one)}<Arrival_Departure Type="${one.direction}"><Min>${duration(one.minutes)}</Min><Max>${duration(one.minutes + 14)}</Max><Trend>${one.minutes % 2 === 0 ? "Increasing" : "No Change"}</Trend></Arrival_Departure></Delay>`,
      ),
    ),
    block("Airport Closures", "Airport_Closure_List", closures.map(closure)),
    block("Airport Closures", "Airport_Closure_List", restrictions.map(closure)),
    "</AIRPORT_STATUS_INFORMATION>",
  ].join("")
}

export default simulatedUpstream({
  name: "faa-nasstatus",
  hosts: ["nasstatus.faa.gov"],
  answer: ({ path }, world) =>
    path === "/api/airport-status-information" ? { contentType: "application/xml", body: xml(world) } : null,
})
