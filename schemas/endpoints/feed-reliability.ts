import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { clause } from "../contract/glance.ts"
import { Instant } from "../event.ts"
import { Verdict } from "../events/deltas.ts"
import { RestReason } from "../events/observations.ts"

const Rate = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/** Coverage of a score: high from 288 checks (a day), medium from 12 (an hour), else low. */
export const Trust = Schema.Literals(["high", "medium", "low"]).annotate({
  description: "high from 288 checks, medium from 12, else low",
})
export type Trust = typeof Trust.Type

const score = {
  feed: Schema.NonEmptyString.annotate({ description: "Stable identifier of the monitored feed" }),
  name: Schema.NonEmptyString.annotate({
    description: "Provider.metric of its first choice, as in _meta.sources[].name",
  }),
  score: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 })).annotate({
    description: "100 x (ok + half of stale) / checks, rounded",
  }),
  uptime: Rate.annotate({ description: "ok / checks", unit: "fraction" }),
  availability: Rate.annotate({ description: "(ok + stale) / checks", unit: "fraction" }),
  staleness_rate: Rate.annotate({ description: "stale / checks", unit: "fraction" }),
  dark_rate: Rate.annotate({ description: "dark / checks", unit: "fraction" }),
  checks: Schema.Natural.annotate({ description: "Verdicts in the window, one each five minutes at most" }),
  trust: Trust,
  low_coverage: Schema.Boolean.annotate({ description: "Fewer than 12 checks: listed apart, not ranked" }),
  status: Verdict.annotate({ description: "The latest verdict" }),
}

/** The reliability of one feed over the window. */
export const FeedScore = Schema.Struct(score).annotate({ identifier: "FeedScore" })
export type FeedScore = typeof FeedScore.Type

/** The data of the free table. */
export const FeedReliability = Schema.Struct({
  captured_at: Instant.annotate({ description: "When the monitor last judged the feeds" }),
  window: Schema.Struct({
    days: Schema.Natural.annotate({ description: "Length of the rolling window, days" }),
    interval_minutes: Schema.Natural.annotate({ description: "Time between two checks, minutes" }),
  }),
  counts: Schema.Struct({
    monitored: Schema.Natural,
    ranked: Schema.Natural,
    low_coverage: Schema.Natural,
    not_configured: Schema.Natural,
    ok: Schema.Natural.annotate({ description: "Monitored feeds whose latest verdict is ok" }),
    stale: Schema.Natural,
    dark: Schema.Natural,
  }),
  feeds: Schema.Array(Schema.Struct({ rank: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)), ...score })).annotate({
    description: "Best first: by score, uptime, checks, then identifier",
  }),
  low_coverage: Schema.Array(FeedScore),
  not_configured: Schema.Array(
    Schema.Struct({
      feed: Schema.NonEmptyString,
      name: Schema.NonEmptyString,
      reason: RestReason.annotate({
        description: "not_configured: a key is missing; not_licensed: the terms of its sources forbid it here",
      }),
    }),
  ).annotate({ description: "Feeds that this installation does not poll; they are not judged, and never dark" }),
})
export type FeedReliability = typeof FeedReliability.Type

const sound = {
  score: 100,
  uptime: 0.9965,
  availability: 1,
  staleness_rate: 0.0035,
  dark_rate: 0,
  status: "ok",
} as const

export const feedReliabilityEndpoint = endpoint({
  path: "/api/feed-reliability",
  name: "feed_reliability",
  kind: "prepared",
  tier: "free",
  subject: "service",
  ttl: "1 minute",
  summary: "How reliable each feed has been over the last seven days",
  description:
    "Every five minutes each scheduled feed is judged: ok (confirmed within its promise), stale (a good value exists, but " +
    "an older one) or dark (none in 24 hours). Scores are taken over a rolling window of seven days. Instances of a feed " +
    "that are judged as one, such as the selectable earthquake lists, are one row, as good as the weakest of them.",
  parameters: {},
  data: FeedReliability,
  glance: {
    title: "Feed checks",
    headline: ({ counts: { monitored, ok, stale, dark, not_configured } }) => ({
      value: ok,
      unit: `of ${monitored}`,
      note: clause(
        "on time",
        `${stale} stale`,
        `${dark} without data`,
        not_configured === 0 ? null : `${not_configured} not polled here`,
      ),
    }),
  },
  example: {
    captured_at: "2026-08-17T20:35:00.000Z",
    window: { days: 7, interval_minutes: 5 },
    counts: { monitored: 2, ranked: 1, low_coverage: 1, not_configured: 1, ok: 2, stale: 0, dark: 0 },
    feeds: [
      {
        rank: 1,
        feed: "earthquakes",
        name: "USGS.earthquakes",
        ...sound,
        checks: 288,
        trust: "high",
        low_coverage: false,
      },
    ],
    low_coverage: [
      {
        ...sound,
        uptime: 1,
        staleness_rate: 0,
        feed: "humans-in-space",
        name: "OpenNotify.astros",
        checks: 3,
        trust: "low",
        low_coverage: true,
      },
    ],
    not_configured: [{ feed: "wildfires", name: "FIRMS.fires", reason: "not_configured" }],
  },
})
