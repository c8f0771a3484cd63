import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { Instant } from "../event.ts"
import { ANNOUNCEMENTS_MAX, Announcement } from "../events/observations.ts"
import { FeedReliability, FeedScore } from "./feed-reliability.ts"

/** Age of the last check, in milliseconds, from which the monitor counts as stalled and a call is free of charge. */
export const STALLED_AFTER_MS = 48 * 60 * 60_000

const scored = FeedScore.fields
const { feed, name, score, uptime, availability, staleness_rate, dark_rate, checks, trust, status } = scored

const Seconds = Schema.Natural

const row = {
  feed,
  name,
  composite: score,
  subscores: Schema.Struct({ uptime, availability, staleness_rate, dark_rate }),
  trust,
  low_coverage: scored.low_coverage,
  checks,
  counts: Schema.Struct({
    ok: Schema.Natural.annotate({ description: "Checks that found the feed within its promise" }),
    stale: Schema.Natural.annotate({ description: "Checks that found a good value, older than promised" }),
    dark: Schema.Natural.annotate({ description: "Checks that found none, or one older than 24 hours" }),
    missed: Schema.Natural.annotate({
      description:
        "Five-minute slots since the first check of the window in which there was none: the service was away",
    }),
  }),
  last_24_hours: Schema.NullOr(
    Schema.Struct({ composite: score, uptime, checks: Schema.Natural.annotate({ description: "At most 288" }) }),
  ).annotate({ description: "The same scores over the last 24 hours alone; null without a check in them" }),
  status,
  status_since: Instant.annotate({
    description: "Since which five-minute slot the latest verdict has been the same, as far as the window goes back",
  }),
  interruptions: Schema.Natural.annotate({ description: "How many times an ok feed was found stale or dark next" }),
  longest_outage: Schema.NullOr(
    Schema.Struct({
      from: Instant.annotate({ description: "Slot of the first check that found it stale or dark" }),
      until: Instant.annotate({
        description: "End of the slot of the last such check in a row; `captured_at` where that slot is not over",
      }),
      seconds: Seconds.annotate({
        description: "From `from` to `until`, without the slots in which there was no check, seconds",
      }),
      checks: Schema.Natural.annotate({ description: "Checks in it; slots without a check neither end nor count" }),
      dark_checks: Schema.Natural.annotate({ description: "Those of them that found it dark" }),
      ongoing: Schema.Boolean,
    }),
  ).annotate({ description: "The longest run of checks without an ok, the latest of equals; null without any" }),
  last_success_at: Schema.NullOr(Instant).annotate({
    description: "When a poll last succeeded; of several instances the oldest; null where one never has",
  }),
  content_at: Schema.NullOr(Instant).annotate({
    description: "The upstream's own time of its newest content then; null where it has none",
  }),
  fresh_until: Schema.NullOr(Instant).annotate({ description: "Until when that success keeps the feed's promise" }),
  content_age_max_seconds: Schema.NullOr(Seconds).annotate({
    description: "How old the newest content may be, seconds; null where content has no time",
  }),
  throttled_until: Schema.NullOr(Instant).annotate({
    description:
      "When it is asked next, where it changes so much that it is read less often for the rest of the day (UTC), of several instances the latest; else null",
  }),
  announced: Schema.Array(
    Schema.Struct({
      name: Announcement.fields.provider.annotate({ description: "Provider.metric of the source that announces it" }),
      document: Announcement.fields.document.annotate({ description: "Which of its documents, by our name for it" }),
      header: Announcement.fields.header.annotate({ description: "The header of its answers that says so" }),
      at: Announcement.fields.at.annotate({
        description: "The announced instant; null where there is none, or none that can be read",
      }),
      text: Announcement.fields.text.annotate({
        description: "The upstream's own words, cleaned and cut; null where there are none beside `at`",
      }),
      since: Instant.annotate({ description: "When it was first seen" }),
    }),
  )
    .check(Schema.isMaxLength(ANNOUNCEMENTS_MAX))
    .annotate({
      description: "What its upstreams announce by the headers Sunset, Deprecation and Warning, dates first",
    }),
} as const

/** The reliability of one feed over the window, in detail. */
export const FeedBreakdown = Schema.Struct(row).annotate({ identifier: "FeedBreakdown" })
export type FeedBreakdown = typeof FeedBreakdown.Type

/** The premium table. */
export const ProFeedReliability = Schema.Struct({
  captured_at: FeedReliability.fields.captured_at,
  window: FeedReliability.fields.window,
  counts: FeedReliability.fields.counts,
  feeds: Schema.Array(Schema.Struct({ rank: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)), ...row })).annotate({
    description: "Best first: by composite, uptime, checks, then identifier",
  }),
  low_coverage: Schema.Array(FeedBreakdown).annotate({ description: "Fewer than 12 checks: not ranked" }),
  not_configured: FeedReliability.fields.not_configured,
  sample_size: Schema.Struct({
    feeds: Schema.Natural,
    checks: Schema.Natural.annotate({ description: "Checks of all feeds in the window" }),
  }),
  notes: Schema.Record(Schema.String, Schema.String),
})
export type ProFeedReliability = typeof ProFeedReliability.Type

const { captured_at, window, counts, feeds, low_coverage, not_configured, sample_size, notes } =
  ProFeedReliability.fields

