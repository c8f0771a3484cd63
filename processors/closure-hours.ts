import { type Closure, type DailyWindow, weekdays } from "../schemas/feeds/faa-status.ts"

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
 * The instants at which that may change: the ends of the period, those of the windows around `nowMs`, and the next midnight,
 * after which other windows are around.
 */
export const closureChangesMs = ({ startsAt, endsAt, dailyWindow }: Closure, nowMs: number): ReadonlyArray<number> => [
  ...[startsAt, endsAt].flatMap((at) => (at === null ? [] : [Date.parse(at)])),
  ...(dailyWindow === null
    ? []
    : [...windowsAround(nowMs, dailyWindow).flat(), (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS]),
]
