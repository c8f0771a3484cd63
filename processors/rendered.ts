import { digestOf } from "./digest.ts"

/** A JSON value as text, and the digest of that text. */
export interface Rendered {
  readonly text: string
  readonly digest: string
}

const known = new WeakMap<object, Rendered>()

/** The text of a value. Throws on what JSON cannot say. */
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
 * The text of a value. The same object is rendered once, as long as it is referenced: bodies are large, and the fold
 * that looks for a change and the commit that follows need the same text. Throws on what JSON cannot say.
 */
export const rendered = (value: unknown): Rendered => {
  if (typeof value !== "object" || value === null) return render(value)
  const before = known.get(value)
  if (before !== undefined) return before
  const now = render(value)
  known.set(value, now)
  return now
}
