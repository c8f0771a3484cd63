import { parseCursor } from "../../schemas/change.ts"
import { type CursorGone, changesParameters } from "../../schemas/contract/changes.ts"
import { type ProblemReply, problem } from "../http/problems.ts"
import type { IsWanted, PacedReads } from "./reads.ts"
import type { ChangeWindow } from "./window.ts"

const RETRY_SECONDS = 2

/** 503: log or archive cannot be read, or this process is about to end. */
export const changesUnavailable = (): ProblemReply =>
  problem(
    503,
    "changes_unavailable",
    "The changes cannot be read at the moment. Retry after Retry-After.",
    { retry_after_seconds: RETRY_SECONDS },
    ["Retry-After", String(RETRY_SECONDS)],
  )

/** 410: what follows a cursor can no longer be read; `oldest` is the number of the oldest change that can. */
export const cursorGone = (window: ChangeWindow, oldest: number): ProblemReply => {
  const message =
    "What follows this cursor can no longer be read. Go on from oldest or now, and read what you keep anew."
  const refused = problem(410, "cursor_gone", message, { parameter: "after" })
  const places = { oldest: window.cursorOf(oldest - 1) ?? "", now: window.cursorOf(window.reached) ?? "" }
  const body: CursorGone = { ...refused.body, ...places }
  return { ...refused, body }
}

const refusedCursor = (error: string, message: string, parameter: string): ProblemReply =>
  problem(400, error, message, { parameter })

/** 400: a cursor of another log. */
export const otherLog = (parameter: string): ProblemReply =>
  refusedCursor(
    "other_log",
    "This cursor is of another log: read what you keep anew, from a cursor of this one.",
    parameter,
  )

/** Where a reader begins: behind this number of a log, whose name is null before its first change; or why it cannot. */
export type Place =
  | { readonly _tag: "Place"; readonly log: string | null; readonly after: number }
  | { readonly _tag: "Refused"; readonly problem: ProblemReply }

const placed = (log: string | null, after: number): Place => ({ _tag: "Place", log, after })
const refusedPlace = (reply: ProblemReply): Place => ({ _tag: "Refused", problem: reply })

/**
 * The place of a cursor, of `start` or of `now`. `parameter` is where the text comes from. A cursor ahead of the window is
 * compared with the log, as another process may be further than this one.
 */
export const placeOf = async (
  text: string,
  window: ChangeWindow,
  reads: PacedReads,
  isWanted: IsWanted,
  parameter = "after",
): Promise<Place> => {
  if (text === "now") return placed(window.log, window.reached)
  if (text === "start") {
    if (window.holds(0)) return placed(window.log, 0)
    const bounds = await reads.bounds(isWanted)
    if (bounds === undefined) return refusedPlace(changesUnavailable())
    return bounds === null ? placed(window.log, 0) : placed(bounds.log, bounds.oldest - 1)
  }
  const cursor = parseCursor(text)
  if (cursor === null) {
    const message = `This is no cursor. ${changesParameters.after.description}.`
    return refusedPlace(refusedCursor("invalid_cursor", message, parameter))
  }
  if (cursor.log === window.log && cursor.ordinal <= window.reached) return placed(cursor.log, cursor.ordinal)
  const last = await reads.last(isWanted)
  if (last === undefined) return refusedPlace(changesUnavailable())
  if (cursor.log !== last?.log) return refusedPlace(otherLog(parameter))
  if (cursor.ordinal <= last.ordinal) return placed(cursor.log, cursor.ordinal)
  const message = "This cursor is ahead of this log, which has given no such cursor."
  return refusedPlace(refusedCursor("future_cursor", message, parameter))
}
