import canonicalizeJson from "canonicalize"

/** A JSON value. Event data, payloads and reply bodies have no other values. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** The most member names for the engine's own serialiser, which looks up each of them in each object. */
const NAMES_MAX = 128
/** The most look-ups of names per existing member. */
const LOOKS_PER_MEMBER_MAX = 8
/** The greatest depth of a value for it, as the survey is recursive. */
const DEPTH_MAX = 64

/** Counts of the objects, members and member names of a value. */
interface Survey {
  readonly names: Set<string>
  objects: number
  members: number
}

/**
 * Collects the names of all members of a value, and counts. False where the engine's own serialiser might not give the
 * canonical form: too deep, too many names, not well-formed, not plain data.
 */
const survey = (value: unknown, seen: Survey, depth: number): boolean => {
  switch (typeof value) {
    case "string":
      return value.isWellFormed()
    case "number":
      return Number.isFinite(value)
    case "boolean":
      return true
    case "object":
      break
    default:
      return false
  }
  if (value === null) return true
  if (depth === DEPTH_MAX) return false
  if (Array.isArray(value)) {
    for (const one of value) if (!survey(one, seen, depth + 1)) return false
    return true
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  const members = value as Readonly<Record<string, unknown>>
  seen.objects += 1
  for (const name in members) {
    seen.members += 1
    const one = members[name]
    if (!seen.names.has(name)) {
      // An inherited name would be read from objects that do not have it themselves.
      if (seen.names.size === NAMES_MAX || name in Object.prototype || !name.isWellFormed()) return false
      seen.names.add(name)
    }
    if (one !== undefined && !survey(one, seen, depth + 1)) return false
  }
  return true
}

/**
 * The canonical text of a JSON value, RFC 8785 (sorted members, shortest numbers), so that equal values have equal hashes.
 * Throws on values without a JSON form (`undefined`, `NaN`, cycles): that is a bug of the caller, never of an upstream.
 *
 * Plain data with few names, such as a list of thousands of items, is written by the engine's own serialiser, which takes
 * a list of names and keeps their order: several times as fast as the library, which writes everything else.
 */
export const canonicalJson = (value: unknown): string => {
  const seen: Survey = { names: new Set(), objects: 0, members: 0 }
  if (survey(value, seen, 0) && seen.objects * seen.names.size <= LOOKS_PER_MEMBER_MAX * seen.members + NAMES_MAX)
    return JSON.stringify(value, [...seen.names].sort())
  const text = canonicalizeJson(value)
  if (text === undefined) throw new TypeError("a value without a JSON form was given to canonicalJson")
  return text
}
