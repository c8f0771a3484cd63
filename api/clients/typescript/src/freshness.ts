import type { FailedCall } from "./errors.ts"
import { StaleDataError } from "./errors.ts"
import { isObject } from "./json.ts"

/** The time of a reply's data; undefined where the reply has none by its nature, or is of the past (`at`). */
const asOf = (headers: Headers, body: unknown): unknown => {
  if (headers.has("memento-datetime")) return undefined
  if (isObject(body) && isObject(body._meta)) return body._meta.as_of
  // A table has no `_meta`, but its time beside it.
  return typeof body === "string" ? (headers.get("x-service-as-of") ?? undefined) : undefined
}

/** Throws a `StaleDataError` for data that is older than `maxAgeMs`, or of unknown age. */
export const refuseStale = (headers: Headers, body: unknown, maxAgeMs: number | undefined, call: FailedCall): void => {
  const time = maxAgeMs === undefined ? undefined : asOf(headers, body)
  if (maxAgeMs === undefined || time === undefined) return
  const ageMs = typeof time === "string" ? Date.now() - Date.parse(time) : Number.NaN
  if (!(ageMs <= maxAgeMs)) throw new StaleDataError(typeof time === "string" ? time : null, maxAgeMs, body, call)
}
