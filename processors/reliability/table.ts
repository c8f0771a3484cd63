import type { FeedReliability, FeedScore } from "../../schemas/endpoints/feed-reliability.ts"
import {
  type FeedBreakdown,
  type ProFeedReliability,
  reliabilityNotes,
} from "../../schemas/endpoints/pro-feed-reliability.ts"
import { instant } from "../../schemas/event.ts"
import type { Verdict } from "../../schemas/events/deltas.ts"
import type { RestReason } from "../../schemas/events/observations.ts"
import {
  CHECK_EVERY_MS,
  type Checks,
  checksOf,
  countsOf,
  DAY_CHECKS,
  NO_CHECK,
  scoreOf,
  WINDOW_CHECKS,
} from "./score.ts"

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

/** The last success of a row: of several instances, that of the one whose success is oldest. */
interface LastSuccess {
  readonly observedAtMs: number
  readonly freshUntilMs: number
  readonly contentAtMs: number | null
}

/** A judged row of the table: its checks end with the slot of the judgement. */
export interface JudgedRow {
  readonly checks: Checks
  readonly lastSuccess: LastSuccess | null
  /** The promise of that instance about the age of its content. */
  readonly contentAgeMaxMs: number | null
  /** The latest end of a throttle of its instances. */
  readonly throttledUntil: string | null
  /** What the upstreams of all its instances announce. */
  readonly announced: FeedBreakdown["announced"]
}

const slotAt = (slot: number): string => instant(slot * CHECK_EVERY_MS)

type Outage = NonNullable<FeedBreakdown["longest_outage"]>

/**
 * Runs of checks without an ok, in order. A slot without a check neither ends a run nor counts; the part of a slot after
 * `judgedAtMs` does not count either.
 */
const outagesOf = (checks: Checks, judgedAtMs: number): ReadonlyArray<Outage> => {
  const runs: Array<Array<{ readonly slot: number; readonly verdict: Verdict }>> = []
  let ongoing = false
  for (const check of checksOf(checks)) {
    if (check.verdict === "ok") ongoing = false
    else if (ongoing) runs.at(-1)?.push(check)
    else {
      runs.push([check])
      ongoing = true
    }
  }
  return runs.map((run, index) => {
    const first = run[0]?.slot ?? 0
    const endMs = ((run.at(-1)?.slot ?? 0) + 1) * CHECK_EVERY_MS
    const untilMs = Math.min(endMs, judgedAtMs)
    return {
      from: slotAt(first),
      until: instant(untilMs),
      seconds: Math.round((run.length * CHECK_EVERY_MS - (endMs - untilMs)) / 1000),
      checks: run.length,
      dark_checks: run.filter(({ verdict }) => verdict === "dark").length,
      ongoing: ongoing && index === runs.length - 1,
    }
  })
}

/** The details of a row's checks that the free table omits; `judgedAtMs` lies in their last slot, or at its end. */
export const historyOf = (
  checks: Checks,
  judgedAtMs: number = (checks.first + checks.letters.length) * CHECK_EVERY_MS,
): Pick<FeedBreakdown, "counts" | "last_24_hours" | "status_since" | "interruptions" | "longest_outage"> => {
  const all = checksOf(checks)
  const { letters } = checks
  const lastDay = scoreOf(countsOf({ ...checks, letters: letters.slice(-DAY_CHECKS) }))
  const last = all.at(-1)
  const other = all.findLastIndex(({ verdict }) => verdict !== last?.verdict)
  const firstLetter = [...letters].findIndex((letter) => letter !== NO_CHECK)
  const outages = outagesOf(checks, judgedAtMs)
  return {
    counts: { ...countsOf(checks), missed: letters.length - Math.max(0, firstLetter) - all.length },
    last_24_hours:
      lastDay.checks === 0 ? null : { composite: lastDay.score, uptime: lastDay.uptime, checks: lastDay.checks },
    status_since: slotAt(all[other + 1]?.slot ?? checks.first),
    interruptions: all.filter(({ verdict }, index) => verdict !== "ok" && all[index - 1]?.verdict === "ok").length,
    longest_outage: outages.reduce<Outage | null>(
      (longest, one) => (longest === null || one.seconds >= longest.seconds ? one : longest),
      null,
    ),
  }
}

const instantOrNull = (ms: number | null | undefined): string | null =>
  ms === null || ms === undefined ? null : instant(ms)

/** The premium table: each row of the free one with its details. `rows` holds every row of the free table by its feed. */
export const reliabilityBreakdown = (
  table: FeedReliability,
  rows: ReadonlyMap<string, JudgedRow>,
  judgedAtMs: number,
): ProFeedReliability => {
  const detailed = (score: FeedReliability["low_coverage"][number]): ReadonlyArray<FeedBreakdown> => {
    const row = rows.get(score.feed)
    if (row === undefined) return []
    const { counts, ...history } = historyOf(row.checks, judgedAtMs)
    return [
      {
        feed: score.feed,
        name: score.name,
        composite: score.score,
        subscores: {
          uptime: score.uptime,
          availability: score.availability,
          staleness_rate: score.staleness_rate,
          dark_rate: score.dark_rate,
        },
        trust: score.trust,
        low_coverage: score.low_coverage,
        checks: score.checks,
        counts,
        ...history,
        status: score.status,
        last_success_at: instantOrNull(row.lastSuccess?.observedAtMs),
        content_at: instantOrNull(row.lastSuccess?.contentAtMs),
        fresh_until: instantOrNull(row.lastSuccess?.freshUntilMs),
        content_age_max_seconds: row.contentAgeMaxMs === null ? null : Math.round(row.contentAgeMaxMs / 1000),
        throttled_until: row.throttledUntil,
        announced: row.announced,
      },
    ]
  }
  const { captured_at, window, counts, not_configured } = table
  const ranked = table.feeds.flatMap(({ rank, ...score }) => detailed(score).map((row) => ({ rank, ...row })))
  const lowCoverage = table.low_coverage.flatMap(detailed)
  return {
    captured_at,
    window,
    counts,
    feeds: ranked,
    low_coverage: lowCoverage,
    not_configured,
    sample_size: {
      feeds: ranked.length + lowCoverage.length,
      checks: [...ranked, ...lowCoverage].reduce((sum, { checks }) => sum + checks, 0),
    },
    notes: reliabilityNotes,
  }
}
