import type { BodyInspector } from "./http-client.port.ts"

/** What a parsed document may hold in memory, as an estimate, in bytes. The largest of our upstreams holds a tenth. */
const WEIGHT_MAX = 64 * 1024 * 1024
/** What an object or array holds at least, and what any other value does. */
const CONTAINER_BYTES = 64
const VALUE_BYTES = 16
/** How deep objects and arrays may be nested. */
const DEPTH_MAX = 64

const [QUOTE, BACKSLASH, COMMA, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [
  0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d,
]

/**
 * Makes the inspector of one JSON document, which says of its pieces, in order, why the document must not be parsed: nested
 * too deep, or of so many values that they would take many times the memory of the bytes. One pass, of constant memory;
 * whether it is JSON at all is for the parser to say.
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
    return weight > WEIGHT_MAX ? "of more values than any of our upstreams has" : null
  }
}

/** Why the bytes of a whole JSON document must not be parsed; null where they may. */
export const jsonProblemOf = (bytes: Uint8Array): string | null => makeJsonInspector()(bytes)
