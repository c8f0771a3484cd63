import type { Signal } from "../../schemas/payloads/sentiment-by-ticker.ts"
import { clausesOf, type Word } from "./clauses.ts"
import { meaningAt } from "./lexicon.ts"

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
