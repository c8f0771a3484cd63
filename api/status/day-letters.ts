import {
  CHECKED_SHARE_MIN,
  type DayState,
  DOWN_SHARE,
  dayStates,
  GOOD_SHARE_MIN,
  STATUS_DAYS,
} from "../../schemas/endpoints/status.ts"

/** Checks of a whole day, one each five minutes. */
export const DAY_CHECKS = 288

/** The checks of one feed on the days that have any: three lists side by side, `days` counted from the first day. */
export interface FeedDays {
  readonly days: ReadonlyArray<number>
  readonly checks: ReadonlyArray<number>
  readonly oks: ReadonlyArray<number>
}

/** Below this many possible checks a day that has begun is not called missed. */
const EXPECTED_MIN = 12

/** The greatest number of checks that any feed had, by day: how much of the day this service was there. */
const checksByDay = (feeds: Iterable<FeedDays>): ReadonlyArray<number> => {
  const most = Array.from({ length: STATUS_DAYS }, () => 0)
  for (const { days, checks } of feeds)
    days.forEach((day, at) => {
      most[day] = Math.max(most[day] ?? 0, checks[at] ?? 0)
    })
  return most
}

const judged = (checks: number, oks: number): DayState => {
  const share = oks / checks
  return share >= GOOD_SHARE_MIN ? "good" : share < DOWN_SHARE ? "down" : "degraded"
}

/**
 * The letters of each feed. A day is missed when this service was away for most of it, which the checks of all feeds together
 * show; a day without a check of one feed alone is unrecorded, as is everything before the first check. `elapsedToday`: the
 * checks that the last day can have had so far.
 */
export const dayLetters = (feeds: ReadonlyMap<string, FeedDays>, elapsedToday: number): ReadonlyMap<string, string> => {
  const most = checksByDay(feeds.values())
  const begin = most.findIndex((checks) => checks > 0)
  const expected = (day: number) => (day === STATUS_DAYS - 1 ? elapsedToday : DAY_CHECKS)
  // The service may have been started late on its first day.
  const isMissed = (day: number) =>
    day > begin && expected(day) >= EXPECTED_MIN && (most[day] ?? 0) < CHECKED_SHARE_MIN * expected(day)
  return new Map(
    [...feeds].map(([feed, { days, checks, oks }]) => {
      const at = new Map(days.map((day, index) => [day, index]))
      const first = Math.min(...days)
      const states = Array.from({ length: STATUS_DAYS }, (_, day): DayState => {
        if (day < first) return "unrecorded"
        if (isMissed(day)) return "missed"
        const index = at.get(day)
        return index === undefined ? "unrecorded" : judged(checks[index] ?? 0, oks[index] ?? 0)
      })
      return [feed, states.map((state) => dayStates[state]).join("")]
    }),
  )
}
