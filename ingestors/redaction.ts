const REMOVED = "[key removed]"

/** Removes a key from everything that an answer or a fault may repeat of it. */
export interface Redaction {
  readonly text: (text: string) => string
  /** The bytes themselves where they do not hold the key. */
  readonly bytes: (bytes: Uint8Array) => Uint8Array
}

const asItIs: Redaction = { text: (text) => text, bytes: (bytes) => bytes }

/** With zero bytes between its letters a text is found in UTF-16 of either order. */
const wide = (text: string): string => [...text].join("\u0000")

/**
 * Makes the redaction of a key: as it stands, escaped as in an address, and in UTF-16. Keys are ASCII. What is removed
 * here, before an answer is parsed, can reach no payload, no record that is set aside and no log line.
 */
export const makeRedaction = (key: string | null): Redaction => {
  if (key === null) return asItIs
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
