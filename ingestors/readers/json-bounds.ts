import type { BodyInspector } from "../http-client.port.ts"

/** The estimated memory that a parsed document may use. The largest known upstream document uses a tenth of it. */
const WEIGHT_MAX = 64 * 1024 * 1024
/** The least memory of an object or array, and of any other value. */
const CONTAINER_BYTES = 64
const VALUE_BYTES = 16
/** The maximum nesting depth of objects and arrays. */
const DEPTH_MAX = 64

const [QUOTE, BACKSLASH, COMMA, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [
  0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d,
]

/**
 * Makes the inspector of one JSON document. It reads the chunks in order and reports a document that must not be parsed:
 * nested too deep, or with so many values that they would use many times the memory of the bytes. It runs in one pass with
 * constant memory, and does not check the syntax.
 */
export const makeJsonInspector = (): BodyInspector => {
  let [depth, weight] = [0, 0]
  let [inText, isEscaped] = [false, false]
  return (piece) => {
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at]
      if (inText) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) inText = false
      } else if (byte === QUOTE) inText = true
      else if (byte === COMMA) weight += VALUE_BYTES
      else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
        weight += CONTAINER_BYTES
        depth++
        if (depth > DEPTH_MAX) return `nested deeper than ${DEPTH_MAX}`
      } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--
    }
    return weight > WEIGHT_MAX ? "more values than the limit" : null
  }
}

/** The reason not to parse a complete JSON document; null if it may be parsed. */
export const jsonProblemOf = (bytes: Uint8Array): string | null => makeJsonInspector()(bytes)
