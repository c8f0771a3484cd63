import { declared, failed, type GivenEvent, observed, tick } from "./folding.ts"

const MINUTE_MS = 60_000
const WEEK_MINUTES = 7 * 24 * 60

/** The Monday on which the week begins. */
export const WEEK_BEGINS_MS = Date.parse("2026-09-07T00:00:00.000Z")

/** An instant of the week: its day (0 to 6) and time. */
const inWeek = (day: number, time: string): string => {
  const date = new Date(WEEK_BEGINS_MS + day * 24 * 60 * MINUTE_MS).toISOString().slice(0, 10)
  return `${date}T${time}:00.000Z`
}

const minuteOf = (day: number, time: string): number => (Date.parse(inWeek(day, time)) - WEEK_BEGINS_MS) / MINUTE_MS

type Span = readonly [fromMinute: number, toMinute: number]
const span = (day: number, from: string, toDay: number, to: string): Span => [minuteOf(day, from), minuteOf(toDay, to)]
const isIn = (spans: ReadonlyArray<Span>, minute: number): boolean =>
  spans.some(([from, to]) => minute >= from && minute < to)

/** The feeds of the week: two that are polled every five minutes, and one that is polled every six hours. */
const polled = [
  { feed: "steady", everyMinutes: 5, fails: [] },
  {
    feed: "shaky",
    everyMinutes: 5,
    fails: [span(4, "12:00", 4, "13:00"), span(5, "06:00", 5, "10:00"), span(6, "14:00", 6, "14:21")],
  },
  { feed: "slow", everyMinutes: 360, fails: [] },
] as const

/** Downtimes of the service: short, across midnight, twice in a row, within an outage, for more than a day, at the end. */
const away = [
  span(0, "10:01", 0, "10:04"),
  span(1, "03:01", 1, "03:14"),
  span(2, "22:30", 3, "02:00"),
  span(4, "05:01", 4, "05:13"),
  span(4, "05:14", 4, "05:16"),
  span(5, "07:02", 5, "08:03"),
  span(5, "12:00", 6, "14:00"),
  span(6, "23:31", 6, "23:56"),
]
/** A start that ends before its first poll. */
const CUT_SHORT = minuteOf(4, "05:13")

/**
 * The events of the ingest role in the week: a tick every five minutes while it runs, at each start and before each end, a
 * declaration at each start, and, half a minute after a full minute, a poll of each feed that is due. A success is fresh for
 * twice the interval and 15 seconds.
 */
export const monitoredWeek = (): ReadonlyArray<GivenEvent> => {
  const events: Array<GivenEvent> = []
  const dueMinute = new Map<string, number>()
  for (let minute = 0; minute < WEEK_MINUTES; minute += 1) {
    if (isIn(away, minute)) continue
    const atMs = WEEK_BEGINS_MS + minute * MINUTE_MS
    if (minute === 0 || isIn(away, minute - 1))
      events.push(
        declared(
          atMs,
          polled.map(({ feed }) => ({ feed, provider: `Upstream.${feed}` })),
        ),
      )
    if (minute % 5 === 0 || isIn(away, minute - 1) || isIn(away, minute + 1)) events.push(tick(atMs))
    if (minute === CUT_SHORT) continue
    for (const { feed, everyMinutes, fails } of polled) {
      if (minute < (dueMinute.get(feed) ?? 0)) continue
      dueMinute.set(feed, minute + everyMinutes)
      const provider = `Upstream.${feed}`
      const freshForMs = 2 * everyMinutes * MINUTE_MS + 15_000
      events.push(
        isIn(fails, minute)
          ? failed(atMs + 30_000, feed, "status", "500", { provider })
          : observed(atMs + 30_000, feed, null, { provider, freshForMs }),
      )
    }
  }
  return events
}

const days = (counts: ReadonlyArray<readonly [ok: number, stale: number, dark: number]>) =>
  counts.map(([ok, stale, dark], day) => ({ date: inWeek(day, "00:00").slice(0, 10), ok, stale, dark }))

/** The monitor's verdicts of the week, counted by hand from the script above: 2,016 slots for each feed. */
export const weekExpected = {
  /** Verdicts of the three feeds together. */
  checks: 3 * 2016 - 377 - 372 - 378,
  breakdown: {
    shaky: {
      counts: { ok: 1587, stale: 47, dark: 5, missed: 377 },
      interruptions: 3,
      status: "ok",
      status_since: inWeek(6, "14:30"),
      longest_outage: {
        from: inWeek(5, "06:10"),
        until: inWeek(5, "10:05"),
        // 11 checks before the downtime, 25 after it; the 11 slots between them have no verdict.
        seconds: 10_800,
        checks: 36,
        dark_checks: 0,
        ongoing: false,
      },
    },
    slow: {
      counts: { ok: 1644, stale: 0, dark: 0, missed: 372 },
      interruptions: 0,
      status: "ok",
      status_since: inWeek(0, "00:00"),
      longest_outage: null,
    },
    steady: {
      counts: { ok: 1638, stale: 0, dark: 0, missed: 378 },
      interruptions: 0,
      status: "ok",
      status_since: inWeek(0, "00:00"),
      longest_outage: null,
    },
  },
  daily: {
    shaky: days([
      [288, 0, 0],
      [286, 0, 0],
      [270, 0, 0],
      [263, 0, 0],
      [274, 11, 0],
      [97, 36, 0],
      [109, 0, 5],
    ]),
    steady: days([
      [288, 0, 0],
      [286, 0, 0],
      [270, 0, 0],
      [263, 0, 0],
      [285, 0, 0],
      [132, 0, 0],
      [114, 0, 0],
    ]),
  },
} as const
