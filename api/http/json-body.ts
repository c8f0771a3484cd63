import type { FastifyInstance } from "fastify"

/** Deeper than any body of the contract. What looks at a value may recurse, so deeper ones would exhaust its stack. */
const BODY_MAX_DEPTH = 64

/** The code of the error for a body that nests arrays and objects deeper than the bound. */
export const BODY_TOO_DEEP = "BODY_TOO_DEEP"

/** The words for it, in problems and in errors of JSON-RPC. */
export const BODY_TOO_DEEP_MESSAGE = "The body nests arrays and objects deeper than this service reads."

class BodyTooDeep extends Error {
  readonly code = BODY_TOO_DEEP
}

/** Whether a text nests arrays and objects deeper than the bound. Brackets in strings do not count; the text may be no JSON. */
const isTooDeep = (text: string): boolean => {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (inString) {
      if (character === "\\") at += 1
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === "[" || character === "{") {
      depth += 1
      if (depth > BODY_MAX_DEPTH) return true
    } else if (character === "]" || character === "}") depth -= 1
  }
  return false
}

/** Parses JSON bodies as the framework does, after their depth is bounded. Holds for every route without a parser of its own. */
export const boundBodies = (app: FastifyInstance): void => {
  const parse = app.getDefaultJsonParser("error", "error")
  app.removeContentTypeParser("application/json")
  app.addContentTypeParser<string>("application/json", { parseAs: "string" }, (request, text, parsed) => {
    if (isTooDeep(text)) parsed(new BodyTooDeep(BODY_TOO_DEEP_MESSAGE))
    else parse(request, text, parsed)
  })
}
