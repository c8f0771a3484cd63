// Texts in the form in which they are compared with the published lists: words that look the same to a reader are equal in
// this form.

/** Letters that look like Latin ones, by the Latin letter: Cyrillic, Greek, Armenian, small capitals and others. */
const lookAlikes: Readonly<Record<string, string>> = {
  a: "\u0430\u03B1\u0251\u1D004@",
  b: "\u0432\u03B2\u0299\u044C",
  c: "\u0441\u03F2\u1D04",
  d: "\u0501\u1D05\u0257",
  e: "\u0435\u0454\u03B5\u1D07\u0259\u01DD3",
  f: "\uA730\u0192",
  g: "\u0261\u0262\u0581",
  h: "\u04BB\u043D\u029C\u0570",
  i: "\u0456\u03B9\u0131\u026A\u04CF\u029F1!|l",
  j: "\u0458\u03F3\u1D0A",
  k: "\u043A\u03BA\u1D0B",
  m: "\u043C\u1D0D",
  n: "\u043F\u03B7\u0274\u0578",
  o: "\u043E\u03BF\u03C3\u0585\u1D0F0",
  p: "\u0440\u03C1\u1D18",
  q: "\u051B\u0566",
  r: "\u0433\u0280\u1D26",
  s: "\u0455\uA7315$",
  t: "\u0442\u03C4\u1D1B7",
  u: "\u03C5\u057D\u1D1C",
  v: "\u03BD\u0475\u1D20",
  w: "\u0461\u03C9\u051D\u1D21",
  x: "\u0445\u03C7",
  y: "\u0443\u03B3\u028F",
  z: "\u1D22",
}
const latinOf = new Map(
  Object.entries(lookAlikes).flatMap(([latin, alike]) =>
    Array.from(alike, (letter): [string, string] => [letter, latin]),
  ),
)

const A = "a".codePointAt(0) ?? 0
/** Letters in circles, squares and as flags have no compatible form: each range begins with its A. */
const letterRanges = [0x1f150, 0x1f170, 0x1f1e6]

/** The letter in a circle, in a square or of a flag. */
const unframed = (character: string): string => {
  const point = character.codePointAt(0) ?? 0
  const start = letterRanges.find((first) => point >= first && point < first + 26)
  return start === undefined ? character : String.fromCodePoint(A + point - start)
}
const mapped = (text: string, map: (character: string) => string): string => Array.from(text, map).join("")

/** Marks, and invisible characters. */
const UNSEEN = /[\p{M}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cf}\p{Co}\p{Cn}]/gu
/** Digits and signs that also stand for letters; a sign at the end of a word is punctuation. */
const AMBIGUOUS = /[\d!|$@]/gu
const PUNCTUATION = /[!|$@](?![\p{L}\p{N}])/gu
const NO_LETTER = /[^\p{L}\p{N}]+/gu
/** Signs that divide a word, such as in "ig-nore". */
const IN_WORD = /(?<=[\p{L}\p{N}])['.\-_*\u2010-\u2015\u2019](?=[\p{L}\p{N}])/gu

const words = (text: string): string => ` ${text.replace(NO_LETTER, " ").trim()} `

/** The forms of a text that are compared with a list. */
export interface Folded {
  /** Its words, each between blanks: as they are divided, and with what divides a word removed. */
  readonly words: ReadonlyArray<string>
  /** Its letters alone. */
  readonly compact: ReadonlyArray<string>
}

/**
 * Folds a text: lower case, without marks, look-alikes as Latin letters. Digits and signs are read as the letters that
 * they imitate ("1gn0re"), and as blanks ("rules1").
 */
export const folded = (text: string): Folded => {
  const visible = text.toWellFormed().normalize("NFKC").toLowerCase().normalize("NFD").replace(UNSEEN, "")
  const plain = mapped(visible, unframed)
  const read = (form: string) => mapped(form, (letter) => latinOf.get(letter) ?? letter)
  const divided = [read(plain.replace(PUNCTUATION, " ")), read(plain.replace(AMBIGUOUS, " "))]
  return {
    words: [...new Set(divided.flatMap((form) => [words(form), words(form.replace(IN_WORD, ""))]))],
    compact: [...new Set([read(plain), ...divided].map((form) => form.replace(NO_LETTER, "")))],
  }
}

/** Folds a word or phrase of a list, with one blank between its words. */
export const foldedPhrase = (phrase: string): string => (folded(phrase).words[0] ?? "").trim()
