import type { Json } from "../../../schemas/json.ts"

/** How much of a value is shown. */
export interface ExcerptLimits {
  /** Items of a list that are shown; the others are counted. */
  readonly itemsMax: number
  /** Members of an object that are shown; the others are counted. */
  readonly membersMax: number
  /** Characters of a text that are shown. */
  readonly textMaxCharacters: number
  readonly linesMax: number
}

const usualLimits: ExcerptLimits = { itemsMax: 2, membersMax: 24, textMaxCharacters: 160, linesMax: 120 }

const INDENT = "  "

/** Whether anything was left out so far. */
interface Omissions {
  isCut: boolean
}

const shortText = (text: string, { textMaxCharacters: max }: ExcerptLimits, omissions: Omissions): string => {
  const characters = Array.from(text.slice(0, 2 * max + 2))
  if (characters.length <= max) return JSON.stringify(text)
  omissions.isCut = true
  return JSON.stringify(`${characters.slice(0, max).join("")}…`)
}

/** The lines of a value. Yielded one by one, so that the cost is that of the shown part. */
const linesOf = function* (
  value: Json,
  { indent, head, tail }: { readonly indent: string; readonly head: string; readonly tail: string },
  bounds: ExcerptLimits,
  omissions: Omissions,
): Generator<string> {
  const begin = `${indent}${head}`
  if (typeof value === "string") yield `${begin}${shortText(value, bounds, omissions)}${tail}`
  else if (typeof value !== "object" || value === null) yield `${begin}${JSON.stringify(value)}${tail}`
  else {
    const isList = Array.isArray(value)
    const [open, close] = isList ? "[]" : "{}"
    const names = isList ? null : Object.keys(value)
    const count = isList ? value.length : (names?.length ?? 0)
    const shown = Math.min(count, isList ? bounds.itemsMax : bounds.membersMax)
    if (count === 0) yield `${begin}${open}${close}${tail}`
    else {
      yield `${begin}${open}`
      for (let at = 0; at < shown; at += 1) {
        const name = names?.[at]
        const inner = isList ? value[at] : (value as Readonly<Record<string, Json>>)[name ?? ""]
        const label = name === undefined ? "" : `${shortText(name, bounds, omissions)}: `
        const place = { indent: indent + INDENT, head: label, tail: at + 1 < count ? "," : "" }
        yield* linesOf(inner ?? null, place, bounds, omissions)
      }
      if (shown < count) {
        omissions.isCut = true
        yield `${indent}${INDENT}… ${count - shown} more`
      }
      yield `${indent}${close}${tail}`
    }
  }
}

/** A text of an excerpt, and whether it leaves anything out. */
export interface Excerpt {
  readonly text: string
  readonly isCut: boolean
}

/** A value as indented JSON of a readable length: what is left out is counted where it stood. */
export const excerptOf = (value: Json, bounds: ExcerptLimits = usualLimits): Excerpt => {
  const lines: Array<string> = []
  const omissions: Omissions = { isCut: false }
  for (const line of linesOf(value, { indent: "", head: "", tail: "" }, bounds, omissions)) {
    if (lines.length === bounds.linesMax) return { text: [...lines, "…"].join("\n"), isCut: true }
    lines.push(line)
  }
  return { text: lines.join("\n"), isCut: omissions.isCut }
}
