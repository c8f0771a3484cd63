import type { FeedReliability, FeedScore } from "../../schemas/endpoints/feed-reliability.ts"
import { instant } from "../../schemas/event.ts"
import type { Verdict } from "../../schemas/events/deltas.ts"
import type { RestReason } from "../../schemas/events/observations.ts"
import { CHECK_EVERY_MS, type Checks, countsOf, scoreOf, WINDOW_CHECKS } from "./score.ts"

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Best first: by score, uptime and checks; ties by identifier. */
const better = (a: FeedScore, b: FeedScore): number =>
  b.score - a.score || b.uptime - a.uptime || b.checks - a.checks || byText(a.feed, b.feed)

/** A row that was judged: its id, its provider, its checks, and the latest verdict among them. */
export interface ScoredRow {
  readonly feed: string
  readonly name: string
  readonly checks: Checks
  readonly status: Verdict
}

/** A row that is not polled, and the reason. */
export interface RestingRow {
  readonly feed: string
  readonly name: string
  readonly reason: RestReason
}

/** The published table: the judged rows, and the rows that are not polled. */
export const reliabilityTable = (
  judgedAtMs: number,
  rows: ReadonlyArray<ScoredRow>,
  resting: ReadonlyArray<RestingRow>,
): FeedReliability => {
  const scores = rows.map(({ feed, name, checks, status }): FeedScore => {
    return { feed, name, ...scoreOf(countsOf(checks)), status }
  })
  const ranked = scores.filter((one) => !one.low_coverage).sort(better)
  const lowCoverage = scores.filter((one) => one.low_coverage).sort((a, b) => byText(a.feed, b.feed))
  const having = (status: Verdict) => rows.filter((row) => row.status === status).length
  return {
    captured_at: instant(judgedAtMs),
    window: { days: (WINDOW_CHECKS * CHECK_EVERY_MS) / 86_400_000, interval_minutes: CHECK_EVERY_MS / 60_000 },
    counts: {
      monitored: rows.length,
      ranked: ranked.length,
      low_coverage: lowCoverage.length,
      not_configured: resting.length,
      ok: having("ok"),
      stale: having("stale"),
      dark: having("dark"),
    },
    feeds: ranked.map((one, index) => ({ rank: index + 1, ...one })),
    low_coverage: lowCoverage,
    not_configured: resting.toSorted((a, b) => byText(a.feed, b.feed)),
  }
}
