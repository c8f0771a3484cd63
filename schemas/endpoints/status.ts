import * as Schema from "effect/Schema"
import { endpoint } from "../contract/endpoint.ts"
import { day } from "../contract/parameters.ts"
import { Instant } from "../event.ts"
import type { Verdict } from "../events/deltas.ts"
import { FeedReliability, FeedScore } from "./feed-reliability.ts"
import { ProFeedReliabilityData } from "./pro-feed-reliability.ts"

/** The address of the status page. */
export const STATUS_PATH = "/status"

/** Days of the bars, the current one included. */
export const STATUS_DAYS = 90
/** Outages are listed while they began within this many days: the window of the reliability table. */
export const OUTAGE_DAYS = 7
/** The latest outages that are listed. */
export const OUTAGES_MAX = 50
/** A day is good from this share of checks that found the feed within its promise. */
export const GOOD_SHARE_MIN = 0.99
/** Below this share the feed was down. */
export const DOWN_SHARE = 0.5
/** A day of which a smaller share was checked is missed: too little of it is known. */
export const CHECKED_SHARE_MIN = 0.5

/** What a day of a feed was, with its letter in `days`. */
export const dayStates = { good: "g", degraded: "d", down: "x", missed: "m", unrecorded: "n" } as const
export type DayState = keyof typeof dayStates

/** What each state of a day means, in words. */
export const dayTexts: Readonly<Record<DayState, string>> = {
  good: `at least ${GOOD_SHARE_MIN * 100} % of the day's verdicts are on time`,
  degraded: "some of the day's verdicts are not on time",
  down: `fewer than ${DOWN_SHARE * 100} % of the day's verdicts are on time`,
  missed: "this service itself was down for most of the day, so nothing is said about the feed",
  unrecorded: "the feed was not monitored yet",
}

const letters = Object.values(dayStates).join("")

/** One letter a day, the oldest first. */
const Days = Schema.String.check(Schema.isPattern(new RegExp(`^[${letters}]{${STATUS_DAYS}}$`))).annotate({
  description: `One letter a day (UTC), the oldest first: ${Object.entries(dayStates)
    .map(([state, letter]) => `${letter} ${state}: ${dayTexts[state as DayState]}`)
    .join("; ")}. Null where the history cannot be read now`,
})

const { feed, name, uptime, status } = FeedScore.fields

/** One feed on the status page. */
export const FeedStatus = Schema.Struct({
  feed,
  name,
  status,
  since: Instant.annotate({
    description: `Since when the latest verdict has been the same, as far as ${OUTAGE_DAYS} days go back`,
  }),
  uptime_24_hours: Schema.NullOr(uptime).annotate({ description: "ok / checks; null without a check in this time" }),
  uptime_7_days: Schema.NullOr(uptime).annotate({ description: "The same over 7 days" }),
  checked_minutes: Schema.Natural.annotate({ description: "How long it was checked within 7 days, minutes" }),
  uptime_90_days: Schema.NullOr(uptime).annotate({
    description:
      "The same over the days of `days`; null without a check in them, or where the history cannot be read now",
  }),
  days: Schema.NullOr(Days),
})
export type FeedStatus = typeof FeedStatus.Type

/** A run of checks that did not find a feed within its promise. */
export const Outage = Schema.Struct({
  feed,
  from: Instant,
  until: Schema.NullOr(Instant).annotate({ description: "Null while it goes on" }),
  minutes: Schema.Natural.annotate({ description: "Length without the time in which nothing was checked, minutes" }),
  worst: Schema.Literals(["stale", "dark"]).annotate({
    description: "stale: an older value was served; dark: there was no value younger than 24 hours",
  }),
})
export type Outage = typeof Outage.Type

/** The parts of the service itself, in the order in which they work. */
export const partWords = ["polling", "folding", "history", "replies", "credits", "chain"] as const

const PartStatus = Schema.Struct({
  part: Schema.Literals(partWords),
  state: Schema.Literals(["works", "starting", "impaired"]).annotate({
    description: "impaired: it waits for something, or has stopped",
  }),
  since: Instant,
})
export type PartStatus = typeof PartStatus.Type

/** What the status page shows. */
export const Status = Schema.Struct({
  captured_at: ProFeedReliabilityData.fields.captured_at,
  checked_until: Schema.NullOr(Instant).annotate({
    description: "When the next check is overdue: after it the verdicts are old",
  }),
  counts: Schema.NullOr(
    Schema.Struct({ monitored: Schema.Natural, ok: Schema.Natural, stale: Schema.Natural, dark: Schema.Natural }),
  ).annotate({ description: "Feeds by their latest verdict; null before the first check" }),
  parts: Schema.Array(PartStatus).annotate({
    description: "The parts that run in the process which answers; others run in processes of their own",
  }),
  first_day: day.annotate({ description: "The day of the first letter in `days`, UTC" }),
  history: Schema.Literals(["kept", "not_configured"]).annotate({
    description: "not_configured: this installation keeps no history, so what is read from it is null for ever",
  }),
  feeds: Schema.Array(FeedStatus).annotate({ description: "Those that are not ok first, then by identifier" }),
  outages: Schema.NullOr(Schema.Array(Outage).check(Schema.isMaxLength(OUTAGES_MAX))).annotate({
    description: `Outages that began within ${OUTAGE_DAYS} days, the latest first; null where the history cannot be read now`,
  }),
  not_polled: FeedReliability.fields.not_configured,
})
export type Status = typeof Status.Type

/** Whether a verdict needs attention. */
export const isWell = (verdict: Verdict): boolean => verdict === "ok"

/** The status page for programs, and for the page itself while it stands open. */
export const statusEndpoint = endpoint({
  path: `${STATUS_PATH}.json`,
  name: "status",
  kind: "document",
  tier: "service",
  counted: "pages",
  ttl: "30 seconds",
  summary: "How the feeds and this service are doing",
  description: [
    "What the page /status shows. A day is a word here: its numbers, and those of earlier days, are premium data.",
    "Does not count against the daily limit.",
  ].join(" "),
  parameters: {},
  data: Status,
  example: {
    captured_at: "2026-08-17T20:35:00.000Z",
    checked_until: "2026-08-17T20:45:00.000Z",
    counts: { monitored: 1, ok: 0, stale: 1, dark: 0 },
    parts: [{ part: "polling", state: "works", since: "2026-08-01T06:00:00.000Z" }],
    first_day: "2026-05-20",
    history: "kept",
    feeds: [
      {
        feed: "earthquakes",
        name: "USGS.earthquakes",
        status: "stale",
        since: "2026-08-17T20:05:00.000Z",
        uptime_24_hours: 0.9757,
        uptime_7_days: 0.9965,
        checked_minutes: 10_080,
        uptime_90_days: 0.9989,
        days: `${"n".repeat(60)}${"g".repeat(26)}mdxd`,
      },
    ],
    outages: [
      { feed: "earthquakes", from: "2026-08-17T20:05:00.000Z", until: null, minutes: 30, worst: "stale" },
      {
        feed: "earthquakes",
        from: "2026-08-16T02:10:00.000Z",
        until: "2026-08-16T14:40:00.000Z",
        minutes: 750,
        worst: "stale",
      },
    ],
    not_polled: [{ feed: "wildfires", name: "FIRMS.fires", reason: "not_configured" }],
  },
})
