import { distance } from "fastest-levenshtein"

/** Edits that make a typing error of a word of so many letters: two swapped letters are two edits. */
const editsMax = (letters: number): number => (letters < 3 ? 0 : letters < 5 ? 1 : 2)

/**
 * Tests whether a name is one of ours with a typing error: the same number of words, each at most a few letters off, and the
 * whole name too. The first word of a short name or of a provider's key must be the same, as `OPENAI_KEY` and the like belong
 * to others; a common word such as `KAFKA_` alone makes no resemblance (`KAFKA_HEAP_OPTS`, `CLICKHOUSE_DB`).
 */
const resembles = (given: string, known: string): boolean => {
  const words = known.split("_")
  const others = given.split("_")
  if (words.length < 2 || words.length !== others.length || distance(given, known) > 2) return false
  return words.every((word, at) => {
    const other = others[at] ?? ""
    return word === other || (distance(word, other) <= editsMax(word.length) && (at > 0 || word.length >= 5))
  })
}

/** A variable that is no setting, and the setting that is meant. */
export interface Misspelt {
  readonly variable: string
  readonly meant: string
}

/** Finds the variables of an environment that resemble a setting. `providers`: settings of which the first word must be right. */
export const misspeltSettings = (
  environment: Readonly<Record<string, string | undefined>>,
  names: ReadonlyArray<string>,
  providers: ReadonlyArray<string>,
): ReadonlyArray<Misspelt> => {
  const known = new Set([...names, ...providers])
  const firstWord = (name: string) => name.split("_")[0]
  return Object.keys(environment).flatMap((variable) => {
    if (known.has(variable)) return []
    const upper = variable.toUpperCase()
    if (known.has(upper)) return upper.includes("_") ? [{ variable, meant: upper }] : []
    const candidates = [
      ...names.filter((name) => resembles(upper, name)),
      ...providers.filter((name) => firstWord(name) === firstWord(upper) && resembles(upper, name)),
    ]
    const [meant] = candidates.toSorted((one, other) => distance(upper, one) - distance(upper, other))
    return meant === undefined ? [] : [{ variable, meant }]
  })
}
