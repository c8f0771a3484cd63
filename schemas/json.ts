import canonicalizeJson from "canonicalize"

/** Anything that JSON can say. Event data, payloads and reply bodies are this and nothing else. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

/**
 * The one text of a JSON value: RFC 8785 (sorted members, shortest numbers), so that equal values have equal hashes.
 * Throws on what JSON cannot say (`undefined`, `NaN`, cycles): that is a bug of the caller, never of an upstream.
 */
export const canonicalJson = (value: unknown): string => {
  const text = canonicalizeJson(value)
  if (text === undefined) throw new TypeError("a value without a JSON form was given to canonicalJson")
  return text
}
