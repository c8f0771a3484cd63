import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { OUTAGE_DAYS, OUTAGES_MAX, STATUS_DAYS } from "../../schemas/endpoints/status.ts"
import { instant } from "../../schemas/event.ts"
import type { History } from "../../schemas/ports/history.ts"
import { DAY_CHECKS, dayLetters, type FeedDays } from "./day-letters.ts"

const DAY_MS = 86_400_000
const CHECK_EVERY_MS = DAY_MS / DAY_CHECKS
/** More rows than an installation has feeds: the table of reliability has about a hundred. */
const FEEDS_MAX = 500

/** What the history knows of one feed. */
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

/** What the history knows of all feeds. */
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

/** The beginning of the slot of a check, which comes a moment later. */
const slotOf = (seconds: number): number => Math.floor((seconds * 1000) / CHECK_EVERY_MS) * CHECK_EVERY_MS

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, one) => total + one, 0)

/** Reads what the history knows of all feeds: their days, and their latest outages. */
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
