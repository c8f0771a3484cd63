// How the page of a feed shows a reply: shared by the server, which renders the page, and by the browser, which updates it.

import { missingText } from "./world-view.js"

/** @typedef {import("../../../schemas/json.ts").Json} Json */

/**
 * @typedef {object} ExcerptLimits How much of a value is shown.
 * @property {number} itemsMax Items of a list that are shown; the others are counted.
 * @property {number} membersMax Members of an object that are shown; the others are counted.
 * @property {number} textMaxCharacters Characters of a text that are shown.
 * @property {number} linesMax
 */

/** @type {ExcerptLimits} */
const usualLimits = { itemsMax: 2, membersMax: 24, textMaxCharacters: 160, linesMax: 120 }

const INDENT = "  "

/** @typedef {{ isCut: boolean }} Omissions Whether anything was left out so far. */

/**
 * @param {string} text
 * @param {ExcerptLimits} limits
 * @param {Omissions} omissions
 */
const shortText = (text, { textMaxCharacters: max }, omissions) => {
  const characters = Array.from(text.slice(0, 2 * max + 2))
  if (characters.length <= max) return JSON.stringify(text)
  omissions.isCut = true
  return JSON.stringify(`${characters.slice(0, max).join("")}…`)
}

/**
 * The lines of a value. Yielded one by one, so that the cost is that of the shown part.
 * @param {Json} value
 * @param {{ readonly indent: string, readonly head: string, readonly tail: string }} place
 * @param {ExcerptLimits} bounds
 * @param {Omissions} omissions
 * @returns {Generator<string>}
 */
const linesOf = function* (value, { indent, head, tail }, bounds, omissions) {
  const begin = `${indent}${head}`
  if (typeof value === "string") yield `${begin}${shortText(value, bounds, omissions)}${tail}`
  else if (typeof value !== "object" || value === null) yield `${begin}${JSON.stringify(value)}${tail}`
  else {
    const names = Array.isArray(value) ? null : Object.keys(value)
    const [open, close] = names === null ? "[]" : "{}"
    const values = /** @type {Readonly<Record<string, Json>>} */ (value)
    const count = Array.isArray(value) ? value.length : (names?.length ?? 0)
    const shown = Math.min(count, names === null ? bounds.itemsMax : bounds.membersMax)
    if (count === 0) yield `${begin}${open}${close}${tail}`
    else {
      yield `${begin}${open}`
      for (let at = 0; at < shown; at += 1) {
        const name = names?.[at]
        const label = name === undefined ? "" : `${shortText(name, bounds, omissions)}: `
        const place = { indent: indent + INDENT, head: label, tail: at + 1 < count ? "," : "" }
        yield* linesOf(values[name ?? at] ?? null, place, bounds, omissions)
      }
      if (shown < count) {
        omissions.isCut = true
        yield `${indent}${INDENT}… ${count - shown} more`
      }
      yield `${indent}${close}${tail}`
    }
  }
}

/**
 * A value as indented JSON of a readable length: what is left out is counted where it stood. `isCut`: whether it leaves
 * anything out.
 * @param {Json} value
 * @returns {{ text: string, isCut: boolean }}
 */
export const excerptOf = (value, bounds = usualLimits) => {
  /** @type {Array<string>} */
  const lines = []
  /** @type {Omissions} */
  const omissions = { isCut: false }
  for (const line of linesOf(value, { indent: "", head: "", tail: "" }, bounds, omissions)) {
    if (lines.length === bounds.linesMax) return { text: [...lines, "…"].join("\n"), isCut: true }
    lines.push(line)
  }
  return { text: lines.join("\n"), isCut: omissions.isCut }
}

/** What is said below an excerpt that leaves anything out. */
export const CUT_NOTE = "Shortened: … counts what is left out."

/**
 * The state of a reply, as a sign and in words, and what follows these. `missing`: why there is no data; null where there is.
 * @param {{ readonly stale: boolean, readonly missing: string | null, readonly asOf: string | null }} reply
 * @returns {{ readonly sign: "good" | "warn" | "missed", readonly words: string, readonly rest: string }}
 */
export const replyStateOf = ({ stale, missing, asOf }) => {
  if (missing !== null) return { sign: "missed", words: "No data yet", rest: ` ${missingText(missing)}` }
  const rest = asOf === null ? "" : ", confirmed "
  return stale ? { sign: "warn", words: "Stale", rest } : { sign: "good", words: "Live", rest }
}

/**
 * The lines of a text that the text before did not have.
 * @param {string} before
 * @param {string} after
 * @returns {ReadonlyArray<{ line: string, isNew: boolean }>}
 */
export const comparedLines = (before, after) => {
  const known = new Set(before.split("\n"))
  return after.split("\n").map((line) => ({ line, isNew: !known.has(line) }))
}
