const CUT = "…"

/** Bytes of a text in JSON, without its quotes. */
export const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - '""'.length

/** A text of at most `bytesMax` bytes in JSON; what is cut off is shown by an ellipsis. */
export const shortText = (text: string, bytesMax: number): string => {
  if (jsonBytes(text) <= bytesMax) return text
  let short = ""
  let bytes = jsonBytes(CUT)
  for (const character of text) {
    bytes += jsonBytes(character)
    if (bytes > bytesMax) break
    short += character
  }
  return `${short.trimEnd()}${CUT}`
}
