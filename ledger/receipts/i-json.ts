import jsonc, { type JSONVisitor } from "jsonc-parser"

/** How much work a text may cost: reading, sorting and hashing grow with each of these. */
export interface JsonLimits {
  readonly charactersMax: number
  /** Values of all kinds, names of members included. */
  readonly valuesMax: number
  readonly depthMax: number
}

/** Why a text is refused. */
export type JsonProblem = "too_large" | "not_json" | "duplicate_member" | "lone_surrogate" | "inexact_number"

/** A text that was read. */
export type ReadJson =
  | { readonly _tag: "Read"; readonly value: unknown }
  | { readonly _tag: "Refused"; readonly problem: JsonProblem }

/** What is wrong, in words that follow the name of the text. */
export const jsonProblemWords: Readonly<Record<JsonProblem, string>> = {
  too_large: "is larger or deeper than what is verified",
  not_json: "is not JSON",
  duplicate_member: "has an object with two members of one name: which of them was signed cannot be said",
  lone_surrogate: "has a text with half a surrogate pair",
  inexact_number: "has a number that a double does not hold exactly",
}

class JsonRefused extends Error {
  readonly problem: JsonProblem

  constructor(problem: JsonProblem) {
    super(problem)
    this.problem = problem
  }
}

/** No double needs more characters; longer texts only cost time. */
const NUMBER_MAX_CHARACTERS = 400
const DECIMAL = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** The digits of a decimal without zeros at its ends, and the power of ten of the last one. */
const decimalOf = (text: string): string => {
  const [, whole = "", fraction = "", exponent = "0"] = DECIMAL.exec(text) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, "")
  const significant = digits.replace(/0+$/, "")
  if (significant === "") return "0"
  return `${significant}e${Number(exponent) - fraction.length + (digits.length - significant.length)}`
}

/** Whether the shortest text of a number's double has the value of the text that was sent. */
const isExact = (text: string, value: number): boolean =>
  text === String(value) ||
  (Number.isFinite(value) && text.length <= NUMBER_MAX_CHARACTERS && decimalOf(text) === decimalOf(String(value)))

/**
 * Reads a text as I-JSON (RFC 7493), which all parsers understand alike: no member twice, no half of a surrogate pair, no
 * number beyond a double. Parsers disagree on the rest, so one reply could be verified and another one be read. The limits
 * hold while the text is looked at, before anything is made of it. Noncharacters are taken: they have one form.
 *
 * The engine's parser silently drops the first of two members; `jsonc-parser` reports each of them.
 */
export const readIJson = (text: string, { charactersMax, valuesMax, depthMax }: JsonLimits): ReadJson => {
  const open: Array<Set<string> | null> = []
  let values = 0

  const count = (): void => {
    values += 1
    if (values > valuesMax) throw new JsonRefused("too_large")
  }
  const enter = (names: Set<string> | null): void => {
    count()
    open.push(names)
    if (open.length > depthMax) throw new JsonRefused("too_large")
  }
  const leave = (): void => void open.pop()
  const visitor: JSONVisitor = {
    onObjectBegin: () => enter(new Set()),
    onArrayBegin: () => enter(null),
    onObjectEnd: leave,
    onArrayEnd: leave,
    onObjectProperty: (name) => {
      count()
      if (!name.isWellFormed()) throw new JsonRefused("lone_surrogate")
      const names = open.at(-1)
      if (names?.has(name)) throw new JsonRefused("duplicate_member")
      names?.add(name)
    },
    onLiteralValue: (value, offset, length) => {
      count()
      if (typeof value === "string" && !value.isWellFormed()) throw new JsonRefused("lone_surrogate")
      if (typeof value === "number" && !isExact(text.slice(offset, offset + length), value))
        throw new JsonRefused("inexact_number")
    },
    onError: () => {
      throw new JsonRefused("not_json")
    },
  }
  try {
    if (text.length > charactersMax) throw new JsonRefused("too_large")
    jsonc.visit(text, visitor, { disallowComments: true })
    // The engine decides what is JSON, and builds the value.
    return { _tag: "Read", value: JSON.parse(text) }
  } catch (cause) {
    return { _tag: "Refused", problem: cause instanceof JsonRefused ? cause.problem : "not_json" }
  }
}
