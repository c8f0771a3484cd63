/** What a parsed document may hold in memory, as an estimate, in bytes. The largest of our upstreams holds a tenth. */
const WEIGHT_MAX = 64 * 1024 * 1024
/** What an object or array holds at least, and what any other value does. */
const CONTAINER_BYTES = 64
const VALUE_BYTES = 16
/** How deep objects and arrays may be nested. */
const DEPTH_MAX = 64
/** Below this no document can be heavy: it is not looked through. */
const SMALL_BYTES = 64 * 1024

const [QUOTE, BACKSLASH, COMMA, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [
  0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d,
]

/**
 * Why the bytes of a JSON document must not be parsed: nested too deep, or of so many values that they would take many
 * times the memory of the bytes. Null where they may. One pass, without memory of its own; whether it is JSON at all is
 * for the parser to say.
 */
export const jsonProblemOf = (bytes: Uint8Array): string | null => {
  if (bytes.length < SMALL_BYTES) return null
  let [depth, weight] = [0, 0]
  let inText = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (inText) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) inText = false
    } else if (byte === QUOTE) inText = true
    else if (byte === COMMA) weight += VALUE_BYTES
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      weight += CONTAINER_BYTES
      depth++
      if (depth > DEPTH_MAX) return `nested deeper than ${DEPTH_MAX}`
      if (weight > WEIGHT_MAX) return "of more values than any of our upstreams has"
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--
  }
  return weight > WEIGHT_MAX ? "of more values than any of our upstreams has" : null
}
