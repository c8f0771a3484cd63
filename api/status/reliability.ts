import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import {
  CHECKED_SHARE_MIN,
  type DayState,
  DOWN_SHARE,
  dayStates,
  GOOD_SHARE_MIN,
  OUTAGE_DAYS,
  OUTAGES_MAX,
  STATUS_DAYS,
} from "../../schemas/endpoints/status.ts"
import { instant } from "../../schemas/event.ts"
import type { History } from "../../schemas/ports/history.ts"
import type { ApiOptions } from "../routes/route.ts"

// How reliable feeds were, as the history has it: a letter for each day, the uptime, and the latest outages.

/** Checks of a whole day, one each five minutes. */
export const DAY_CHECKS = 288
const DAY_MS = 86_400_000
const CHECK_EVERY_MS = DAY_MS / DAY_CHECKS
/** More rows than an installation has feeds: the table of reliability has about a hundred. */
const FEEDS_MAX = 500
/** Below this many possible checks a day that has begun is not called missed. */
const EXPECTED_MIN = 12
/** How long a record is shown before it is read again; current verdicts come from the view of reliability. */
const FRESH_MS = 5 * 60_000
/** A record that could not be read again is shown for at most this time. */
const SHOWN_MS = 60 * 60_000
/** After a failed read the next one waits. */
const RETRY_MS = 10_000
/** The longest that a page waits for the first record. */
const WAIT_MS = 1_500
/** The longest that one read may take. */
const READ_MS = 15_000

/** The record of one feed. */
interface FeedRecord {
  /** `STATUS_DAYS` letters. */
  readonly days: string
  /** ok / checks over these days. */
  readonly uptime: number
}

/** A run of checks of one feed that were not ok; its last check may be the latest one. */
export interface RecordedOutage {
  readonly feed: string
  /** The beginning of the slot of its first check. */
  readonly fromMs: number
  /** The beginning of the slot of its last check. */
  readonly lastMs: number
  readonly checks: number
  readonly isDark: boolean
}

/** The record of all feeds. */
export interface ReliabilityRecord {
  /** The first day of the letters, UTC. */
  readonly firstDay: string
  readonly feeds: ReadonlyMap<string, FeedRecord>
  /** The latest first. */
  readonly outages: ReadonlyArray<RecordedOutage>
}

/** One row a feed, so that a whole quarter is a hundred rows. */
const DAYS_SQL = `
  SELECT
    instance,
    groupArray(toUInt16(dateDiff('day', {from:Date}, date))) AS day_indexes,
    groupArray(checks) AS day_checks,
    groupArray(ok) AS day_oks
  FROM feed_reliability_daily
  WHERE date >= {from:Date} AND date <= {to:Date}
  GROUP BY instance
  ORDER BY instance
  LIMIT {limit:UInt16}`

const Counts = Schema.Array(Schema.Natural).check(Schema.isMaxLength(STATUS_DAYS))
const DaysRow = Schema.Struct({
  instance: Schema.String,
  day_indexes: Counts,
  day_checks: Counts,
  day_oks: Counts,
})

/** Checks without an ok belong to one outage while the number of ok checks before them is the same. */
const OUTAGES_SQL = `
  SELECT
    instance,
    toUnixTimestamp(min(probed_at)) AS from_seconds,
    toUnixTimestamp(max(probed_at)) AS last_seconds,
    toUInt32(count()) AS checks,
    toUInt8(max(verdict = 'dark')) AS is_dark
  FROM (
    SELECT
      instance, probed_at, verdict,
      countIf(verdict = 'ok') OVER (PARTITION BY feed, instance ORDER BY probed_at) AS oks_before
    FROM feed_probes
    WHERE probed_at >= fromUnixTimestamp({from_seconds:UInt32})
  )
  WHERE verdict != 'ok'
  GROUP BY instance, oks_before
  ORDER BY from_seconds DESC, instance
  LIMIT {limit:UInt16}`

const OutageRow = Schema.Struct({
  instance: Schema.String,
  from_seconds: Schema.Natural,
  last_seconds: Schema.Natural,
  checks: Schema.Natural,
  is_dark: Schema.Natural,
})

/** The beginning of the slot of a check. */
const slotOf = (seconds: number): number => Math.floor((seconds * 1000) / CHECK_EVERY_MS) * CHECK_EVERY_MS

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, one) => total + one, 0)

