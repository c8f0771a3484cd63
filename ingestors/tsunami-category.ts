import type { TsunamiCategory } from "../schemas/feeds/tsunami.ts"

/** Words that name a danger or its absence, the gravest last: of several in a text the gravest counts. */
const words: ReadonlyArray<readonly [word: RegExp, category: TsunamiCategory]> = [
  [/\binformation\b/i, "information"],
  [/\bwatch(es)?\b/i, "watch"],
  [/\badvisor(y|ies)\b/i, "advisory"],
  [/\bthreats?\b/i, "threat"],
  [/\bwarnings?\b/i, "warning"],
]

/** A message that practises: the word stands by itself, in the category or in the title. */
const TEST = /\b(test|exercise|drill)\b/i
const CANCELLED = /\b(cancel\w*|has ended|have ended|is over|ended|lifted|expired)\b/i
/** A threat that is denied, or over: "no tsunami threat", "the tsunami threat has passed". */
const NO_THREAT = /\bno\s+(\w+\s+){0,2}threat\b|\bthreat\b[^.;,]{0,40}\b(has|is)\s+(largely\s+)?passed\b/i
/** What parts a text into statements that each hold by themselves. */
const CLAUSES = /[.;,]|\s(?:-+|but|while|with)\s|\n/i
/** "And" parts statements too, unless it joins two subjects of one: "warnings and watches have been cancelled". */
const AND = /(?<!^\s*(?:the\s+)?(?:tsunami\s+)?(?:watch(?:es)?|advisor(?:y|ies)|warnings?|threats?))\s+(?:and|&)\s+/i

/** The category of one text: of its statements, the gravest that is not cancelled. Null where none names a category. */
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
  // "Advisory remains, Watch cancelled" is an advisory; "Information, no tsunami threat" says that there is none.
  const named = words[standing]?.[1]
  if (named !== undefined && !(denied && named === "information")) return named
  return denied ? "no_threat" : cancelled ? "cancellation" : null
}

/**
 * What a message says of the danger, by its category and, where that says nothing, by its title. Null where neither does:
 * an unknown word may be a new name of a danger.
 */
export const tsunamiCategoryOf = (category: string, title: string): TsunamiCategory | null =>
  TEST.test(category) || TEST.test(title) ? "test" : (categoryIn(category) ?? categoryIn(title))
