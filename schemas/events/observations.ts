import { Schema } from "effect"
import { eventType, Instant } from "../event.ts"
import type { Json } from "../json.ts"
import { ListParts } from "../list-patch.ts"

/** Which instance of a feed an event speaks of: no parameter for most feeds, one instance for each combination else. */
const Parameters = Schema.Record(Schema.String, Schema.String)

const JsonValue: Schema.Codec<Json, unknown> = Schema.Json

/** Members that every event about a poll shares. */
const attempt = {
  feed: Schema.NonEmptyString,
  parameters: Parameters,
  /** `Provider.metric` of the source that was asked. */
  provider: Schema.NonEmptyString,
  /** From the first request to the last byte, in milliseconds. */
  latencyMs: Schema.Natural,
}

/** Members of a poll that succeeded. */
const confirmation = {
  ...attempt,
  /** SHA-256, in hex, of the payload's canonical JSON. */
  hash: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u)),
  /** The upstream's own time of the newest content, where it has one. */
  contentAt: Schema.NullOr(Instant),
  /** Until when this observation keeps the feed's freshness promise, known at the moment of the poll. */
  freshUntil: Instant,
  /** The provider this one stands in for, when the first choice did not answer. */
  standsInFor: Schema.NullOr(Schema.NonEmptyString),
}

/** An upstream was asked and its normalised payload differs from the one before. */
export const feedObserved = eventType({
  type: "feed.observed",
  topic: "observations",
  version: 1,
  description: "A poll brought a new payload: what it says, normalised, and its hash.",
  data: Schema.Struct({ ...confirmation, payload: JsonValue }),
})

/** An upstream was asked, and its list differs little from the one before: the event holds the difference. */
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
    /** What is said of the list as a whole, where it differs from what the base says. */
    facts: Schema.optionalKey(JsonValue),
  }),
})

/** An upstream was asked and confirmed the payload that the log already holds. */
export const feedUnchanged = eventType({
  type: "feed.unchanged",
  topic: "observations",
  version: 1,
  description: "A poll confirmed the payload whose hash it names.",
  data: Schema.Struct(confirmation),
})

/** Why a poll failed, in a closed set, for statistics and for `_meta`. */
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
])
export type FailureReason = typeof FailureReason.Type

/**
 * Why a feed is not polled at all: no source of it has the key that it needs, or the terms of all of them forbid it here.
 */
export const RestReason = Schema.Literals(["not_configured", "not_licensed"])
export type RestReason = typeof RestReason.Type

/** An upstream was asked, with every fallback, and nothing usable came back. */
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
 * The ingest role says which feeds it polls, at each start and after it stood still (a suspended machine, a log that took
 * nothing): reliability knows from this what there is to be judged, and since when nothing could be tried.
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
        /** Why it is not polled: such a feed is never dark. Null where it is polled. */
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

/** Time, as data: folds know no other clock than the times of events. */
export const clockTicked = eventType({
  type: "clock.ticked",
  topic: "observations",
  version: 1,
  description: "Ten seconds have passed at the ingest role.",
  data: Schema.Struct({}),
})
