import { type WithheldKind, withheldKinds } from "../../schemas/published/withheld-text.ts"
import { type Folded, folded, foldedPhrase } from "./folded.ts"

/** The longest text that is quoted, in code points. */
const QUOTED_MAX_CHARACTERS = 80

const BREAKS = /[\s\p{Z}\p{Cc}]+/gu
/** Format and private characters, surrogates, unassigned and invisible ones. */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/gu
/** More marks on one letter than any script in use has, marks on nothing, and marks that enclose. */
const MARKS = /(?<=\p{M}{2})\p{M}+|(?<=^| )\p{M}+|\p{Me}/gu
/** Every sign that is used as a quotation mark, and those that look like one. */
const QUOTES =
  /["\p{Pi}\p{Pf}\u00B4\u02B9-\u02BC\u02CA\u02CB\u02DD\u02EE\u02F5\u02F6\u05F3\u05F4\u1CD3\u201A\u201E\u2032-\u2037\u2057\u275B-\u2760\u2E42\u3003\u301D-\u301F\uFF07\u{1F676}-\u{1F678}]/gu
/** Brackets but round ones, and other signs of markup. */
const MARKUP = /(?![()])[\p{Ps}\p{Pe}]|[`<>{}[\]|\\*\u00A6\u01C0\u2223\u2225\u2500-\u257F\u2758\u276E\u276F]/gu
/** Rules, headings and emphasis; the sign of a language, such as C#, stays. */
const MARKDOWN =
  /(?<![\p{L}\p{N}])#+|#{2,}|_{2,}|(?<=^| )_+|_+(?= |$)|={2,}|~{2,}|-{3,}|&#?\w{1,12};|(?:%[\da-f]{2}){2,}|%(?:0[ad]|22|3[ce]|60|7[bcd])/giu
const COLONS = /[\u02D0\u0589\u05C3\u2236\uA789\uFE13]/gu

const ADDRESSES = [
  // An address of any scheme, up to the next space.
  /[\p{L}\p{N}+.-]*:?\/\/\S*/giu,
  /\bh(?:tt|xx)ps?:\S*/giu,
  /\b(?:mailto|javascript|data|tel|file|urn|magnet):\S+/giu,
  /[^\s@]+@[^\s@]+/gu,
  /\p{Nd}+(?:\.\p{Nd}+){3,}/gu,
  /(?<![\p{L}\p{N}])[\da-f]*(?::[\da-f]*){3,}/giu,
  /\b0x[\da-f]{16,}/giu,
  /\blocalhost\b\S*/giu,
]
/** The dot of a name such as example.com; U.S. and 3.5 have none. */
const NAME_DOT = /(?<=[\p{L}\p{N}_-])[.\u3002\u06D4\u0701\u1362\u2E3C](?=\p{L}{2})/gu

/** Words that begin a turn of a chat when a colon follows. */
const ROLES = new Set(
  ["system", "assistant", "user", "human", "developer", "tool", "instruction", "instructions", "prompt"].map(
    foldedPhrase,
  ),
)
const LEADING_ROLE = /^([^:]{1,40}?)\s*:[:\s]*/u
const INNER_ROLE = /([^\s:]+)\s*:+/gu

const isRole = (text: string): boolean => folded(text).words.some((words) => ROLES.has(words.replaceAll(" ", "")))

/** A text without the role words at its beginning; the colon behind a later one becomes a dash. */
const withoutRoles = (text: string): string => {
  let rest = text
  for (let role = LEADING_ROLE.exec(rest); role !== null && isRole(role[1] ?? ""); role = LEADING_ROLE.exec(rest))
    rest = rest.slice(role[0].length)
  return rest.replace(INNER_ROLE, (whole, word: string) => (isRole(word) ? `${word} -` : whole))
}

/** Longer texts are cut before and after normalisation, which may expand a character to eighteen; feeds hold far shorter ones. */
const INPUT_MAX_CHARACTERS = 1_000
const compatible = (text: string): string =>
  text.slice(0, INPUT_MAX_CHARACTERS).toWellFormed().normalize("NFKC").slice(0, INPUT_MAX_CHARACTERS).toWellFormed()

const cleaned = (text: string): string => {
  const seen = compatible(text).replace(BREAKS, " ").replace(UNSEEN, "").replace(MARKS, "")
  const plain = seen.replace(QUOTES, "'").replace(MARKUP, " ").replace(COLONS, ":")
  const unmarked = ADDRESSES.reduce((rest, address) => rest.replace(address, " "), plain)
    .replaceAll("@", " ")
    .replace(NAME_DOT, " ")
    .replace(MARKDOWN, " ")
  return withoutRoles(unmarked.replace(BREAKS, " ").trim()).normalize("NFKC").replace(BREAKS, " ").trim()
}

/** How often a text is cleaned at the most: what is removed may join what stood around it. */
const PASSES_MAX = 8
/** The end of a text that was cut; three characters, as an ellipsis is not in the compatible form. */
const CUT = "..."

/**
 * A text of an upstream as it may stand between double quotes in a prompt: one line of visible characters in the
 * compatible form (NFKC), without quotation marks, markup, addresses and role words, at most `charactersMax` code points.
 * Empty where nothing is left, or where cleaning finds no end.
 */
export const quotable = (text: string, charactersMax: number = QUOTED_MAX_CHARACTERS): string => {
  let clean = cleaned(text)
  for (let pass = 1; ; pass++) {
    const again = cleaned(clean)
    if (again === clean) break
    if (pass === PASSES_MAX) return ""
    clean = again
  }
  const points = Array.from(clean)
  if (points.length <= charactersMax) return clean
  const cut = points.slice(0, charactersMax - CUT.length).join("")
  return `${cut.trimEnd()}${CUT}`
}

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
