import * as Schema from "effect/Schema"
import { day } from "../contract/parameters.ts"
import { eventType, Instant } from "../event.ts"

/** The correlation of a pair of assets was computed again, and its value or its days have changed. */
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
    /** The number of returns that it was computed from. */
    returns: Schema.Natural,
    /** The first and the last day on which both series have a number; null without such a day. */
    firstDay: Schema.NullOr(day),
    lastDay: Schema.NullOr(day),
    /** When the number that changed it was observed. */
    observedAt: Instant,
  }),
})
