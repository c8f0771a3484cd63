import * as Schema from "effect/Schema"
import { eventType, Instant } from "../event.ts"

/** Members that every change of an item shares. */
const change = {
  feed: Schema.NonEmptyString,
  parameters: Schema.Record(Schema.String, Schema.String),
  provider: Schema.NonEmptyString,
  /** The item's key within its feed. */
  key: Schema.NonEmptyString,
  /** The item, in the feed's canonical form; the last one known where it has gone. */
  item: Schema.Json,
  observedAt: Instant,
  /** Whether a simulated world gave it; absent for a real upstream. */
  simulated: Schema.optionalKey(Schema.Literal(true)),
}

/** An item that the previous observation did not contain. */
export const itemAppeared = eventType({
  type: "item.appeared",
  topic: "deltas",
  version: 1,
  description: "An item that the last observation of its feed did not hold.",
  data: Schema.Struct(change),
})

/** An item's revision differs from the one before. */
export const itemChanged = eventType({
  type: "item.changed",
  topic: "deltas",
  version: 1,
  description: "An item whose revision differs from that of the last observation of its feed.",
  data: Schema.Struct({
    ...change,
    /** The members of the item before that differ, and those that are gone, with their earlier values; absent where they are purged. */
    before: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
    /** The members that the item before did not have; absent where it had all, or where `before` is. */
    added: Schema.optionalKey(Schema.NonEmptyArray(Schema.String)),
  }),
})

/** An item is no longer in its feed: it ended, was withdrawn, or left the feed's window. */
export const itemGone = eventType({
  type: "item.gone",
  topic: "deltas",
  version: 1,
  description: "An item that the last observation of its feed held and this one does not.",
  data: Schema.Struct(change),
})

/** The verdict of one reliability probe (its rules: `processors/reliability/`). */
export const Verdict = Schema.Literals(["ok", "stale", "dark"])
export type Verdict = typeof Verdict.Type

/** The monitor judged a feed at a five-minute boundary of event time. */
export const feedProbed = eventType({
  type: "feed.probed",
  topic: "deltas",
  version: 1,
  description: "The verdict on a feed at a five-minute boundary of event time.",
  data: Schema.Struct({
    feed: Schema.NonEmptyString,
    parameters: Schema.Record(Schema.String, Schema.String),
    provider: Schema.NonEmptyString,
    verdict: Verdict,
    probedAt: Instant,
    /** Age of the last good observation, in milliseconds; null when there has never been one. */
    ageMs: Schema.NullOr(Schema.Natural),
  }),
})
