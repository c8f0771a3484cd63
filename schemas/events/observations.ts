import * as Schema from "effect/Schema"
import { eventType, Instant } from "../event.ts"
import type { Json } from "../json.ts"
import { ListParts } from "../list-patch.ts"

/** The parameters of a feed's instance; empty for most feeds. */
const Parameters = Schema.Record(Schema.String, Schema.String)

const JsonValue: Schema.Codec<Json, unknown> = Schema.Json

/** The headers by which an upstream announces its end (RFC 8594, RFC 9745), or warns (RFC 7234, 5.5). */
export const AnnouncingHeader = Schema.Literals(["Sunset", "Deprecation", "Warning"])
export type AnnouncingHeader = typeof AnnouncingHeader.Type

/** The most announcements of one instance, and of one row of the reliability. */
export const ANNOUNCEMENTS_MAX = 16
/** The longest text of an announcement. */
export const ANNOUNCEMENT_MAX_CHARACTERS = 200

/** What one document of an upstream announces. */
export const Announcement = Schema.Struct({
  /** `Provider.metric` of the source that requests the document. */
  provider: Schema.NonEmptyString,
  /** The name of the document within its source. */
  document: Schema.NonEmptyString,
  header: AnnouncingHeader,
  /** The announced instant; null where the header has none, or none that can be read. */
  at: Schema.NullOr(Instant),
  /** The upstream's text, cleaned and truncated; null if `at` has all of it. */
  text: Schema.NullOr(Schema.String.check(Schema.isMaxLength(2 * ANNOUNCEMENT_MAX_CHARACTERS))),
})
export type Announcement = typeof Announcement.Type

/** Members that every event about a poll shares. */
const attempt = {
  feed: Schema.NonEmptyString,
  parameters: Parameters,
  /** `Provider.metric` of the source that was polled. */
  provider: Schema.NonEmptyString,
  /** From the first request to the last byte, in milliseconds. */
  latencyMs: Schema.Natural,
  /** All that the upstreams of the instance announce by now; only where that has changed since the poll before. */
  announced: Schema.optionalKey(Schema.Array(Announcement).check(Schema.isMaxLength(ANNOUNCEMENTS_MAX))),
  /**
   * Until when the instance is not polled on schedule, as it has used too much of its budget of log bytes of the day; absent
   * where it keeps its interval.
   */
  throttledUntil: Schema.optionalKey(Instant),
  /** Whether a simulated world was asked in place of the upstream; absent for a real one. */
  simulated: Schema.optionalKey(Schema.Literal(true)),
}

/** Members of a poll that succeeded. */
const confirmation = {
  ...attempt,
  /** SHA-256, in hex, of the payload's canonical JSON. */
  hash: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u)),
  /** The upstream's own time of its newest content; null without one. */
  contentAt: Schema.NullOr(Instant),
  /** The end of the observation's freshness, as computed at the poll. */
  freshUntil: Instant,
  /** The provider of first choice, if this one is its fallback; else null. */
  standsInFor: Schema.NullOr(Schema.NonEmptyString),
}

/** A poll whose normalised payload differs from the one before. */
export const feedObserved = eventType({
  type: "feed.observed",
  topic: "observations",
  version: 1,
  description: "A poll brought a new payload: what it says, normalised, and its hash.",
  data: Schema.Struct({ ...confirmation, payload: JsonValue }),
})

/** A poll whose list differs little from the one before: the event holds the difference. */
export const feedPatched = eventType({
  type: "feed.patched",
  topic: "observations",
  version: 1,
  description: "A poll brought a list that differs little from the one before: the parts that make it of that one.",
  data: Schema.Struct({
    ...confirmation,
    /** Hash of the payload of the same instance that the parts are over: the one that the poll before brought or confirmed. */
    base: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u)),
    parts: ListParts,
    /** The facts of the list, if they differ from those of the base. */
    facts: Schema.optionalKey(JsonValue),
  }),
})

/** A poll that confirmed the payload in the log. */
export const feedUnchanged = eventType({
  type: "feed.unchanged",
  topic: "observations",
  version: 1,
  description: "A poll confirmed the payload whose hash it names.",
  data: Schema.Struct(confirmation),
})

/** The closed set of reasons of failed polls, for statistics and for `_meta`. */
export const FailureReason = Schema.Literals([
  "timeout",
  "unreachable",
  "status",
  "rate_limited",
  "too_large",
  "redirect",
  "undecodable",
  "upstream_error",
  "circuit_open",
  "budget_exhausted",
  "key_refused",
])
export type FailureReason = typeof FailureReason.Type

/**
 * Why a feed is not polled: none of its sources has its required key, or the terms of all of them forbid it.
 */
export const RestReason = Schema.Literals(["not_configured", "not_licensed"])
export type RestReason = typeof RestReason.Type

/** A poll without a usable answer, fallbacks included. */
export const feedFailed = eventType({
  type: "feed.failed",
  topic: "observations",
  version: 1,
  description: "A poll failed, after its retries and fallbacks.",
  data: Schema.Struct({
    ...attempt,
    reason: FailureReason,
    /** One sentence for people; never an upstream's text. */
    message: Schema.String,
  }),
})

/**
 * The feeds that the ingest role polls, declared at each start and after a gap (a suspended machine, an outage of the log).
 * Reliability derives from it which feeds to judge, and during which time no poll was possible.
 */
export const feedsDeclared = eventType({
  type: "feeds.declared",
  topic: "observations",
  version: 1,
  description: "The feeds that the ingest role polls on schedule from now on.",
  data: Schema.Struct({
    feeds: Schema.Array(
      Schema.Struct({
        feed: Schema.NonEmptyString,
        parameters: Parameters,
        /** The provider of first choice. */
        provider: Schema.NonEmptyString,
        /** Why it is not polled; such a feed is never dark. Null if it is polled. */
        rests: Schema.NullOr(RestReason),
      }),
    ),
  }),
})

/**
 * A caller has requested a view that reads several instances, or one under other parameters than its own: from then on the
 * view is kept, and built again whenever one of its instances is observed. A view that reads one instance under its own
 * parameters needs no such event, as each observation of the instance names it.
 */
export const viewDemanded = eventType({
  type: "view.demanded",
  topic: "observations",
  version: 1,
  description: "A view on demand was requested at these parameters, and its instances were fetched.",
  data: Schema.Struct({
    /** Path of the endpoint. */
    path: Schema.NonEmptyString,
    /** Canonical texts of the view's own parameters. */
    parameters: Parameters,
  }),
})

/** Time as data: folds read no clock but the times of events. */
export const clockTicked = eventType({
  type: "clock.ticked",
  topic: "observations",
  version: 1,
  description: "Ten seconds have passed at the ingest role.",
  data: Schema.Struct({}),
})