/** Reads the days of all feeds, and their latest outages, from the history. */
export const readReliability = (history: History, nowMs: number) => {
  const today = instant(nowMs).slice(0, 10)
  const todayMs = Date.parse(`${today}T00:00:00.000Z`)
  const firstDay = instant(todayMs - (STATUS_DAYS - 1) * DAY_MS).slice(0, 10)
  const days = history.query(DAYS_SQL, DaysRow, { from: firstDay, to: today, limit: FEEDS_MAX })
  const outages = history.query(OUTAGES_SQL, OutageRow, {
    from_seconds: Math.floor((nowMs - OUTAGE_DAYS * DAY_MS) / 1000),
    limit: OUTAGES_MAX,
  })
  return Effect.all([days, outages]).pipe(
    Effect.map(([dayRows, outageRows]): ReliabilityRecord => {
      const byFeed = new Map<string, FeedDays>(
        dayRows.map((row) => [row.instance, { days: row.day_indexes, checks: row.day_checks, oks: row.day_oks }]),
      )
      const letters = dayLetters(byFeed, Math.floor((nowMs - todayMs) / CHECK_EVERY_MS))
      return {
        firstDay,
        feeds: new Map(
          [...byFeed].map(([feed, { checks, oks }]) => [
            feed,
            { days: letters.get(feed) ?? "", uptime: Math.floor((sum(oks) / sum(checks)) * 10_000) / 10_000 },
          ]),
        ),
        outages: outageRows.map((row) => ({
          feed: row.instance,
          fromMs: slotOf(row.from_seconds),
          lastMs: slotOf(row.last_seconds),
          checks: row.checks,
          isDark: row.is_dark === 1,
        })),
      }
    }),
  )
}

/** The checks of one feed on the days that have any: three lists side by side, `days` counted from the first day. */
export interface FeedDays {
  readonly days: ReadonlyArray<number>
  readonly checks: ReadonlyArray<number>
  readonly oks: ReadonlyArray<number>
}

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

/** The reliability of the feeds as the history has it, read once for all pages that show it. */
class RecentReliability {
  readonly #history: History | null
  readonly #nowMs: () => number
  readonly #failed: (cause: unknown) => void
  #known: { readonly record: ReliabilityRecord; readonly atMs: number } | null = null
  #reading: Promise<void> | null = null
  #triedMs = Number.NEGATIVE_INFINITY

  constructor(options: Pick<ApiOptions, "billing" | "nowMs" | "logger">) {
    this.#history = options.billing?.history ?? null
    this.#nowMs = options.nowMs
    this.#failed = (cause) =>
      options.logger.error(
        { problem: String(cause) },
        "the reliability of the feeds could not be read from the history",
      )
  }

  /** The record; null where there is none of the last hour. Reads it anew in the background where it is due. */
  current(): ReliabilityRecord | null {
    const nowMs = this.#nowMs()
    // Distances, as the clock may have been set back.
    const ageMs = this.#known === null ? Number.POSITIVE_INFINITY : Math.abs(nowMs - this.#known.atMs)
    // A new installation has its first checks soon.
    const freshMs = this.#known?.record.feeds.size === 0 ? RETRY_MS : FRESH_MS
    const isDue = ageMs >= freshMs && Math.abs(nowMs - this.#triedMs) >= RETRY_MS
    if (isDue && this.#history !== null && this.#reading === null) this.#reading = this.#read(this.#history)
    return ageMs <= SHOWN_MS ? (this.#known?.record ?? null) : null
  }

  /** The same; if there is none yet, waits for the read under way, for at most `WAIT_MS`. */
  async awaited(): Promise<ReliabilityRecord | null> {
    const known = this.current()
    if (known !== null || this.#reading === null) return known
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, WAIT_MS)
    })
    await Promise.race([this.#reading, late])
    clearTimeout(timer)
    return this.current()
  }

  async #read(history: History): Promise<void> {
    const nowMs = this.#nowMs()
    this.#triedMs = nowMs
    try {
      const record = await Effect.runPromise(readReliability(history, nowMs).pipe(Effect.timeout(READ_MS)))
      this.#known = { record, atMs: nowMs }
    } catch (cause) {
      this.#failed(cause)
    } finally {
      this.#reading = null
    }
  }
}

const opened = new WeakMap<ApiOptions, RecentReliability>()

/** The record of an API, which all of its pages share. */
export const recentReliability = (options: ApiOptions): RecentReliability => {
  const known = opened.get(options) ?? new RecentReliability(options)
  opened.set(options, known)
  return known
}
