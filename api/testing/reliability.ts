import * as Effect from "effect/Effect"
import {
  type FeedBreakdown,
  proFeedReliabilityEndpoint,
  reliabilityNotes,
} from "../../schemas/endpoints/pro-feed-reliability.ts"
import { instant } from "../../schemas/event.ts"
import type { Verdict } from "../../schemas/events/deltas.ts"
import { HistoryUnavailable } from "../../schemas/ports/history.ts"
import type { Billing } from "../routes/route.ts"
import { type ApiUnderTest, START_MS } from "./api-under-test.ts"

/** A row of the reliability table. */
export const reliabilityRow = (
  feed: string,
  status: Verdict = "ok",
  sinceMs = START_MS - 3_600_000,
): FeedBreakdown => ({
  feed,
  name: `Provider.${feed}`,
  composite: 97,
  subscores: { uptime: 0.9712, availability: 0.98, staleness_rate: 0.01, dark_rate: 0.02 },
  trust: "high",
  low_coverage: false,
  checks: 2_016,
  counts: { ok: 1_958, stale: 20, dark: 38, missed: 7 },
  last_24_hours: { composite: 96, uptime: 0.9583, checks: 288 },
  status,
  status_since: instant(sinceMs),
  interruptions: 3,
  longest_outage: null,
  last_success_at: instant(START_MS),
  content_at: null,
  fresh_until: instant(START_MS + 60_000),
  content_age_max_seconds: 1_234,
  throttled_until: null,
  announced: [],
})

/** Fills the reliability table, judged at `capturedMs`. */
export const fillReliability = (
  { store }: Pick<ApiUnderTest, "store">,
  rows: ReadonlyArray<FeedBreakdown>,
  capturedMs = START_MS - 60_000,
): void => {
  const having = (status: Verdict) => rows.filter((row) => row.status === status).length
  const data: typeof proFeedReliabilityEndpoint.data.Type = {
    captured_at: instant(capturedMs),
    window: { days: 7, interval_minutes: 5 },
    counts: {
      monitored: rows.length,
      ranked: rows.length,
      low_coverage: 0,
      not_configured: 1,
      ok: having("ok"),
      stale: having("stale"),
      dark: having("dark"),
    },
    feeds: rows.map((row, index) => ({ rank: index + 1, ...row })),
    low_coverage: [],
    not_configured: [{ feed: "wildfires", name: "FIRMS.fires", reason: "not_configured" }],
    sample_size: { feeds: rows.length, checks: 2_016 * rows.length },
    notes: reliabilityNotes,
  }
  store.update(proFeedReliabilityEndpoint.path, {
    // Plain JSON by its schema.
    body: { v: 2, changedAt: instant(capturedMs), data: data as never },
    freshness: { v: 1, asOf: instant(capturedMs), staleAfter: instant(capturedMs + 600_000), sources: [] },
  })
}

/** What a history answers: the rows of the days and of the outages, or null while it is unavailable. */
export interface AnsweredHistory {
  days: ReadonlyArray<Readonly<Record<string, unknown>>> | null
  outages: ReadonlyArray<Readonly<Record<string, unknown>>>
  /** How many queries were asked. */
  asked: number
}

/** A billing of which only the history is there. */
export const withHistory = (answers: AnsweredHistory): Billing =>
  ({
    history: {
      query: (sql: string) =>
        Effect.suspend(() => {
          answers.asked += 1
          if (answers.days === null) return Effect.fail(new HistoryUnavailable({ problem: "db.internal: refused" }))
          return Effect.succeed(sql.includes("feed_reliability_daily") ? answers.days : answers.outages)
        }),
    },
    buying: { facts: null },
    receipts: { jwks: { keys: [] } },
    replies: {},
    ledger: {},
  }) as unknown as Billing
