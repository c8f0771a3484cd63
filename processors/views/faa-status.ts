import {
  type AirportEvent,
  type AirportEventKind,
  type Closure,
  type DailyWindow,
  faaStatus,
  faaStatusEndpoint,
  weekdays,
} from "../../schemas/feeds/faa-status.ts"
import { changesOf, from, nextAfter, until, view } from "../view/view.ts"

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

type EventOf<Kind extends AirportEventKind> = Extract<AirportEvent, { readonly kind: Kind }>

const ofKind = <Kind extends AirportEventKind>(events: ReadonlyArray<AirportEvent>, kind: Kind) =>
  events.filter((event): event is EventOf<Kind> => event.kind === kind)

const places = ({ airport, reason }: AirportEvent) => ({ airport, reason })
const groundStopRow = (event: EventOf<"ground_stop">) => ({ ...places(event), end_time: event.endTime })
const groundDelayRow = (event: EventOf<"ground_delay">) => ({
  ...places(event),
  avg_minutes: event.averageMinutes,
  max_minutes: event.maximumMinutes,
})
const delayRow = (event: EventOf<"delay">) => ({
  ...places(event),
  direction: event.direction,
  min_minutes: event.minimumMinutes,
  max_minutes: event.maximumMinutes,
  trend: event.trend,
})
const restrictionRow = (event: Closure) => ({ ...places(event), start: event.startsAt, reopen: event.endsAt })
const closureRow = (event: Closure) => ({ ...restrictionRow(event), daily_window: event.dailyWindow })

/** The row of an event in the list of its kind, without whether an airport is closed now: that depends on the time. */
const eventRow = (event: AirportEvent) => {
  switch (event.kind) {
    case "ground_stop":
      return groundStopRow(event)
    case "ground_delay":
      return groundDelayRow(event)
    case "delay":
      return delayRow(event)
    case "closure":
      return closureRow(event)
    case "restriction":
      return restrictionRow(event)
  }
}

export default view({
  endpoint: faaStatusEndpoint,
  reads: { status: from(faaStatus) },
  // An airport closes and opens at its hours, also without a new observation.
  clock: true,
  changes: [changesOf(faaStatus, eventRow)],
  build: ({ status }, { nowMs }) => {
    const { items, facts } = status.payload
    const listed = items.filter((event): event is Closure => event.kind === "closure" || event.kind === "restriction")
    const closures = listed.filter(({ kind }) => kind === "closure")
    const restrictions = listed.filter(({ kind }) => kind === "restriction")
    const data = {
      updated: facts.updatedAt,
      ground_stops: ofKind(items, "ground_stop").map(groundStopRow),
      ground_delays: ofKind(items, "ground_delay").map(groundDelayRow),
      closures: closures.map((event) => ({ ...closureRow(event), closed_now: isClosedAt(event, nowMs) })),
      delays: ofKind(items, "delay").map(delayRow),
      restrictions: restrictions.map(restrictionRow),
      total_events: items.length - restrictions.length,
    }
    const changes = closures.flatMap((event) => closureChangesMs(event, nowMs))
    return until(data, nextAfter(nowMs, changes))
  },
})
