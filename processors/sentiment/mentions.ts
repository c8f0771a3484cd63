import { tickers } from "../../schemas/published/tickers.ts"
import { clausesOf, type Word } from "./clauses.ts"
import { phraseFinder } from "./phrases.ts"

/** What a phrase names, and how it must be written to name it. `symbol` null: something else than a ticker. */
interface Naming {
  readonly symbol: string | null
  /** `any`: in any case; `capitalised`: with a capital first letter; `exact`: in capitals, within a title that is not. */
  readonly written: "any" | "capitalised" | "exact"
}

const isLower = (text: string): boolean => text === text.toLowerCase()

const namingAt = phraseFinder<Naming>(
  tickers.flatMap(
    ({ symbol, names, unlike, isWord }): ReadonlyArray<readonly [string, Naming]> => [
      ...(isWord ? [] : [[symbol, { symbol, written: "exact" }] as const]),
      [`$${symbol}`, { symbol, written: "any" }],
      ...names.map((name) => [name, { symbol, written: isLower(name) ? "any" : "capitalised" }] as const),
      ...unlike.map((phrase) => [phrase, { symbol: null, written: "any" }] as const),
    ],
  ),
)

const isWritten = ({ symbol, written }: Naming, { text }: Word, isShouted: boolean): boolean =>
  written === "any" || (written === "exact" ? text === symbol && !isShouted : !isLower(text.slice(0, 1)))

/** The symbols of the assets that a headline names, each once, in the order of the alphabet. */
export const mentionsOf = (title: string): ReadonlyArray<string> => {
  // Where all is in capitals, a symbol in capitals may be any word.
  const isShouted = title === title.toUpperCase()
  const symbols = new Set<string>()
  for (const clause of clausesOf(title))
    for (let at = 0; at < clause.length; ) {
      const match = namingAt(clause, at)
      const word = clause[at]
      if (
        match !== null &&
        word !== undefined &&
        isWritten(match.meaning, word, isShouted) &&
        match.meaning.symbol !== null
      )
        symbols.add(match.meaning.symbol)
      at += match?.wordCount ?? 1
    }
  return [...symbols].sort()
}
