import { digestOf } from "./digest.ts"

/** A JSON value as text, and the digest of that text. */
export interface Rendered {
  readonly text: string
  readonly digest: string
}

const known = new WeakMap<object, Rendered>()

/** The JSON text of a value. Throws if the value has none. */
export const jsonText = (value: unknown): string => {
  const text: string | undefined = JSON.stringify(value)
  if (text === undefined) throw new TypeError("a value without a JSON form")
  return text
}

const render = (value: unknown): Rendered => {
  const text = jsonText(value)
  return { text, digest: digestOf(text) }
}

/**
 * The JSON text of a value and its digest. An object is rendered once, for as long as it is referenced: bodies are large,
 * and both the search for a change and the commit need the text. Objects must not change afterwards. Throws if the value
 * has no JSON form.
 */
export const rendered = (value: unknown): Rendered => {
  if (typeof value !== "object" || value === null) return render(value)
  const before = known.get(value)
  if (before !== undefined) return before
  const now = render(value)
  known.set(value, now)
  return now
}