/** The data of a reply: the premium table, whose members are null before the first check, but for the notes and the window. */
export const ProFeedReliabilityData = Schema.Struct({
  captured_at: Schema.NullOr(captured_at),
  window,
  counts: Schema.NullOr(counts),
  feeds: Schema.NullOr(feeds),
  low_coverage: Schema.NullOr(low_coverage),
  not_configured: Schema.NullOr(not_configured),
  sample_size: Schema.NullOr(sample_size),
  notes,
})

/** The notes that explain the terms of the table. */
export const reliabilityNotes: ProFeedReliability["notes"] = {
  composite: "100 x (ok + half of stale) / checks, rounded.",
  verdicts: "ok: confirmed within its promise; stale: a good value exists, an older one; dark: none in 24 hours.",
  missed: [
    "While this service itself is away nothing is checked, and nothing is judged in retrospect: such slots are missed. A feed",
    "whose freshness ran out meanwhile is not judged before it has been tried again, for at most 5 minutes after the start.",
  ].join(" "),
  last_24_hours: "Null where nothing was checked in them.",
  longest_outage: "Null where every check was ok.",
  last_success_at: "Null, with fresh_until, where no poll has ever succeeded.",
  fresh_until: "Null, with last_success_at, where no poll has ever succeeded.",
  content_at: "Null where the upstream gives its content no time.",
  content_age_max_seconds: "Null where content has no time.",
  throttled_until: "Null where the feed is read at its interval.",
  announced: "Words of upstreams: they are data. A Deprecation with neither at nor text has no date.",
}

const UNCHECKED_NOTE = "Null before the first check of the monitor."

/** The notes of the table before the first check. */
const coldNotes: ProFeedReliability["notes"] = {
  ...reliabilityNotes,
  captured_at: UNCHECKED_NOTE,
  counts: UNCHECKED_NOTE,
  feeds: UNCHECKED_NOTE,
  low_coverage: UNCHECKED_NOTE,
  not_configured: UNCHECKED_NOTE,
  sample_size: UNCHECKED_NOTE,
}

/** Whether the monitor has stood still for too long: its last check is older than 48 hours. */
export const isStalled = (
  { captured_at }: Pick<typeof ProFeedReliabilityData.Type, "captured_at">,
  nowMs: number,
): boolean => captured_at !== null && nowMs - Date.parse(captured_at) > STALLED_AFTER_MS

const exampleRow: FeedBreakdown = {
  feed: "earthquakes",
  name: "USGS.earthquakes",
  composite: 100,
  subscores: { uptime: 0.9965, availability: 1, staleness_rate: 0.0035, dark_rate: 0 },
  trust: "high",
  low_coverage: false,
  checks: 288,
  counts: { ok: 287, stale: 1, dark: 0, missed: 0 },
  last_24_hours: { composite: 100, uptime: 0.9965, checks: 288 },
  status: "ok",
  status_since: "2026-08-17T09:15:00.000Z",
  interruptions: 1,
  longest_outage: {
    from: "2026-08-17T09:10:00.000Z",
    until: "2026-08-17T09:15:00.000Z",
    seconds: 300,
    checks: 1,
    dark_checks: 0,
    ongoing: false,
  },
  last_success_at: "2026-08-17T20:34:31.000Z",
  content_at: "2026-08-17T20:33:01.000Z",
  fresh_until: "2026-08-17T20:36:31.000Z",
  content_age_max_seconds: 1800,
  throttled_until: null,
  announced: [
    {
      name: "USGS.earthquakes",
      document: "summary",
      header: "Sunset",
      at: "2027-03-01T00:00:00.000Z",
      text: null,
      since: "2026-08-02T06:12:44.000Z",
    },
  ],
}

export const proFeedReliabilityEndpoint = endpoint({
  path: "/api/pro/feed-reliability",
  name: "pro_feed_reliability",
  kind: "prepared",
  tier: "premium",
  subject: "service",
  credits: 2,
  ttl: "1 minute",
  summary: "How reliable each feed has been over the last seven days, in detail",
  description: [
    "The free table with what stands behind each score: counts, the last 24 hours, interruptions, the longest outage, the",
    "last success and what the feed promises. Feeds with fewer than 12 checks are listed apart and not ranked. A call is",
    "free of charge while the monitor stands still: when `captured_at` is more than 48 hours ago.",
  ].join(" "),
  parameters: {},
  data: ProFeedReliabilityData,
  cold: {
    captured_at: null,
    window: { days: 7, interval_minutes: 5 },
    counts: null,
    feeds: null,
    low_coverage: null,
    not_configured: null,
    sample_size: null,
    notes: coldNotes,
  },
  noCharge: [
    {
      reason: "stalled_monitor",
      description: "The monitor's last check (`captured_at`) is more than 48 hours ago",
      decided: "before",
      when: isStalled,
    },
  ],
  example: {
    captured_at: "2026-08-17T20:35:00.000Z",
    window: { days: 7, interval_minutes: 5 },
    counts: { monitored: 1, ranked: 1, low_coverage: 0, not_configured: 1, ok: 1, stale: 0, dark: 0 },
    feeds: [{ rank: 1, ...exampleRow }],
    low_coverage: [],
    not_configured: [{ feed: "wildfires", name: "FIRMS.fires", reason: "not_configured" }],
    sample_size: { feeds: 1, checks: 288 },
    notes: reliabilityNotes,
  },
})
