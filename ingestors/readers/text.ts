import { decodeHTMLStrict } from "entities"

/** Longer input is cut before it is cleaned; callers keep far less. */
const INPUT_MAX_CHARACTERS = 256 * 1024
/** The longest address kept. */
const URL_MAX_CHARACTERS = 2048

/**
 * Invisible and direction-changing characters: controls, zero-width and other ignorable characters, bidirectional marks,
 * interlinear annotation.
 */
const INVISIBLE = /[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\uFFF9-\uFFFB]/gu
const SPACES = /\s+/g
/** Printable ASCII words with one space between them and no entity: cleaning does not change it. */
const CLEAN = /^[!-%'-~]+(?: [!-%'-~]+)*$/
const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g
const TAG_START = /^[a-z/!?]/i
/** Elements whose content is not shown. */
const UNSEEN_ELEMENT = /^(script|style|template|noscript)\b/i

/** The first `lengthMax` code points of a text that is already clean. */
const cap = (text: string, lengthMax: number): string => {
  if (text.length <= lengthMax) return text
  let units = 0
  for (let points = 0; points < lengthMax && units < text.length; points++)
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1
  return text.slice(0, units).trimEnd()
}

const bounded = (text: string): string =>
  text.length <= INPUT_MAX_CHARACTERS ? text : text.slice(0, INPUT_MAX_CHARACTERS)

/**
 * Cleans an upstream's text: HTML entities decoded, invisible and direction-changing characters removed, runs of
 * space made one, ends trimmed, at most `lengthMax` code points, well-formed Unicode. Never fails.
 */
export const cleanText = (text: string, lengthMax: number): string => {
  if (text.length <= lengthMax && CLEAN.test(text)) return text
  const visible = decodeHTMLStrict(bounded(text)).replace(BREAKS, " ").replace(INVISIBLE, "").toWellFormed()
  return cap(visible.replace(SPACES, " ").trim(), lengthMax)
}

/**
 * Like `cleanText`, for a text that is HTML: tags, comments, scripts and styles are removed first, and a tag counts as a
 * space. A `<` that does not open a tag is kept.
 */
export const cleanHtml = (html: string, lengthMax: number): string => {
  const [first = "", ...pieces] = bounded(html).split("<")
  const words = [first]
  let unseen: string | null = null
  for (const piece of pieces) {
    if (unseen !== null) {
      const ends = unseen === "!--" ? piece.includes("-->") : piece.toLowerCase().startsWith(`/${unseen}`)
      if (!ends) continue
      const end = unseen === "!--" ? piece.indexOf("-->") + 3 : piece.indexOf(">") + 1
      words.push(" ", end === 0 ? "" : piece.slice(end))
      unseen = null
      continue
    }
    const end = piece.indexOf(">")
    if (piece.startsWith("!--")) {
      const commentEnd = piece.indexOf("-->")
      if (commentEnd === -1) unseen = "!--"
      else words.push(" ", piece.slice(commentEnd + 3))
    } else if (end === -1 || !TAG_START.test(piece)) {
      words.push("<", piece)
    } else {
      const name = UNSEEN_ELEMENT.exec(piece)?.[1]
      if (name !== undefined && piece[end - 1] !== "/") unseen = name.toLowerCase()
      else words.push(" ", piece.slice(end + 1))
    }
  }
  return cleanText(words.join(""), lengthMax)
}

/** Like `cleanText`, with null for missing and empty text. */
export const cleanTextOrNull = (text: string | null | undefined, lengthMax: number): string | null =>
  text === null || text === undefined ? null : cleanText(text, lengthMax) || null

/**
 * The text itself where nothing in it has to be cleaned but entities, which are kept: for identifiers that mean something
 * else as soon as a character is changed. Null for every other text, for an empty one and for more than `lengthMax` code
 * points.
 */
export const exactText = (text: string, lengthMax: number): string | null =>
  text !== "" &&
  text.length <= 2 * lengthMax &&
  text.isWellFormed() &&
  text.search(INVISIBLE) === -1 &&
  text === text.replace(SPACES, " ").trim() &&
  cap(text, lengthMax) === text
    ? text
    : null

/**
 * The normal form of an address that may be shown as a link: http or https, without user name and password, at most 2,048
 * characters. Null for any other text.
 */
export const httpUrl = (text: string | null | undefined): string | null => {
  if (text === null || text === undefined || text.length > URL_MAX_CHARACTERS) return null
  const url = URL.parse(text.trim())
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return null
  if (url.username !== "" || url.password !== "" || url.href.length > URL_MAX_CHARACTERS) return null
  return url.href
}
