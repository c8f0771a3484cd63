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
