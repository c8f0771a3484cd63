const REMOVED = "[key removed]"

/** Removes a key from answers and error messages that repeat it. */
export interface Redaction {
  readonly text: (text: string) => string
  /** Gives the same array if it does not contain the key. */
  readonly bytes: (bytes: Uint8Array) => Uint8Array
}

const noRedaction: Redaction = { text: (text) => text, bytes: (bytes) => bytes }

/** The text with zero bytes between its letters: it matches UTF-16 of either byte order. */
const wide = (text: string): string => [...text].join("\u0000")

/**
 * Makes the redaction of a key: in plain form, percent-encoded, and in UTF-16. Keys are ASCII. It is applied before an answer
 * is parsed, so that a key reaches no payload, no quarantined document and no log line.
 */
export const makeRedaction = (key: string | null): Redaction => {
  if (key === null) return noRedaction
  const forms = [...new Set([key, encodeURIComponent(key)])]
  const text = (given: string): string => forms.reduce((left, form) => left.replaceAll(form, REMOVED), given)
  return {
    text,
    bytes: (bytes) => {
      // Latin 1 maps each byte to one character and back.
      const given = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")
      const left = forms.reduce((all, form) => all.replaceAll(wide(form), wide(REMOVED)), text(given))
      return left === given ? bytes : Buffer.from(left, "latin1")
    },
  }
}
