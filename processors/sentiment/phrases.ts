import { clausesOf, type Word } from "./clauses.ts"

/** A phrase that begins at a word, and how many words it has. */
interface PhraseMatch<Meaning> {
  readonly meaning: Meaning
  readonly wordCount: number
}

/** Finds the longest phrase that begins at a word of a clause; null where none does. */
export type PhraseFinder<Meaning> = (clause: ReadonlyArray<Word>, at: number) => PhraseMatch<Meaning> | null

/**
 * Makes the finder of some phrases, which are parted into words as headlines are. Of equal phrases the later one counts.
 * Look-ups go through maps alone, so that words such as "constructor" find nothing.
 */
export const phraseFinder = <Meaning>(
  entries: Iterable<readonly [phrase: string, meaning: Meaning]>,
): PhraseFinder<Meaning> => {
  const byText = new Map<string, { readonly words: ReadonlyArray<string>; readonly meaning: Meaning }>()
  for (const [phrase, meaning] of entries) {
    const words = clausesOf(phrase)
      .flat()
      .map(({ lower }) => lower)
    byText.set(words.join(" "), { words, meaning })
  }
  const byFirst = Map.groupBy(byText.values(), ({ words }) => words[0])
  for (const phrases of byFirst.values()) phrases.sort((one, other) => other.words.length - one.words.length)
  return (clause, at) => {
    const phrases = byFirst.get(clause[at]?.lower)
    const found = phrases?.find(({ words }) => words.every((word, index) => clause[at + index]?.lower === word))
    return found === undefined ? null : { meaning: found.meaning, wordCount: found.words.length }
  }
}
