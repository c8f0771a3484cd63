import * as Result from "effect/Result"
import type { Feed } from "../schemas/feed.ts"
import { decoderOf } from "./decode.ts"
import { Undecodable, UpstreamError } from "./document.ts"
import { isAhead } from "./readers/instants.ts"
import type { Normalised, ReadContext, Reading } from "./reading.ts"
import type { Steps } from "./steps.ts"

const refused = (feed: string, problem: string): Reading<never> => ({
  outcome: new Undecodable({ document: feed, problem }),
  unreadable: [],
})

/** Reads one value: its source normalises it, and it must match the feed's schema and not lie in the future. */
export const readValue = <Collected, Value>(
  feed: Feed<Value, Value>,
  normalise: (collected: Collected, context: ReadContext) => Normalised<Value> | UpstreamError,
): ((collected: Collected, context: ReadContext) => Steps<Reading<Value>>) =>
  function* (collected, context) {
    const normalised = normalise(collected, context)
    if (normalised instanceof UpstreamError) return { outcome: normalised, unreadable: [] }
    yield
    const value = decoderOf(feed.payload)(normalised.payload)
    if (Result.isFailure(value)) throw new TypeError(value.failure)
    if (isAhead(feed.happenedAt(value.success), context.observedAtMs))
      return refused(feed.name, "the time of the value lies in the future")
    return { outcome: { ...normalised, payload: value.success }, unreadable: [] }
  }
