import { jsonProblemOf } from "./json-bounds.ts"

/** A call that adds a piece of the data with which Next.js pages are sent; its text is a JSON string. */
const PUSH = "self.__next_f.push([1,"

/** Objects of one form that are read of a page. */
const OBJECTS_MAX = 16

/** The position behind the JSON string that begins at `from`; null where it does not end. */
const endOfString = (text: string, from: number): number | null => {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === "\\") at += 1
    else if (text[at] === '"') return at + 1
  }
  return null
}

/** The position behind the JSON object that begins at `from`; null where it does not end. */
const endOfObject = (text: string, from: number): number | null => {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    if (text[at] === '"') {
      const end = endOfString(text, at)
      if (end === null) return null
      at = end - 1
    } else if (text[at] === "{") depth += 1
    else if (text[at] === "}") {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return null
}

/** The data of a page: pieces may end anywhere, also within a text, so that they are joined before anything is read. */
const flightOf = (html: string): string => {
  const pieces: Array<string> = []
  for (let at = html.indexOf(PUSH); at !== -1; at = html.indexOf(PUSH, at)) {
    at += PUSH.length
    const end = html[at] === '"' ? endOfString(html, at) : null
    if (end !== null) pieces.push(JSON.parse(html.slice(at, end)) as string)
  }
  return pieces.join("")
}

/** A text that begins with `$` is escaped as `$$`; a single `$` refers to another piece, which is not read. */
const unescaped = (_: string, value: unknown): unknown => {
  if (typeof value !== "string" || !value.startsWith("$")) return value
  return value.startsWith("$$") ? value.slice(1) : null
}

/**
 * The JSON objects in a page's data whose first member has this name, in their order. The markup of such a page may be
 * a skeleton that is filled by a script. Throws where an object is none, or exceeds the bounds of JSON documents.
 */
export const flightObjects = (html: string, firstMember: string): ReadonlyArray<unknown> => {
  const text = flightOf(html)
  const begin = `{${JSON.stringify(firstMember)}:`
  const objects: Array<unknown> = []
  for (let at = text.indexOf(begin); at !== -1 && objects.length < OBJECTS_MAX; ) {
    const end = endOfObject(text, at)
    if (end === null) throw new Error("an object does not end")
    const json = text.slice(at, end)
    const problem = jsonProblemOf(Buffer.from(json))
    if (problem !== null) throw new Error(problem)
    objects.push(JSON.parse(json, unescaped))
    at = text.indexOf(begin, end)
  }
  return objects
}
