import { createHash } from "node:crypto"
import * as Schema from "effect/Schema"
import { cursorText, parseCursor } from "../change.ts"
import { instanceKey, type Parameters } from "../feed.ts"
import type { HistoryPlace } from "../ports/item-history.ts"

/** Every cursor is Base64url of a JSON array that begins with a text. */
export const HISTORY_CURSOR = /^Wy[IJ][A-Za-z0-9_-]{24,120}$/

const CHECK_CHARACTERS = 12

/** The parameters that choose how much of the list is read, and in which form: a cursor holds for any of them. */
const OF_PAGE: ReadonlySet<string> = new Set(["cursor", "limit", "format"])

/** A short hash of the list that a cursor is of. */
const checkOf = (path: string, parameters: Parameters): string => {
  const list = Object.entries(parameters).filter(([name]) => !OF_PAGE.has(name))
  return createHash("sha256")
    .update(instanceKey(path, Object.fromEntries(list)))
    .digest("base64url")
    .slice(0, CHECK_CHARACTERS)
}

const Parts = Schema.Tuple([Schema.String, Schema.Int, Schema.String])
const isParts = Schema.is(Parts)

const textOf = (parts: typeof Parts.Type): string => Buffer.from(JSON.stringify(parts)).toString("base64url")

const partsOf = (text: string): unknown => {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString())
  } catch {
    return null
  }
}

/** The cursor of a place in the list that accepted parameters choose. It is opaque to callers. */
export const cursorOf = (path: string, parameters: Parameters, place: HistoryPlace): string =>
  textOf([checkOf(path, parameters), place.timeMs, cursorText(place)])

/** The place of a cursor; null where it is not exactly the text of one, or of other parameters. */
export const placeOf = (path: string, parameters: Parameters, text: string): HistoryPlace | null => {
  const parts = partsOf(text)
  if (!isParts(parts) || textOf(parts) !== text || parts[0] !== checkOf(path, parameters)) return null
  const number = parseCursor(parts[2])
  return number === null || !isWithin(parts[1]) ? null : { timeMs: parts[1], ...number }
}

/** Times that the history can hold: from 1900 to 2299. */
const TIME_MIN_MS = Date.UTC(1900, 0)
const TIME_MAX_MS = Date.UTC(2300, 0)
const isWithin = (ms: number): boolean => ms >= TIME_MIN_MS && ms < TIME_MAX_MS
