import * as Effect from "effect/Effect"
import {
  FeedDay,
  type FeedReliabilityHistory,
  feedHistoryNotes,
  feedIds,
  feedListNotes,
  HISTORY_DAYS,
  HISTORY_DAYS_MAX,
  proFeedReliabilityHistoryEndpoint,
} from "../../../schemas/endpoints/pro-feed-reliability-history.ts"
import { instant } from "../../../schemas/event.ts"
import { parseInstanceKey } from "../../../schemas/feed.ts"
import { query } from "../query.ts"

const DAY_MS = 86_400_000

const dayOf = (ms: number): string => instant(ms).slice(0, 10)
const msOf = (day: string): number => Date.parse(`${day}T00:00:00.000Z`)

interface AskedWindow {
  readonly from: string | undefined
  readonly to: string | undefined
}

/** The requested window, both ends included; by default it ends today and is 30 days long. */
const windowOf = (asked: AskedWindow, nowMs: number) => {
  const to = asked.to ?? dayOf(nowMs)
  const from = asked.from ?? dayOf(msOf(to) - (HISTORY_DAYS - 1) * DAY_MS)
  return { from, to, days: Math.round((msOf(to) - msOf(from)) / DAY_MS) + 1 }
}

/** The reply to a call that names no feed. */
const feedList = (asked: AskedWindow, nowMs: number): FeedReliabilityHistory => {
  const { from, to, days } = windowOf(asked, nowMs)
  return {
    feed: null,
    feeds: feedIds,
    from,
    to,
    empty: true,
    series: [],
    sample_size: { days: 0, days_asked: days, checks: 0 },
    notes: feedListNotes,
  }
}

/** Filters by every column of the sorting key of the underlying table, `(feed, instance, probed_at)`. Tables hold percent. */
const SQL = `
  SELECT date, composite, round(uptime_percent / 100, 4) AS uptime, round(availability_percent / 100, 4) AS availability,
         round(stale_percent / 100, 4) AS staleness_rate, round(dark_percent / 100, 4) AS dark_rate, checks, ok, stale, dark
  FROM feed_reliability_daily
  WHERE feed = {feed:String} AND instance = {instance:String} AND date >= {from:Date} AND date <= {to:Date}
  ORDER BY date
  LIMIT {limit:UInt16}`

export default query({
  endpoint: proFeedReliabilityHistoryEndpoint,
  refuse: (asked, nowMs) => {
    const { from, to, days } = windowOf(asked, nowMs)
    if (days < 1) return { parameter: "from", message: `The window begins on ${from}, after its end on ${to}.` }
    if (days > HISTORY_DAYS_MAX)
      return {
        parameter: "from",
        message: `The window has ${days} days; at most ${HISTORY_DAYS_MAX} are served in one call.`,
      }
    return null
  },
  withoutHistory: ({ feed, ...asked }, nowMs) => (feed === undefined ? feedList(asked, nowMs) : null),
  run: (history, { feed, ...asked }, nowMs) => {
    if (feed === undefined) return Effect.succeed({ empty: true, data: feedList(asked, nowMs) })
    const { from, to, days } = windowOf(asked, nowMs)
    const today = dayOf(nowMs)
    const parameters = { feed: parseInstanceKey(feed).name, instance: feed, from, to, limit: HISTORY_DAYS_MAX }
    return history.query(SQL, FeedDay, parameters).pipe(
      Effect.map((rows) => ({
        empty: rows.length === 0,
        data: {
          feed,
          from,
          to,
          empty: rows.length === 0,
          series: rows.map((row) => ({ ...row, complete: row.date < today })),
          sample_size: {
            days: rows.length,
            days_asked: days,
            checks: rows.reduce((sum, { checks }) => sum + checks, 0),
          },
          notes: feedHistoryNotes,
        },
      })),
    )
  },
})
