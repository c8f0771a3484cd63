import {
  type AirportEvent,
  type AirportEventKind,
  type Closure,
  type DailyWindow,
  faaStatus,
  faaStatusEndpoint,
  weekdays,
} from "../../schemas/feeds/faa-status.ts"
import { from, nextAfter, until, view } from "../view/view.ts"

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const minutesMs = (timeOfDay: string): number => {
  const [hours = 0, minutes = 0] = timeOfDay.split(":").map(Number)
  return (hours * 60 + minutes) * MINUTE_MS
}

/** When the window that begins on a day begins and ends; null on a day on which none begins. */
const windowOn = (dayMs: number, { from, to, weekdays: days }: DailyWindow): readonly [number, number] | null => {
  const day = weekdays[new Date(dayMs).getUTCDay()]
  if (day === undefined || days?.includes(day) === false) return null
  const [fromMs, toMs] = [minutesMs(from), minutesMs(to)]
  return [dayMs + fromMs, dayMs + toMs + (toMs > fromMs ? 0 : DAY_MS)]
}

/** The windows of the day before, of the day and of the next. */
const windowsAround = (nowMs: number, window: DailyWindow): ReadonlyArray<readonly [number, number]> => {
  const todayMs = Math.floor(nowMs / DAY_MS) * DAY_MS
  return [todayMs - DAY_MS, todayMs, todayMs + DAY_MS].flatMap((dayMs) => {
    const one = windowOn(dayMs, window)
    return one === null ? [] : [one]
  })
}

/** Whether an airport is closed at `nowMs`; null where the hours of its closure are not read. */
export const isClosedAt = (
  { startsAt, endsAt, isAtCertainHours, dailyWindow }: Closure,
  nowMs: number,
): boolean | null => {
  if (startsAt !== null && nowMs < Date.parse(startsAt)) return false
  if (endsAt !== null && nowMs >= Date.parse(endsAt)) return false
  if (!isAtCertainHours) return true
  if (dailyWindow === null) return null
  return windowsAround(nowMs, dailyWindow).some(([fromMs, toMs]) => nowMs >= fromMs && nowMs < toMs)
}

/**
 * The instants at which an airport may open or close: the ends of the period, those of the windows around `nowMs`, and the next midnight,
 * after which other windows are around.
 */
export const closureChangesMs = ({ startsAt, endsAt, dailyWindow }: Closure, nowMs: number): ReadonlyArray<number> => [
  ...[startsAt, endsAt].flatMap((at) => (at === null ? [] : [Date.parse(at)])),
  ...(dailyWindow === null
    ? []
    : [...windowsAround(nowMs, dailyWindow).flat(), (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS]),
]

const ofKind = <Kind extends AirportEventKind>(events: ReadonlyArray<AirportEvent>, kind: Kind) =>
  events.filter((event): event is Extract<AirportEvent, { readonly kind: Kind }> => event.kind === kind)

const places = ({ airport, reason }: AirportEvent) => ({ airport, reason })
const period = ({ startsAt, endsAt }: Closure) => ({ start: startsAt, reopen: endsAt })

export default view({
  endpoint: faaStatusEndpoint,
  reads: { status: from(faaStatus) },
  // An airport closes and opens at its hours, also without a new observation.
  clock: true,
  build: ({ status }, { nowMs }) => {
    const { items, facts } = status.payload
    const listed = items.filter((event): event is Closure => event.kind === "closure" || event.kind === "restriction")
    const closures = listed.filter(({ kind }) => kind === "closure")
    const restrictions = listed.filter(({ kind }) => kind === "restriction")
    const data = {
      updated: facts.updatedAt,
      ground_stops: ofKind(items, "ground_stop").map((event) => ({ ...places(event), end_time: event.endTime })),
      ground_delays: ofKind(items, "ground_delay").map((event) => ({
        ...places(event),
        avg_minutes: event.averageMinutes,
        max_minutes: event.maximumMinutes,
      })),
      closures: closures.map((event) => ({
        ...places(event),
        ...period(event),
        daily_window: event.dailyWindow,
        closed_now: isClosedAt(event, nowMs),
      })),
      delays: ofKind(items, "delay").map((event) => ({
        ...places(event),
        direction: event.direction,
        min_minutes: event.minimumMinutes,
        max_minutes: event.maximumMinutes,
        trend: event.trend,
      })),
      restrictions: restrictions.map((event) => ({ ...places(event), ...period(event) })),
      total_events: items.length - restrictions.length,
    }
    const changes = closures.flatMap((event) => closureChangesMs(event, nowMs))
    return until(data, nextAfter(nowMs, changes))
  },
})
