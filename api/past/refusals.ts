import { instantsOfDay } from "../../schemas/contract/parameters.ts"
import { instant } from "../../schemas/event.ts"
import { type ProblemReply, problem } from "../http/problems.ts"

const PARAMETER = { parameter: "at" }
const RETRY_SECONDS = 2

const refused = (error: string, message: string, rest: object = {}): ProblemReply =>
  problem(400, error, message, { ...PARAMETER, ...rest })

/** 400: the value is none. A day alone is refused with the two instants that it could mean. */
export const invalidAt = (text: unknown): ProblemReply => {
  const allowed = typeof text === "string" ? instantsOfDay(text) : null
  if (allowed === null)
    return refused(
      "invalid_at",
      "`at` takes one value: an instant of the past with its zone (2026-08-17T20:35:00Z), a cursor, or now.",
    )
  return refused("invalid_at", "A day is no instant: its begin and its end are those in allowed (UTC).", { allowed })
}

/** 400: a stream goes on behind Last-Event-ID, a past reply is that of one instant. */
export const conflictingPlaces = (): ProblemReply =>
  refused("conflicting_places", "A request has either `at` or Last-Event-ID, which is of streams.")

/** 400: the instant has not come yet. */
export const futureInstant = (): ProblemReply =>
  refused("future_instant", "This instant has not come yet: what will be known is not known.")

/** 400: what was known may still change. `watermark`: up to when it no longer does. */
export const notSettled = (watermarkMs: number | null): ProblemReply =>
  refused(
    "not_settled",
    "What was known at this instant may still change. Ask for `watermark` or before, for `now`, or again in a minute.",
    { watermark: watermarkMs === null ? null : instant(watermarkMs) },
  )

/** 400: a cursor that this log has not given. */
export const unknownCursor = (isOther: boolean): ProblemReply =>
  isOther
    ? refused("other_log", "This cursor is of another log.")
    : refused("future_cursor", "This cursor is ahead of what is known here: no change of this number is settled yet.")

const nothing = (error: string, message: string, rest: object = {}): ProblemReply =>
  problem(404, error, message, { ...PARAMETER, ...rest })

/** 404: there is no past of such replies. */
export const noHistory = (): ProblemReply =>
  nothing("no_history", "No past is kept of this reply: it is fetched or made on request, or it counts callers.")

/** 404: this installation keeps no history. */
export const notConfigured = (): ProblemReply => nothing("not_configured", "This installation keeps no past.")

/** 404: the instant is before the first version that is kept. */
export const beforeHistory = (firstMs: number | null): ProblemReply =>
  nothing("before_history", "The past of this reply begins at `first`, after this instant.", {
    first: firstMs === null ? null : instant(firstMs),
  })

/** 404: a source of the reply is off, its provider allows it no more, or the operator has taken it out. */
export const withdrawn = (): ProblemReply =>
  nothing("withdrawn", "This reply holds data that may no longer be shown here.")

/** 503: the history does not answer. */
export const pastUnavailable = (): ProblemReply =>
  problem(
    503,
    "past_unavailable",
    "The past cannot be read at the moment. Retry after Retry-After.",
    { retry_after_seconds: RETRY_SECONDS },
    ["Retry-After", String(RETRY_SECONDS)],
  )
