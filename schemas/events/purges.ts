import * as Schema from "effect/Schema"
import { eventType, Instant } from "../event.ts"
import { operatorWords } from "../operator-words.ts"

/** The name of a feed. */
const FeedName = Schema.String.check(Schema.isPattern(/^[a-z0-9]+(?:-[a-z0-9]+)*$/u))

const Span = Schema.Struct({ from: Instant, to: Instant })

/** The most spans of one purge: an item that came and went more often has one that covers several. */
export const SPANS_MAX = 64

/**
 * An operator has taken a feed, or one item of it, out of the past: what was known of it in [from, to) is neither shown nor kept
 * by the history any more. It says which that is and why, and holds nothing of it: a key may be content itself, so that the item is
 * named by the digest of the event's id and the key.
 */
export const feedPurged = eventType({
  type: "feed.purged",
  topic: "purges",
  version: 1,
  description:
    "What was known of a feed, or of one item of it, between two instants is neither shown nor kept any more.",
  data: Schema.Struct({
    feed: FeedName,
    /** SHA-256 of the id of this event, a line break and the key of the item, in hex; absent where the whole feed is meant. */
    key: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/u))),
    from: Instant,
    to: Instant,
    /** When views could show it, within [from, to): their replies of these instants are withdrawn. In order, none touching another. */
    shown: Schema.Array(Span).check(Schema.isMaxLength(SPANS_MAX)),
    ...operatorWords,
  }),
})

/** Stands in the archive in the place of an event whose content an operator has taken out: at its offset, with its id and time. */
export const eventPurged = eventType({
  type: "event.purged",
  topic: "deltas",
  version: 1,
  description: "In the archive: the event of this id held what an operator has taken out.",
  data: Schema.Struct({ was: Schema.NonEmptyString, feed: FeedName }),
})
