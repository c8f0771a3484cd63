import { LRUCache } from "lru-cache"

/** A longer text is not remembered: what is kept has a bound in bytes too. */
const TEXT_MAX_CHARACTERS = 2_000

/** Memoises a costly pure function of a text, for the `textsMax` texts that were asked for last. */
export const onceByText = <Value extends NonNullable<unknown>>(
  textsMax: number,
  of: (text: string) => Value,
): ((text: string) => Value) => {
  const known = new LRUCache<string, Value>({ max: textsMax })
  return (text) => {
    if (text.length > TEXT_MAX_CHARACTERS) return of(text)
    const before = known.get(text)
    if (before !== undefined) return before
    const value = of(text)
    known.set(text, value)
    return value
  }
}
