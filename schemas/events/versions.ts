import * as Schema from "effect/Schema"
import { CursorText } from "../change.ts"
import { eventType, Instant } from "../event.ts"
import { operatorWords } from "../operator-words.ts"

/** A view's body or freshness as it was written: whole, as a patch over the version before, or removed (`whole` is null). */
export const ViewVersion = Schema.Struct({
  /** The key of the view: path and parameters. */
  view: Schema.NonEmptyString,
  part: Schema.Literals(["body", "freshness"]),
  whole: Schema.optionalKey(Schema.NullOr(Schema.String)),
  patch: Schema.optionalKey(
    Schema.Struct({
      /** Of each part: the number of its own bytes, or where it begins in the version before, and its length. */
      plan: Schema.Array(Schema.Union([Schema.Natural, Schema.Tuple([Schema.Natural, Schema.Natural])])),
      /** The bytes of its own parts, each as the character of its number: a part may begin within a character. */
      own: Schema.String,
      /** The beginning of the hash of the version that it gives. */
      hash: Schema.NonEmptyString,
    }),
  ),
})
export type ViewVersion = typeof ViewVersion.Type

/**
 * The views that one commit of a fold has changed. Its time is the known time: that of the fold, the latest time of the events
 * that it had folded. An event that `settles` is logged at least once a minute of that time, also where nothing has changed:
 * the fold changes nothing of what was known before it any more.
 */
export const viewsChanged = eventType({
  type: "views.changed",
  topic: "versions",
  version: 1,
  description: "What the API served changed: the views of one commit of a fold, as they were known from then on.",
  data: Schema.Struct({
    /** The processor that builds them. */
    processor: Schema.NonEmptyString,
    settles: Schema.optionalKey(Schema.Literal(true)),
    /**
     * The first commit of a month: what every view of the fold was until then is in it, whole, so that nothing of the months before
     * is needed to know the views from this commit on. `change` is then the last one before it.
     */
    begins: Schema.optionalKey(Schema.Literal(true)),
    /** The last change of an item that the fold has numbered; absent where this commit numbers none. */
    change: Schema.optionalKey(CursorText),
    versions: Schema.Array(ViewVersion),
  }),
})

/**
 * An operator has taken the past replies of an endpoint in [from, to) out of what is shown. It says which they are and why, and
 * holds nothing of them. The versions stay in the history.
 */
export const pastPurged = eventType({
  type: "past.purged",
  topic: "versions",
  version: 1,
  description:
    "The past replies of an endpoint between two instants of known time are no longer shown, as an operator said.",
  data: Schema.Struct({ path: Schema.NonEmptyString, from: Instant, to: Instant, ...operatorWords }),
})
