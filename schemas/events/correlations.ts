import * as Schema from "effect/Schema"
import { day } from "../contract/parameters.ts"
import { eventType, Instant } from "../event.ts"

/** The correlation of a pair of assets was computed of new numbers, and is another one, or of other days. */
export const correlationComputed = eventType({
  type: "correlation.computed",
  topic: "deltas",
  version: 1,
  description: "The correlation of the daily returns of two assets has changed, or the days that it is of.",
  data: Schema.Struct({
    /** Symbols of the assets. */
    a: Schema.NonEmptyString,
    b: Schema.NonEmptyString,
    /** From -1 to 1; null where there are too few returns, or one side does not change. */
    pearsonR: Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: -1, maximum: 1 }))),
    /** How many returns it is of. */
    returns: Schema.Natural,
    /** The first and the last day on which both series have a number; null without such a day. */
    firstDay: Schema.NullOr(day),
    lastDay: Schema.NullOr(day),
    /** When the number was observed that changed it. */
    observedAt: Instant,
  }),
})
