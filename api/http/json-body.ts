import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { FastifyInstance } from "fastify"
import { BODY_TOO_DEEP, BODY_TOO_DEEP_MESSAGE, type ProblemReply, problem } from "./problems.ts"

/** Deeper than any body of the contract. What looks at a value may recurse, so deeper ones would exhaust its stack. */
const BODY_MAX_DEPTH = 64

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

/** A decoded body, or the 400 that names its wrong member. The 400 holds no text of the request. */
export type BodyReading<A> =
  | { readonly _tag: "Read"; readonly value: A }
  | { readonly _tag: "Refused"; readonly problem: ProblemReply }

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: () => "", checkHook: () => "" })

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const refuse = (error: string, message: string, parameter?: string): { _tag: "Refused"; problem: ProblemReply } => ({
  _tag: "Refused",
  problem: problem(400, error, message, parameter === undefined ? {} : { parameter }),
})

/**
 * Makes the reader of a JSON body. Members that its schema does not name are ignored, so that newer clients may send
 * members that an older service does not support. `words` describe the accepted values of each member.
 */
export const makeBodyReader = <A>(
  schema: Schema.Codec<A, unknown>,
  words: Readonly<Record<string, string>>,
): ((body: unknown) => BodyReading<A>) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (body) => {
    if (!isObject(body))
      return refuse("malformed_body", "The body must be a JSON object (Content-Type: application/json).")
    const decoded = decode(body)
    if (Result.isSuccess(decoded)) return { _tag: "Read", value: decoded.success }
    const at = issuesOf(decoded.failure.issue).issues[0]?.path?.[0]
    const parameter = String(typeof at === "object" ? at.key : at)
    const takes = words[parameter] === undefined ? "" : ` It takes ${words[parameter]}.`
    return parameter in body
      ? refuse("invalid_parameter", `"${parameter}" has a value that is not accepted.${takes}`, parameter)
      : refuse("missing_parameter", `"${parameter}" is required.${takes}`, parameter)
  }
}
