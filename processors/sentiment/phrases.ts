/** A word of a headline: as it stands there, and in lower case for look-ups. */
export interface Word {
  readonly text: string
  readonly lower: string
}

/** Cash tags ($BTC), words with what joins their parts ("J.P", "don't", "S&P"), and marks. A full stop ends a word too. */
const TOKENS = /\$\p{L}{1,10}(?![\p{L}\p{N}])|[\p{L}\p{N}]+(?:['.&][\p{L}\p{N}]+)*|[,;:!?()"“”…—–|]|\.(?=\s|$)/gu
const WORD = /^[$\p{L}\p{N}]/u
const POSSESSIVE = /'s$/
/** Words that a full stop abbreviates instead of ending a clause: single letters, also several with stops between them. */
const ABBREVIATED = /^\p{L}(?:\.\p{L})*$/u

/**
 * The clauses of a headline, each a list of words: a mark ends a clause, a hyphen parts words. No word crosses a mark.
 */
export const clausesOf = (title: string): ReadonlyArray<ReadonlyArray<Word>> => {
  const clauses: Array<Array<Word>> = [[]]
  for (const [token] of title.normalize("NFKC").replaceAll("’", "'").matchAll(TOKENS)) {
    const clause = clauses.at(-1) ?? []
    if (WORD.test(token)) {
      const text = token.replace(POSSESSIVE, "")
      clause.push({ text, lower: text.toLowerCase() })
    } else if (token !== "." || !ABBREVIATED.test(clause.at(-1)?.text ?? "")) clauses.push([])
  }
  return clauses.filter((clause) => clause.length > 0)
}

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
