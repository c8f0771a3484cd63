import { type WithheldKind, withheldKinds } from "../../schemas/published/withheld-text.ts"
import { type Folded, folded, foldedPhrase } from "./folded.ts"

type Test = (text: string, fold: Folded) => boolean

/** Four letters that each stand alone, or a word longer than any in use: words may be hidden in it. */
const HIDES_WORDS = /(?:^| )(?:\p{L} ){4}|\p{L}{21}/u

/** Whether a word of the first list stands before one of the second in a text of words. */
const inSequence = (text: string, first: ReadonlyArray<string>, second: ReadonlyArray<string>): boolean => {
  const begins = first.map((word) => text.indexOf(word)).filter((at) => at !== -1)
  return begins.length > 0 && second.some((word) => text.lastIndexOf(word) > Math.min(...begins))
}

const testsOf = ({
  sequence,
  unspaced,
  phrases = [],
  literals = [],
  forms = [],
}: WithheldKind): ReadonlyArray<Test> => {
  const asWords = (list: ReadonlyArray<string> = []) => list.map((phrase) => ` ${foldedPhrase(phrase)} `)
  const asLetters = (list: ReadonlyArray<string> = []) => list.map((phrase) => foldedPhrase(phrase).replaceAll(" ", ""))
  const [first, second, phrased] = [asWords(sequence?.first), asWords(sequence?.second), asWords(phrases)]
  const [firstLetters, secondLetters] = [asLetters(sequence?.first), asLetters(sequence?.second)]
  const phrasedLetters = asLetters(phrases)
  const parts = unspaced?.map(asLetters) ?? []
  return [
    (_, { words }) =>
      words.some((text) => inSequence(text, first, second) || phrased.some((phrase) => text.includes(phrase))),
    (_, { words, compact }) =>
      words.some((text) => HIDES_WORDS.test(text)) &&
      compact.some(
        (text) =>
          inSequence(text, firstLetters, secondLetters) || phrasedLetters.some((phrase) => text.includes(phrase)),
      ),
    (_, { compact }) =>
      parts.length > 0 && compact.some((text) => parts.every((list) => list.some((part) => text.includes(part)))),
    (text) => literals.some((literal) => text.toLowerCase().includes(literal)),
    (text) => forms.some((form) => form.test(text)),
  ]
}

const kinds = withheldKinds.map((kind) => ({ name: kind.name, tests: testsOf(kind) }))

/** The name of the first kind of the published list that a text is of; null where it may be quoted. */
export const withheldBy = (text: string): string | null => {
  const plain = text.toWellFormed().normalize("NFKC")
  const fold = folded(plain)
  return kinds.find(({ tests }) => tests.some((test) => test(plain, fold)))?.name ?? null
}
