import type { Repository } from "../schemas/feeds/repositories.ts"
import { aiMlTerms } from "../schemas/published/ai-ml-terms.ts"

/**
 * A word: Latin letters and digits, with the apostrophes inside it, so that French "j'ai" is one word. Letters of another
 * script end a word, as Chinese text has no spaces around "AI".
 */
const WORD = /[\p{Script=Latin}\p{M}\p{Nd}]+(?:['\u2019][\p{Script=Latin}\p{M}\p{Nd}]+)*/gu
const POSSESSIVE = /['\u2019]s$/

/** The words of a text, lower case, each between blanks. Hyphens, dots, slashes and underscores separate words. */
const wordsOf = (text: string): string => {
  const words = text.normalize("NFKC").toLowerCase().match(WORD) ?? []
  return ` ${words.map((word) => word.replace(POSSESSIVE, "")).join(" ")} `
}

const terms = aiMlTerms.map((term) => ` ${term} `)

/** Whether a text holds a term of the list, in whole words. */
export const hasAiMlTerm = (text: string): boolean => {
  const words = wordsOf(text)
  return terms.some((term) => words.includes(term))
}

/** Whether a repository is about artificial intelligence or machine learning, by its name, description and topics. */
export const isAiMl = ({
  fullName,
  description,
  topics,
}: Pick<Repository, "fullName" | "description" | "topics">): boolean =>
  [fullName.slice(fullName.indexOf("/") + 1), description ?? "", ...topics].some(hasAiMlTerm)
