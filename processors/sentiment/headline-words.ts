import type { Signal } from "../../schemas/payloads/pro-sentiment.ts"
import { tickers } from "../../schemas/published/tickers.ts"
import { meaningAt } from "./lexicon.ts"
import { clausesOf, phraseFinder, type Word } from "./phrases.ts"

/** How many words of its clause a negation reverses. */
const NEGATED_WORDS = 3

/** The sum of the weights of a clause; null where it has no word of the lexicon. Two negations cancel each other. */
const scoreOf = (clause: ReadonlyArray<Word>): number | null => {
  let sum: number | null = null
  let negatedUntil: ReadonlyArray<number> = []
  for (let at = 0; at < clause.length; ) {
    const match = meaningAt(clause, at)
    const next = at + (match?.wordCount ?? 1)
    const active = negatedUntil.filter((until) => at < until)
    if (match?.meaning === "negates") negatedUntil = [...active, next + NEGATED_WORDS]
    else if (typeof match?.meaning === "number") {
      sum = (sum ?? 0) + (active.length % 2 === 1 ? -match.meaning : match.meaning)
    }
    at = next
  }
  return sum
}

/**
 * Whether a headline reads well or ill, by the lexicon `lexicon-1`: the sign of the sum of its words' weights, where a
 * negation reverses the next three words of its clause. Null where it holds no word of the lexicon.
 */
export const signalOf = (title: string): Signal | null => {
  const scores = clausesOf(title).flatMap((clause) => scoreOf(clause) ?? [])
  if (scores.length === 0) return null
  const sum = scores.reduce((total, one) => total + one, 0)
  return sum > 0 ? "+" : sum < 0 ? "-" : "neutral"
}

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
