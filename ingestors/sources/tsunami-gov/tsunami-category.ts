import type { TsunamiCategory } from "../../../schemas/feeds/tsunami.ts"

/** Words of the categories, the gravest last: the gravest word of a text counts. */
const words: ReadonlyArray<readonly [word: RegExp, category: TsunamiCategory]> = [
  [/\binformation\b/i, "information"],
  [/\bwatch(es)?\b/i, "watch"],
  [/\badvisor(y|ies)\b/i, "advisory"],
  [/\bthreats?\b/i, "threat"],
  [/\bwarnings?\b/i, "warning"],
]

/** An exercise message: one of these words in the category or the title. */
const TEST = /\b(test|exercise|drill)\b/i
const CANCELLED = /\b(cancel\w*|has ended|have ended|is over|ended|lifted|expired)\b/i
/** A statement that there is no threat (any more): "no tsunami threat", "the tsunami threat has passed". */
const NO_THREAT = /\bno\s+(\w+\s+){0,2}threat\b|\bthreat\b[^.;,]{0,40}\b(has|is)\s+(largely\s+)?passed\b/i
/** Separators of statements that are read independently. */
const CLAUSES = /[.;,]|\s(?:-+|but|while|with)\s|\n/i
/** "And" separates statements, unless it joins two subjects of one: "warnings and watches have been cancelled". */
const AND = /(?<!^\s*(?:the\s+)?(?:tsunami\s+)?(?:watch(?:es)?|advisor(?:y|ies)|warnings?|threats?))\s+(?:and|&)\s+/i

/** The gravest category in a text whose statement is not cancelled; null if no statement names a category. */
const categoryIn = (text: string): TsunamiCategory | null => {
  let standing = -1
  let cancelled = false
  let denied = false
  for (const clause of text.split(CLAUSES).flatMap((part) => part.split(AND))) {
    if (NO_THREAT.test(clause)) {
      denied = true
      continue
    }
    if (CANCELLED.test(clause)) {
      cancelled = true
      continue
    }
    standing = Math.max(
      standing,
      words.findLastIndex(([word]) => word.test(clause)),
    )
  }
  // "Advisory remains, Watch cancelled" is an advisory; "Information, no tsunami threat" is `no_threat`.
  const named = words[standing]?.[1]
  if (named !== undefined && !(denied && named === "information")) return named
  return denied ? "no_threat" : cancelled ? "cancellation" : null
}

/**
 * The category of a message, read from its category text, else from its title. Null if both are unknown: an unknown word may
 * be a new name of a danger.
 */
export const tsunamiCategoryOf = (category: string, title: string): TsunamiCategory | null =>
  TEST.test(category) || TEST.test(title) ? "test" : (categoryIn(category) ?? categoryIn(title))
