import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { choice, day } from "../contract/parameters.ts"
import { isTagged, loadDirectory } from "../directory.ts"
import { type Feed, reliabilityIds } from "../feed.ts"
import { FeedScore } from "./feed-reliability.ts"

/** The longest window, both of its ends included, in days. */
export const HISTORY_DAYS_MAX = 365
/** The default length of the window, in days. */
export const HISTORY_DAYS = 30

const { score, uptime, availability, staleness_rate, dark_rate } = FeedScore.fields

/** One day of a feed. */
export const FeedDay = Schema.Struct({
  date: day,
  composite: score,
  uptime,
  availability,
  staleness_rate,
  dark_rate,
  checks: Schema.Natural.annotate({ description: "Checks of the day, at most 288" }),
  ok: Schema.Natural,
  stale: Schema.Natural,
  dark: Schema.Natural,
}).annotate({ identifier: "FeedDay" })
export type FeedDay = typeof FeedDay.Type

/** The data of the reliability history. */
export const FeedReliabilityHistory = Schema.Struct({
  feed: Schema.NullOr(FeedScore.fields.feed).annotate({ description: "Feed id; null where the call named none" }),
  feeds: Schema.optionalKey(Schema.Array(FeedScore.fields.feed)).annotate({
    description: "Only where the call named no feed: the ids of all feeds",
  }),
  from: day.annotate({ description: "First day of the window, UTC" }),
  to: day.annotate({ description: "Last day of the window, UTC" }),
  empty: Schema.Boolean.annotate({
    description: "No feed was named, or nothing was checked in the window: the call is free of charge",
  }),
  series: Schema.Array(
    Schema.Struct({
      ...FeedDay.fields,
      complete: Schema.Boolean.annotate({
        description: "The day is over, and the row is final",
      }),
    }),
  )
    .check(Schema.isMaxLength(HISTORY_DAYS_MAX))
    .annotate({ description: "Oldest day first; days without a check are left out" }),
  sample_size: Schema.Struct({
    days: Schema.Natural.annotate({ description: "Days of the window that have a row" }),
    days_asked: Schema.Natural.annotate({ description: "Days of the window" }),
    checks: Schema.Natural,
  }),
  notes: Schema.Record(Schema.String, Schema.String),
})
export type FeedReliabilityHistory = typeof FeedReliabilityHistory.Type

/** The notes that explain the terms of the history. */
export const feedHistoryNotes: FeedReliabilityHistory["notes"] = {
  composite: "100 x (ok + half of stale) / checks of the day, rounded.",
  days: "Days are UTC days; the row of a day that is not over covers the checks so far.",
  missed:
    "Nothing is checked while this service is down: a day with fewer than 288 checks has missed the others, which count nowhere.",
}

/** The same, where no feed was named. */
export const feedListNotes: FeedReliabilityHistory["notes"] = {
  ...feedHistoryNotes,
  feed: "Null, as the call named no feed: `feeds` holds the ids of all of them.",
}

/** All ids of the reliability table. Feeds are loaded from their folder, as the registry imports this file. */
export const feedIds = (await loadDirectory(new URL("../feeds/", import.meta.url)))
  .flatMap(({ exports }) => exports.filter(isTagged<Feed>("Feed")).flatMap(reliabilityIds))
  .sort()

export const proFeedReliabilityHistoryEndpoint = endpoint({
  path: "/api/pro/feed-reliability/history",
  name: "pro_feed_reliability_history",
  kind: "queried",
  tier: "premium",
  subject: "service",
  credits: 2,
  ttl: "5 minutes",
  summary: "How reliable one feed was, day by day",
  description: [
    "The composite score and its parts for each day of a window of at most 365 days, both ends included. Without `to` it",
    "ends today, without `from` it is 30 days long. What is past does not change. A window in which nothing was checked",
    "is free of charge, and so is a call without `feed`, which lists the feeds.",
  ].join(" "),
  parameters: {
    feed: {
      ...choice(feedIds, {
        description: "Feed id, as in `feed` of /api/feed-reliability; without one the reply lists them",
        example: "earthquakes",
      }),
      optional: true,
    },
    from: { schema: day, optional: true, description: "First day, UTC, YYYY-MM-DD", example: "2026-08-01" },
    to: { schema: day, optional: true, description: "Last day, UTC, YYYY-MM-DD", example: "2026-08-17" },
  },
  data: FeedReliabilityHistory,
  noCharge: [
    { reason: "empty_range", description: "The call names no feed (`empty` is true)", decided: "before" },
    { reason: "empty_range", description: "Nothing was checked in the window (`empty` is true)", decided: "after" },
  ],
  example: {
    feed: "earthquakes",
    from: "2026-08-16",
    to: "2026-08-17",
    empty: false,
    series: [
      {
        date: "2026-08-16",
        composite: 100,
        uptime: 0.9965,
        availability: 1,
        staleness_rate: 0.0035,
        dark_rate: 0,
        checks: 288,
        ok: 287,
        stale: 1,
        dark: 0,
        complete: true,
      },
      {
        date: "2026-08-17",
        composite: 100,
        uptime: 1,
        availability: 1,
        staleness_rate: 0,
        dark_rate: 0,
        checks: 247,
        ok: 247,
        stale: 0,
        dark: 0,
        complete: false,
      },
    ],
    sample_size: { days: 2, days_asked: 2, checks: 535 },
    notes: feedHistoryNotes,
  },
})
